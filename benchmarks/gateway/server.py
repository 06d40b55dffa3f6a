#!/usr/bin/env python3
"""A small MCP server with a tool for short results and one for results of 100 KB, for both eras of the protocol.

Over standard input and output, or, with `--http`, over Streamable HTTP on a free port of 127.0.0.1 that it prints. What is
measured is what stands before it, so it does as little as it can.
"""

import asyncio
import json
import os
import sys

TOOLS = {"small": 200, "large": 100_000}  # characters of the text that each returns
WORDS = "The quick brown fox jumps over the lazy dog while 1234 ships sail from port 17 to the far shore; "


def text(length):
    return (WORDS * (length // len(WORDS) + 1))[:length]


RESULTS = {
    name: json.dumps({"content": [{"type": "text", "text": text(length)}]}, separators=(",", ":")).encode()
    for name, length in TOOLS.items()
}
MODERN = "io.modelcontextprotocol/protocolVersion"
KEPT = b'"resultType":"complete","ttlMs":0,"cacheScope":"private",'
MODERN_RESULTS = {name: b'{"resultType":"complete",' + result[1:] for name, result in RESULTS.items()}
DISCOVERED = b'{' + KEPT + json.dumps({
    "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "benchmark", "version": "1"}},
}).encode()[1:]
INITIALIZED = json.dumps({
    "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
    "serverInfo": {"name": "benchmark", "version": "1"},
}).encode()
LISTED = json.dumps({
    "tools": [
        {"name": name, "description": f"{length} characters.",
         "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}
        for name, length in TOOLS.items()
    ]
}).encode()


def answer(line):
    """Returns the answer to one message, or nothing where none is due."""
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        return b""
    match message["method"]:
        case "tools/call":
            params = message["params"]
            result = (MODERN_RESULTS if MODERN in params.get("_meta", ()) else RESULTS)[params["name"]]
        case "initialize":
            result = INITIALIZED
        case "server/discover":
            result = DISCOVERED
        case "tools/list":
            result = b'{' + KEPT + LISTED[1:] if MODERN in message.get("params", {}).get("_meta", ()) else LISTED
        case "ping":
            result = b"{}"
        case _:
            return b'{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}' % (
                json.dumps(message["id"]).encode())
    return b'{"jsonrpc":"2.0","id":%s,"result":%s}' % (json.dumps(message["id"]).encode(), result)


def serve_stdio():
    for line in sys.stdin.buffer:
        message = answer(line)
        left = memoryview(message + b"\n" if message else b"")
        while left:
            left = left[os.write(1, left):]


class Http(asyncio.Protocol):
    """One connection; requests come one after the other."""

    def connection_made(self, transport):
        self.transport = transport
        self.buffer = b""

    def data_received(self, data):
        self.buffer += data
        while True:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            if not found:
                return
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
            if len(rest) < length:
                return
            self.buffer = rest[length:]
            body = answer(rest[:length])
            status = b"200 OK" if body else b"202 Accepted"
            self.transport.write(
                b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nMcp-Session-Id: one\r\nContent-Length: %d\r\n\r\n%s"
                % (status, len(body), body))


async def serve_http():
    server = await asyncio.get_running_loop().create_server(Http, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        if "--http" in sys.argv:
            asyncio.run(serve_http())
        else:
            serve_stdio()
    except (KeyboardInterrupt, BrokenPipeError):
        pass
