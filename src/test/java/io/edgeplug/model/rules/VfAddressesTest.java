package io.edgeplug.model.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class VfAddressesTest {

    private static final String PF = "3c:fd:fe:b5:11:48";
    private static final String NEXT_PF = "3c:fd:fe:b5:11:49";

    @Test
    void fixedAddressesAreTheSameOnesForever() {
        // whoever changes the way they are derived changes the addresses of all nodes
        assertThat(VfAddresses.FIXED.mac(PF, 0)).contains("8e:b6:4b:ab:ca:99");
        assertThat(VfAddresses.FIXED.guid(PF, 0)).contains("8e:b6:4b:ab:ca:99:df:70");
    }

    @Test
    void fixedAddressesAreLocalOfOneStationAndDifferBetweenPortsOfOneCard() {
        List<String> macs = Stream.of(PF, NEXT_PF)
                .flatMap(pf -> IntStream.range(0, 256)
                        .mapToObj(vf -> VfAddresses.FIXED.mac(pf, vf).orElseThrow()))
                .toList();

        assertThat(macs).doesNotHaveDuplicates().allMatch(mac -> mac.matches(".[26ae](:[0-9a-f]{2}){5}"));
    }

    @Test
    void baseIsCountedUpFromWithACarry() {
        VfAddresses base = new VfAddresses(VfAddresses.Source.BASE, List.of("02:00:00:00:10:ff"));

        assertThat(base.mac(PF, 0)).contains("02:00:00:00:10:ff");
        assertThat(base.mac(PF, 2)).contains("02:00:00:00:11:01");
    }

    @Test
    void keptAddressesAreNotSet() {
        assertThat(VfAddresses.KEEP.mac(PF, 0)).isEmpty();
    }
}
