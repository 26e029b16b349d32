package io.edgeplug.node.prepare;

import static io.edgeplug.node.prepare.PreparedNode.PATIENCE;
import static io.edgeplug.node.prepare.PreparedNode.VF0;
import static io.edgeplug.node.prepare.PreparedNode.VF1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.device.PrepareException;
import io.edgeplug.system.programs.GroupIdentity;
import io.edgeplug.system.programs.Program;
import io.edgeplug.system.programs.ProgramLimits;
import io.edgeplug.system.programs.RunningProgram;
import io.edgeplug.system.programs.Supervisor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that processes have left which were killed, and notes that are of none; two daemons, KilledDaemonTest has. */
@Timeout(60)
final class RunningCommandsTest {

    private static final String TRUE = "command = [\"/bin/true\"]";
    private static final List<Exclusion.Claim> CLAIMS = List.of(
            new Exclusion.Claim("node", false),
            new Exclusion.Claim("function " + VF0, false),
            new Exclusion.Claim("device " + VF0, true));

    @TempDir
    private Path directory = Path.of("");

    private final CompletableFuture<GroupIdentity> group = new CompletableFuture<>();
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private PreparedNode prepared;
    private RunningCommands commands;

    @BeforeEach
    void open() throws IOException {
        prepared = PreparedNode.open(directory);
        commands = new RunningCommands(prepared.node.sysfs(), event -> {});
    }

    @AfterEach
    void close() throws Exception {
        prepared.close();
        if (group.isDone()) {
            group.get().end();
        }
    }

    /** Starts a shell that runs for long, and notes it as a process would that was then killed. */
    private void leave(String script, Duration timeout) throws Exception {
        CompletableFuture<String> line = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                List<String> argv = List.of("/bin/sh", "-c", script + "echo begun; while :; do sleep 100; done");
                ended.complete(Supervisor.THIS_PROCESS
                        .run(program(argv, Duration.ofSeconds(50)), line::complete, new Supervisor.Witness() {
                            @Override
                            public void begins(RunningProgram running) {
                                group.complete((GroupIdentity) running);
                            }

                            @Override
                            public void ended() {
                                // as if it had been killed before
                            }
                        })
                        .status());
            } catch (Exception e) {
                ended.completeExceptionally(e);
            }
        });
        assertThat(line.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("begun");
        commands.remember(program(List.of("/bin/sh"), timeout), group.get(), CLAIMS);
    }

    private static Program program(List<String> argv, Duration timeout) {
        return new Program(Program.Purpose.PREPARE, VF0.toString(), argv, timeout, ProgramLimits.NONE);
    }

    private Path notes() {
        return prepared.node.root().resolve("run/edgeplug/command");
    }

    private Path note() {
        return notes().resolve(VF0 + ".command");
    }

    @Test
    void programThatDoesNotEndIsKilledAfterAsLongAsItsOwnProcessWouldHaveWaited() throws Exception {
        leave("trap '' TERM; ", Duration.ofSeconds(1));

        prepared.prepare(VF0, TRUE);

        assertThat(ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(128 + 9);
        String what = "/bin/sh (process group " + group.get().number() + ")";
        assertThat(prepared.events)
                .contains(
                        new PrepareEvent.Recovered(
                                VF0, what + " still runs, started by a process that was killed: it has 1 s to end"),
                        new PrepareEvent.Recovered(
                                VF0, what + " was killed, because it had not ended after another 1 s"));
        assertThat(note()).doesNotExist();
    }

    @Test
    void waitEndsWithTheProcessAndLeavesTheProgramAlone() throws Exception {
        leave("", Duration.ofSeconds(50));
        Preparation preparation = prepared.preparer.prepare(prepared.device(VF0), prepared.recipe("vf", TRUE));
        assertThat(preparation.await(Duration.ofMillis(300))).isFalse();

        prepared.preparer.close();

        assertThatThrownBy(() -> preparation.await(PATIENCE)).hasMessageContaining("edgeplug is stopping");
        assertThat(group.get().isAlive()).isTrue();
        assertThat(note()).exists();
    }

    @Test
    void functionIsNotResetWhileAProgramOfADeviceOfItRuns() throws Exception {
        leave("", Duration.ofSeconds(50));

        prepared.prepare(VF1, "reset = \"flr\"");
        Preparation reset = prepared.preparer.prepare(prepared.device(VF0), prepared.recipe("vf", "reset = \"flr\""));
        assertThat(reset.await(Duration.ofMillis(300))).isFalse();
        group.get().end();

        assertThat(reset.await(PATIENCE)).isTrue();
    }

    @Test
    void imageThatAProgramMayStillReadIsKept() throws Exception {
        leave("", Duration.ofSeconds(50));
        Path staged = prepared.node.root().resolve("lib/firmware/edgeplug-0b0d3c5e-8c8f-4c59-9e3a-6d1f6c1f2a77.bin");
        Files.createDirectories(staged.getParent());
        Files.createFile(staged);

        prepared.preparer.recover();
        assertThat(staged).exists();
        group.get().end();
        prepared.preparer.recover();

        assertThat(staged).doesNotExist();
    }

    @Test
    void anotherProcessWithTheNumberOfTheOldOneIsNeitherWaitedForNorKilled() throws Exception {
        leave("", Duration.ofSeconds(50));
        GroupIdentity real = group.get();
        for (GroupIdentity other : List.of(
                new GroupIdentity(real.number(), real.started() - 1, real.boot()),
                new GroupIdentity(real.number(), real.started(), Optional.of("of another boot")))) {
            commands.remember(program(List.of("/bin/sh"), Duration.ZERO), other, CLAIMS);
            prepared.prepare(VF0, TRUE);
        }

        assertThat(real.isAlive()).isTrue();
        assertThat(prepared.events).noneMatch(PrepareEvent.Recovered.class::isInstance);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\0\0\0",
                "group=\\uzzzz",
                "group=1\nstarted=0\ntimeout=0\nlock.0=alone device " + VF0,
                "group=-1\nstarted=0\ntimeout=0\nlock.0=alone device " + VF0,
                "group=4294967297\nstarted=0\ntimeout=0\nlock.0=alone device " + VF0,
                "group=2\nstarted=0\ntimeout=99999999\nlock.0=alone device " + VF0,
                "group=2\nstarted=0\ntimeout=1",
                "unit=sshd.service\ntimeout=1\nlock.0=alone device " + VF0,
                "unit=edgeplug-prepare-/etc.service\ntimeout=1\nlock.0=alone device " + VF0,
                "group=2\nstarted=0\ntimeout=1\nlock.0=device",
            })
    void noteThatIsNoneIsToldOnceAndIgnored(String text) throws Exception {
        Path planted = Files.createDirectories(notes()).resolve("x.command");
        Files.writeString(planted, text);

        prepared.prepare(VF0, TRUE);
        prepared.prepare(VF0, TRUE);

        assertThat(prepared.events)
                .filteredOn(PrepareEvent.Recovered.class::isInstance)
                .containsExactly(new PrepareEvent.Recovered(
                        "/run/edgeplug/command/x.command", "is not as edgeplug writes it, and is ignored"));
        assertThat(planted).exists();
    }

    @Test
    void programDoesNotBeginThatCannotBeNoted() throws Exception {
        Files.createDirectories(prepared.node.root().resolve("run/edgeplug"));
        Files.createFile(notes());
        Path done = directory.resolve("done");

        assertThatThrownBy(() -> prepared.prepare(VF0, "command = [\"/bin/touch\", \"" + done + "\"]"))
                .isInstanceOf(PrepareException.class)
                .hasMessageContaining("command");

        assertThat(done).doesNotExist();
    }
}
