package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.flow.Difference;
import io.edgeplug.system.systemd.Journal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What an administrator reads of devices that come and go. */
final class ChangeLogTest {

    private static final DeviceClass CLASS = DeviceClass.of(
            ResourceName.parse("example.com/tty"),
            Kind.PATH,
            new Selector(Map.of(SelectorWord.PATHS, List.of("/dev/tty*"))));

    private final List<LogRecord> told = new ArrayList<>();
    private final ChangeLog log = new ChangeLog(logger());

    private Logger logger() {
        Logger logger = Logger.getAnonymousLogger();
        logger.setLevel(Level.ALL);
        logger.setUseParentHandlers(false);
        logger.addHandler(new Handler() {
            @Override
            public void publish(LogRecord entry) {
                told.add(entry);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
        return logger;
    }

    private static Item item(String id, Health health) {
        String path = "/dev/" + id;
        Device device = new PathDevice(
                id,
                List.of(new PathDevice.File(
                        path, Optional.of(new Destination(path, FileKind.CHARACTER_DEVICE, 0, 0, "", List.of())))),
                Optional.empty(),
                health);
        return new Item(device, Optional.of(CLASS));
    }

    private static List<Item> items(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> item("tty" + i, Health.HEALTHY))
                .toList();
    }

    private List<String> lines() {
        return told.stream().map(LogRecord::getMessage).toList();
    }

    @Test
    void devicesThatComeTogetherShareALineThatTheJournalFindsByEach() {
        log.tell(Difference.of(List.of(), items(256)));

        assertThat(lines()).containsExactly("tty0, tty1, tty2 and 253 more: added to example.com/tty, 256 devices");
        assertThat(told.getFirst().getParameters())
                .hasSize(257)
                .contains(Journal.device("tty255"), Journal.resource("example.com/tty"));
    }

    @Test
    void deviceThatComesOrGoesAloneHasItsLine() {
        log.tell(Difference.of(items(2), items(3)));
        log.tell(Difference.of(items(3), items(2)));
        log.tell(Difference.of(items(2), List.of()));

        assertThat(lines())
                .containsExactly(
                        "tty2: added to example.com/tty",
                        "tty2: gone from example.com/tty",
                        "tty0, tty1: gone from example.com/tty, 2 devices");
    }

    @Test
    void deviceThatComesUnhealthyHasALineWithItsReason() {
        List<Item> now = new ArrayList<>(items(2));
        now.add(item("tty2", Health.unhealthy("is broken")));

        log.tell(Difference.of(List.of(), now));

        assertThat(lines())
                .containsExactly(
                        "tty2: added to example.com/tty, unhealthy: is broken",
                        "tty0, tty1: added to example.com/tty, 2 devices");
    }
}
