package io.edgeplug.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.inventory.Inventory;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OffersTest {

    @TempDir
    private Path directory = Path.of("");

    /** One thread tells bad news, and another looks at all files meanwhile: what that one found stays told. */
    @Test
    void whatWasWorkedOutOfAnOlderOfferHidesNoProblem() throws IOException {
        Inventory inventory = Inventory.scan(Sysfs.at(directory), List.of());
        Offers offers = new Offers();
        Offer before = offers.current();
        Map<String, String> problems = Map.of("g1", "its file is not there");
        offers.publish(inventory, List.of(), 1, problems);

        assertThat(offers.replace(before, inventory, List.of())).isFalse();
        assertThat(offers.current().problems()).isEqualTo(problems);
        assertThat(offers.replace(offers.current(), inventory, List.of())).isTrue();
        assertThat(offers.current().problems()).isEqualTo(problems);
    }
}
