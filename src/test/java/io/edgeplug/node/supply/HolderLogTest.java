package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.CpuTime;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.rules.Sharing;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is logged of the users of devices. */
final class HolderLogTest {

    private static final String ID = "0000:3b:01.0";

    private final Custodian custodian = new Custodian();
    private final HolderLog holders = new HolderLog(custodian);

    private void read(Event.Noting... notings) {
        custodian.tell(ID, new Event.Noted(List.of(notings), Instant.now(), Set.of("pod"), false, System.nanoTime()));
    }

    private void follow() {
        holders.follow(pod -> true, resource -> true);
    }

    @Test
    void oneHolderOfManyDevicesIsOneTextAndItsLinesAreLimited() throws Exception {
        try (LogLines log = LogLines.open()) {
            for (int i = 0; i < 3000; i++) {
                String id = "device" + i;
                Event.Noting noting = new Event.Noting(
                        id,
                        User.Pod.unnamed("pod", "main"),
                        "example.com/vf",
                        OptionalInt.empty(),
                        Optional.empty(),
                        true);
                custodian.tell(id, new Event.Noted(List.of(noting), Instant.now(), Set.of(), false, System.nanoTime()));
            }
            follow();

            Set<String> texts = Collections.newSetFromMap(new IdentityHashMap<>());
            custodian
                    .all()
                    .forEach(one -> one.holds()
                            .values()
                            .forEach(hold -> texts.add(hold.told().orElseThrow())));
            assertThat(texts).containsExactly("pod pod (main)");
            assertThat(log.with("held by pod pod (main)")).hasSize(HolderLog.MAX_LINES);
        }
    }

    /** The time grows with their number, and not with its square. */
    @Test
    void thousandsOfSharesOfADeviceAreLoggedInOneGo() throws Exception {
        CpuTime time = new CpuTime();
        try (LogLines log = LogLines.open()) {
            read(IntStream.range(0, 2 * Sharing.MAX_LISTED)
                    .mapToObj(i -> new Event.Noting(
                            ID + "::" + i,
                            User.Pod.unnamed("pod" + i, "main"),
                            "example.com/vf",
                            OptionalInt.empty(),
                            Optional.empty(),
                            true))
                    .toArray(Event.Noting[]::new));
            follow();

            assertThat(custodian.of(ID).holds().values())
                    .allMatch(hold -> hold.told().isPresent());
            assertThat(log.with("held by pod pod")).hasSize(HolderLog.MAX_LINES);
            assertThat(time.used()).isLessThan(Duration.ofSeconds(3));
        }
    }

    /** A reload may move the kubelet's directories, and then another thread goes on with the same records. */
    @Test
    void holdThatEndsWhileNoKubeletIsServedIsLogged() throws Exception {
        try (LogLines log = LogLines.open()) {
            read(new Event.Noting(
                    ID,
                    User.Pod.unnamed("pod", "main"),
                    "example.com/vf",
                    OptionalInt.empty(),
                    Optional.empty(),
                    true));
            follow();
            follow();
            assertThat(log.with(ID)).containsExactly(ID + ": held by pod pod (main)");

            read();
            read();
            follow();

            assertThat(log.with(ID))
                    .containsExactly(ID + ": held by pod pod (main)", ID + ": released by pod pod (main)");
        }
    }
}
