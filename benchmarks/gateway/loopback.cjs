// One of the bridges has no option for the address it listens on, and takes all of them. Loaded before it, this leaves loopback.
const net = require('node:net');

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ...rest) {
  return typeof port === 'number' || typeof port === 'string'
    ? listen.call(this, { port: Number(port), host: '127.0.0.1' }, ...rest.filter(each => typeof each === 'function'))
    : listen.call(this, port, ...rest);
};
