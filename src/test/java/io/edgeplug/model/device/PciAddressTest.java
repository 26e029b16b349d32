package io.edgeplug.model.device;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PciAddressTest {

    @ParameterizedTest
    @ValueSource(strings = {"0000:3b:02.1", "ffff:ff:1f.7", "10000:01:00.0", "abcdef:00:00.0", "ffffffff:00:00.0"})
    void addressIsWrittenAsTheKernelWritesIt(String text) {
        assertThat(PciAddress.parse(text)).map(PciAddress::toString).contains(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"3b:02.1", "0000:3b:02.8", "0000:3b:20.0", "0000:3b:02.1 ", "0000:3b:02:1", ""})
    void otherFormsAreNone(String text) {
        assertThat(PciAddress.parse(text)).isEmpty();
    }

    @Test
    void lastAddressOnAPathIsTheDevice() {
        assertThat(PciAddress.lastIn("/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/net/ens1f0"))
                .contains(new PciAddress(0, 0x3b, 0, 0));
        assertThat(PciAddress.lastIn("/devices/virtual/net/lo")).isEmpty();
    }
}
