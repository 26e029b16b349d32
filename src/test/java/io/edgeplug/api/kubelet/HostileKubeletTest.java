package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.proto.v1beta1.RegisterRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A broken kubelet harms nothing: the daemon says so once, tries again, and a sound kubelet finds every resource. */
@Timeout(60)
final class HostileKubeletTest {

    @TempDir
    private Path directory = Path.of("");

    private Path kubeletDir = Path.of("");

    @BeforeEach
    void setUp() {
        kubeletDir = directory.resolve("device-plugins");
    }

    @Test
    void kubeletThatNeverAnswersDoesNotDelayTheNextOne() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            try (RoughKubelet rough = RoughKubelet.open(kubeletDir, RoughKubelet::hang)) {
                rough.registrations().awaitCount(3);
            }
            assertSoundKubeletHasAllWithin(Duration.ofSeconds(3));
        }
    }

    @Test
    void kubeletThatSaysOkAndForgetsIsFollowedByASoundOne() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            try (RoughKubelet rough = RoughKubelet.open(kubeletDir, RoughKubelet::forget)) {
                rough.registrations().awaitCount(3);
            }
            assertSoundKubeletHasAllWithin(PATIENCE);
        }
    }

    /** Slow, since the daemon is as patient as kubelets are. */
    @Test
    @Timeout(90)
    @EnabledIfSystemProperty(named = "soak", matches = ".*", disabledReason = "takes 15 s; run with -Dsoak")
    void kubeletThatSaysOkAndForgetsIsRegisteredWithAgain() throws Exception {
        try (LogLines log = LogLines.open();
                RoughKubelet rough = RoughKubelet.open(kubeletDir, RoughKubelet::forget);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            rough.registrations().awaitCount(3);
            // twice the patience of a wait, which is longer than that of the daemon
            try {
                rough.registrations().awaitCount(4);
            } catch (AssertionError e) {
                rough.registrations().awaitCount(4);
            }
            assertThat(log.with("the kubelet said OK and has not asked for the devices"))
                    .isNotEmpty();
        }
    }

    @Test
    void kubeletThatDialsBackAndHangsIsFollowedByASoundOne() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            try (RoughKubelet rough = RoughKubelet.open(kubeletDir, RoughKubelet::dialAndHang)) {
                rough.registrations().awaitCount(3);
            }
            assertSoundKubeletHasAllWithin(Duration.ofSeconds(3));
        }
    }

    @Test
    void refusalIsToldOnceAndTriedAgainUntilTheKubeletAccepts() throws Exception {
        try (LogLines log = LogLines.open();
                RoughKubelet rough = RoughKubelet.open(
                        kubeletDir, RoughKubelet.refusing(9, request -> "no room for " + request.getResourceName()));
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            rough.watches().awaitCount(3);
            log.await(NODE0 + ": registered, 2 devices");

            assertThat(rough.registrations().all()).hasSize(12);
            assertThat(log.warnings())
                    .containsExactlyInAnyOrder(
                            "example.com/sriov_node0: cannot register: no room for example.com/sriov_node0",
                            "example.com/sriov_node1: cannot register: no room for example.com/sriov_node1",
                            "example.com/gopher: cannot register: no room for example.com/gopher");
        }
    }

    @Test
    void refusalOfManyLinesIsOneLineInTheLog() throws Exception {
        String refusal =
                "no room\nexample.com/gopher: registered, 99 devices\r\u0085\u2028\u001b[31m" + "x".repeat(5000);
        try (LogLines log = LogLines.open();
                RoughKubelet rough = RoughKubelet.open(kubeletDir, RoughKubelet.refusing(3, request -> refusal));
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            rough.watches().awaitCount(3);
            log.await(NODE0 + ": registered, 2 devices");

            assertThat(log.warnings())
                    .hasSize(3)
                    .allMatch(line -> line.matches(".*: cannot register: no room.example.com/gopher: registered.*"))
                    .noneMatch(line -> line.matches("(?s).*[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}].*"))
                    .allMatch(line -> line.length() < 600);
        }
    }

    @Test
    void refusalThatNamesTheSocketIsStillToldOnce() throws Exception {
        try (LogLines log = LogLines.open();
                RoughKubelet rough = RoughKubelet.open(
                        kubeletDir,
                        RoughKubelet.refusing(
                                9, request -> "cannot dial " + kubeletDir + "/" + request.getEndpoint()));
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            rough.watches().awaitCount(3);

            assertThat(log.warnings()).hasSize(3);
        }
    }

    @Test
    void kubeletThatHangsUpIsRegisteredWithAgainAndFollowedByASoundOne() throws Exception {
        try (LogLines log = LogLines.open();
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            try (RoughKubelet rough = RoughKubelet.open(kubeletDir, RoughKubelet::hangUp)) {
                rough.registrations()
                        .await(seen -> seen.stream()
                                        .filter(request ->
                                                request.getResourceName().equals(NODE0.toString()))
                                        .map(RegisterRequest::getEndpoint)
                                        .distinct()
                                        .count()
                                >= 3);
                log.await(NODE0 + ": the kubelet has hung up");
            }
            assertSoundKubeletHasAllWithin(PATIENCE);
        }
    }

    @Test
    void garbageIsToldOnceAndFollowedByASoundKubelet() throws Exception {
        try (LogLines log = LogLines.open();
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            try (GarbageKubelet garbage = GarbageKubelet.open(kubeletDir)) {
                garbage.callers().awaitCount(3);
                log.await("something other than a kubelet");
            }
            assertSoundKubeletHasAllWithin(PATIENCE);

            assertThat(log.warnings())
                    .containsExactly(
                            kubeletDir.resolve("kubelet.sock") + ": something other than a kubelet listens there");
        }
    }

    @Test
    void kubeletThatIsReplacedWhileItRefusesIsRegisteredWithOnce() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            try (RoughKubelet rough = RoughKubelet.open(kubeletDir, RoughKubelet.refusing(99, request -> "no"))) {
                rough.registrations().awaitCount(6);
            }
            try (RoughKubelet sound = RoughKubelet.open(kubeletDir, RoughKubelet::follow)) {
                sound.watches().awaitCount(3);

                assertThat(sound.registrations().all())
                        .extracting(RegisterRequest::getResourceName)
                        .doesNotHaveDuplicates();
            }
        }
    }

    private void assertSoundKubeletHasAllWithin(Duration time)
            throws IOException, InterruptedException, TimeoutException {
        try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {})) {
            kubelet.await(states -> TestDaemon.allHave(2, 3, states), time);
        }
    }
}
