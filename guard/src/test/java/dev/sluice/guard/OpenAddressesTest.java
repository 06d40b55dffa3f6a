package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which addresses records may be fetched from, whatever their host is called. */
class OpenAddressesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8.8.8.8",
                "1.1.1.1",
                "100.63.255.255",
                "100.128.0.1",
                "172.15.0.1",
                "172.32.0.1",
                "192.0.1.1",
                "192.0.78.9",
                "192.167.1.1",
                "198.17.0.1",
                "198.20.0.1",
                "223.255.255.254",
                "2606:4700::1111",
                "2a00:1450:4001::1",
                "2001:200::1",
                "2001:4860:4860::8888",
                "::ffff:8.8.8.8"
            })
    void addressOfTheInternet_isOpen(String address) throws IOException {
        assertTrue(HttpsResolver.isOpen(InetAddress.getByName(address)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.1",
                "10.255.255.255",
                "100.64.0.1",
                "100.127.255.255",
                "127.0.0.1",
                "127.9.9.9",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.170",
                "192.0.2.1",
                "192.168.1.1",
                "198.18.0.1",
                "198.19.255.255",
                "224.0.0.1",
                "239.1.1.1",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::ffff:10.0.0.1",
                "::ffff:127.0.0.1",
                "::ffff:169.254.169.254",
                "::10.0.0.1",
                "64:ff9b::10.0.0.1",
                "64:ff9b::808:808",
                "64:ff9b:1::1",
                "100::1",
                "2001::1",
                "2001:0:53aa:64c::1",
                "2001:1::1",
                "2001:20::1",
                "2002:a00:1::1",
                "2002:808:808::1",
                "fc00::1",
                "fd12:3456::1",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "4000::1"
            })
    void addressInsideANetwork_orOfAnotherUse_isNotOpen(String address) throws IOException {
        assertFalse(HttpsResolver.isOpen(InetAddress.getByName(address)));
    }
}
