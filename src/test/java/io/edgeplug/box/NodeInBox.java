package io.edgeplug.box;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One node for all scenarios of a machine. Each gets it as it was saved, and leaves its journal in target/node when it
 * fails.
 */
final class NodeInBox implements ExecutionCondition, ParameterResolver, AfterTestExecutionCallback {

    /** This variable is set where a skipped test must fail. */
    static final String MUST = "EDGEPLUG_MUST";

    /** After this moment, in seconds since the epoch, no scenario begins. It names what it leaves out. */
    static final String BEGIN_UNTIL = "EDGEPLUG_BEGIN_UNTIL";

    /** The node with package and local kubelet. */
    static final String READY = "ready";

    private static final Path REPORTS = Path.of("target", "node");

    /** Nodes with the package of one run of Maven, whose JVMs share them. Two runs at a time would delete each other's. */
    private static final Path KEPT = REPORTS.resolve("kept");

    private static final String RUN = System.getProperty(
            "node.run",
            ProcessHandle.current().pid() + " since "
                    + ProcessHandle.current().info().startInstant());

    /**
     * A copy of the node with the package, closed after the last class of this JVM. If there is none, the reason, and no
     * new try.
     */
    private static final class Running implements AutoCloseable {
        private final Optional<Node> node;
        private final String problem;
        private boolean used;

        Running(Optional<Node> node, String problem) {
            this.node = node;
            this.problem = problem;
        }

        @Override
        public void close() throws IOException {
            if (node.isPresent()) {
                node.orElseThrow().close();
            }
        }
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Machine machine = machine(context);
        if (!machine.architecture().equals(Machine.wanted().architecture())) {
            return ConditionEvaluationResult.disabled("the board is of " + machine.architecture());
        }
        Optional<Instant> until = Optional.ofNullable(System.getenv(BEGIN_UNTIL))
                .map(Long::parseLong)
                .map(Instant::ofEpochSecond);
        if (until.filter(Instant.now()::isAfter).isPresent()) {
            return ConditionEvaluationResult.disabled(
                    "no time is left: " + BEGIN_UNTIL + " was " + until.orElseThrow());
        }
        Optional<String> missing = Box.missing(machine.architecture());
        if (missing.isPresent() && System.getenv(MUST) != null) {
            throw new IllegalStateException(missing.orElseThrow());
        }
        missing.ifPresent(reason -> System.err.println("SKIPPED " + context.getDisplayName() + ": " + reason));
        return missing.map(ConditionEvaluationResult::disabled)
                .orElseGet(() -> ConditionEvaluationResult.enabled("this machine can run the box"));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return List.of(Node.class, RealKubelets.class)
                .contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Running running = running(context);
        Node node = running.node.orElseThrow(() -> new IllegalStateException(running.problem));
        if (parameter.getParameter().getType().equals(RealKubelets.class)) {
            running.used = true;
            return new RealKubelets(node);
        }
        try {
            if (running.used) {
                node.reset(READY);
            }
            running.used = true;
            return node;
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("the node cannot be reset: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static Machine machine(ExtensionContext context) {
        // Scenarios of a whole cluster have no such annotation.
        return Optional.ofNullable(context.getRequiredTestClass().getAnnotation(NodeScenario.class))
                .filter(NodeScenario::board)
                .map(scenario -> Machine.ARM64_BOARD)
                .orElseGet(Machine::wanted);
    }

    private static Running running(ExtensionContext context) {
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.create(NodeInBox.class))
                .computeIfAbsent(machine(context), NodeInBox::installed, Running.class);
    }

    /** A node with the package that was built, its service started and known to the kubelet. */
    private static Running installed(Machine machine) {
        try {
            return new Running(Optional.of(Node.resume(machine, kept(machine), READY)), "");
        } catch (IOException | TimeoutException e) {
            return new Running(Optional.empty(), "there is no node: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Running(Optional.empty(), "interrupted");
        }
    }

    /** The directory of the installed node, which is made once in a run and waited for. Those of other runs are deleted. */
    private static Path kept(Machine machine) throws IOException, InterruptedException, TimeoutException {
        Files.createDirectories(KEPT);
        try (FileChannel lock =
                        FileChannel.open(REPORTS.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var locked = lock.lock()) {
            Path run = KEPT.resolve(RUN);
            Path kept = run.resolve(machine.name());
            Path failed = run.resolve(machine.name() + ".failed");
            if (Files.exists(failed)) {
                throw new IOException(Files.readString(failed));
            }
            if (!Files.exists(kept)) {
                clear(run);
                Path unfinished = Files.createDirectories(run.resolve("unfinished"));
                try {
                    install(machine, unfinished);
                } catch (IOException | TimeoutException e) {
                    Files.writeString(failed, String.valueOf(e.getMessage()));
                    throw e;
                }
                Files.move(unfinished, kept);
            }
            return kept;
        }
    }

    private static void install(Machine machine, Path kept) throws IOException, InterruptedException, TimeoutException {
        Node node = Node.boot(machine);
        try {
            System.err.println("the node is up; installing the package");
            node.install(deb(machine));
            System.err.println("the package is installed; starting its service");
            Installation.start(node, machine);
            node.save(READY);
        } catch (IOException | TimeoutException e) {
            report("installation", node);
            node.close();
            throw e;
        }
        node.keep(kept);
    }

    /** Deletes what an earlier run kept, and what this one has not finished. */
    private static void clear(Path run) throws IOException {
        try (Stream<Path> files = Files.walk(KEPT)) {
            Path unfinished = run.resolve("unfinished");
            for (Path file : files.sorted(Comparator.reverseOrder())
                    .filter(file -> !file.startsWith(run) || file.startsWith(unfinished))
                    .filter(file -> !file.equals(KEPT))
                    .toList()) {
                Files.delete(file);
            }
        }
    }

    private static Path deb(Machine machine) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            String end = "_" + machine.architecture() + ".deb";
            List<Path> debs =
                    files.filter(file -> file.toString().endsWith(end)).toList();
            if (debs.size() != 1) {
                throw new IOException("target has " + debs.size() + " packages to install, and not one");
            }
            return debs.getFirst();
        }
    }

    @Override
    public void afterTestExecution(ExtensionContext context) throws IOException, InterruptedException {
        Optional<Node> node = running(context).node;
        if (context.getExecutionException().isPresent() && node.isPresent()) {
            String name = context.getRequiredTestClass().getSimpleName() + "."
                    + context.getRequiredTestMethod().getName()
                    + context.getDisplayName().replaceAll("^[^\\[]+|[^A-Za-z0-9.]", "");
            report(name, node.orElseThrow());
        }
    }

    private static void report(String name, Node node) throws IOException, InterruptedException {
        Path report = Files.createDirectories(REPORTS).resolve(name + ".journal");
        try {
            Files.writeString(report, node.journal());
            System.err.println(name + " failed: the node's journal is in " + report);
        } catch (IOException | TimeoutException e) {
            System.err.println(name + " failed, and the node does not give its journal: " + e.getMessage());
        }
    }
}
