package io.edgeplug.system.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses as text. */
final class LinkAddressTest {

    @ParameterizedTest
    @CsvSource({
        "192.0.2.7/24, true",
        "192.0.2.7/32, true",
        "192.0.2.6/31, true",
        "192.0.2.0/24, false",
        "0.0.0.0/0, false",
        "224.0.0.1/24, false",
        "2001:db8::7/64, true",
        "2001:db8::/64, false",
        "2001:db8::/128, true",
        "ff02::1/64, false",
    })
    void addressOfAHostIsNeitherANetworksNorAGroups(String text, boolean isOfHost) {
        assertThat(LinkAddress.parse(text).orElseThrow().isOfHost()).isEqualTo(isOfHost);
    }

    /** The API server of Kubernetes takes no other form. */
    @ParameterizedTest
    @CsvSource({
        "192.0.2.7/24, 192.0.2.7/24",
        "10.0.0.0/8, 10.0.0.0/8",
        "2001:DB8:0:0:0:0:0:7/64, 2001:db8::7/64",
        "2001:db8:0:1:1:1:1:1/64, 2001:db8:0:1:1:1:1:1/64",
        "2001:db8:0:0:1:0:0:1/64, 2001:db8::1:0:0:1/64",
        "2001:0:0:1:0:0:0:1/64, 2001:0:0:1::1/64",
        "10:0:0:20:0:0:0:0/64, 10:0:0:20::/64",
        "::1/128, ::1/128",
        "::/0, ::/0",
    })
    void textIsTheShortestOne(String text, String shortest) {
        assertThat(LinkAddress.parse(text).orElseThrow()).hasToString(shortest);
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.7",
        "192.0.2.7/33",
        "192.0.2/24",
        "192.0.2.256/24",
        "192.0.2.7/",
        "2001:db8::7/129",
        "2001:db8::7%eth0/64",
        "::ffff:192.0.2.7/96",
        "2001:db8:::7/64",
        "example.com/24",
        "192.0.2.07a/24",
    })
    void otherTextsAreNone(String text) {
        assertThat(LinkAddress.parse(text)).isEmpty();
    }

    /** Looking for the one colon that is followed by a prefix takes a time that grows with the square. */
    @Test
    @Timeout(20)
    void longTextIsNoneAtOnce() {
        assertThat(LinkAddress.parse(":".repeat(1 << 20))).isEmpty();
    }
}
