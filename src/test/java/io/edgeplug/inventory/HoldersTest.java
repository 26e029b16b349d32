package io.edgeplug.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.device.FunctionBuilder;
import io.edgeplug.device.Health;
import io.edgeplug.device.Kind;
import io.edgeplug.device.OtherPci;
import io.edgeplug.device.PciAddress;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.Selector;
import io.edgeplug.rules.SelectorWord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who counts as a holder before the kubelet has noted it. */
final class HoldersTest {

    private static final long LONG_AFTER = Duration.ofSeconds(8).toNanos();

    private final Holders holders = new Holders();
    private final Item given = member(0);
    private final Item mate = member(1);

    private static Item member(int function) {
        return new Item(
                new OtherPci(
                        new FunctionBuilder(new PciAddress(0, 0x43, 0, function))
                                .driver("vfio-pci")
                                .iommuGroup(17)
                                .build(),
                        Health.HEALTHY),
                Optional.of(DeviceClass.of(
                        Items.name("a"), Kind.PCI, new Selector(Map.of(SelectorWord.DRIVERS, List.of("vfio-pci"))))));
    }

    private boolean isMateFree() {
        return holders.groups().objection(mate, Set.of(mate.device().id())).isEmpty();
    }

    /** The kubelet may wait for another plugin of the same container before it writes. */
    @Test
    void groupIsHeldUntilTheKubeletHasWrittenNotesSinceOneOfItWasHandedOver() {
        holders.add(List.of(given), 0);
        assertThat(isMateFree()).isFalse();

        holders.removeFree(device -> false, Instant.now().minusSeconds(1), LONG_AFTER);
        assertThat(isMateFree()).isFalse();

        // notes without it: the kubelet has given up the pod
        holders.removeFree(device -> false, Instant.now().plusSeconds(60), LONG_AFTER);
        assertThat(isMateFree()).isTrue();
    }
}
