package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.model.device.ResourceName;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A plugin that gives up its call of Register before the kubelet has answered. */
final class GivenUpRegistrationTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void upTo134ThePluginHasAllTheTimeItWantsForItsOptionsAndMayGiveUpMeanwhile() throws Exception {
        Duration dial = Duration.ofSeconds(1);
        try (TestNode node = TestNode.open(
                directory, KubeletOptions.DEFAULTS.withMinorVersion(34), new Deadlines(dial, TestNode.DEADLINE))) {
            TestPlugin plugin = node.plugin("vf.sock", healthy("a"));
            plugin.optionsHang = true;
            assertGivesUp(node, dial.plusMillis(300));
            assertThat(node.events(KubeletEvent.RegistrationRefused.class)).isEmpty();

            plugin.answerOptions();
            node.await(VF, state -> state.allocatable() == 1);
        }
    }

    @Test
    void from135ThePluginThatGivesUpIsNotAskedForItsOptionsAnyMore() throws Exception {
        try (TestNode node = patient135();
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
                Context.CancellableContext caller = Context.current().withCancellation()) {
            TestPlugin plugin = node.plugin("vf.sock", healthy("a"));
            plugin.optionsHang = true;
            Future<?> call = callers.submit(caller.wrap(() -> node.register(VF, "vf.sock")));
            assertThat(plugin.askedInVain.await(10, TimeUnit.SECONDS)).isTrue();
            caller.cancel(null);

            node.awaitEvents(KubeletEvent.RegistrationRefused.class, 1);
            assertThat(node.events())
                    .endsWith(new KubeletEvent.RegistrationRefused(
                            VF.toString(),
                            "failed to get device plugin options: rpc error: code = Canceled desc = context canceled"));
            assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> call.get(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void from135ThePluginThatGivesUpIsNotDialledAnyMore() throws Exception {
        try (TestNode node = patient135()) {
            assertGivesUp(node, Duration.ofMillis(300));
            node.awaitEvents(KubeletEvent.RegistrationRefused.class, 1);
            assertThat(node.events(KubeletEvent.RegistrationRefused.class))
                    .singleElement()
                    .satisfies(refusal -> assertThat(refusal.reason())
                            .matches("failed to dial device plugin: context (deadline exceeded|canceled)"));
        }
    }

    /** Dials for longer than a test waits. */
    private TestNode patient135() throws IOException {
        return TestNode.open(
                directory,
                KubeletOptions.DEFAULTS.withMinorVersion(35),
                new Deadlines(Duration.ofMinutes(1), TestNode.DEADLINE));
    }

    private static void assertGivesUp(TestNode node, Duration deadline) {
        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(() -> node.register("v1beta1", "example.com/vf", "vf.sock", deadline))
                .satisfies(end -> assertThat(end.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED));
    }
}
