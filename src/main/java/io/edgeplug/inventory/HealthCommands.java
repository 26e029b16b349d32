package io.edgeplug.inventory;

import io.edgeplug.device.HealthRule;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Runs the programs by which classes judge their devices, a few at a time, and keeps what each said last.
 *
 * <p>A program says by its exit status whether the device is fit, and if not by its first line of output why. It gets the
 * device's ID in the place of {@code {id}} in its arguments. One that takes too long is killed with what it started.
 */
final class HealthCommands implements AutoCloseable {

    private static final int AT_A_TIME = 4;
    private static final int MAX_LINE = 200;
    private static final String ID = "{id}";

    private final Semaphore turns = new Semaphore(AT_A_TIME);
    private final Map<String, Result> results = new ConcurrentHashMap<>();
    private final Set<Process> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** What a program said last, and when it is to run again; far away while it runs. */
    private record Result(Optional<String> problem, long next) {}

    /** What the program found wrong with the device last; starts it if it is time. Never waits. */
    Optional<String> problem(String id, HealthRule rule, long now) {
        if (rule.command().isEmpty()) {
            return Optional.empty();
        }
        Result last = results.getOrDefault(id, new Result(Optional.empty(), now));
        if (last.next() - now <= 0) {
            results.put(id, new Result(last.problem(), now + TimeUnit.DAYS.toNanos(1)));
            Thread.ofVirtual().name("health " + id).start(() -> run(id, rule));
        }
        return last.problem();
    }

    /** Forgets what was said of all other devices. */
    void keep(Set<String> ids) {
        results.keySet().retainAll(ids);
    }

    private void run(String id, HealthRule rule) {
        turns.acquireUninterruptibly();
        try {
            Optional<String> problem = closed ? Optional.empty() : run(rule, id);
            long next = System.nanoTime() + rule.commandEvery().toNanos();
            results.computeIfPresent(id, (key, last) -> new Result(problem, next));
        } finally {
            turns.release();
        }
    }

    private Optional<String> run(HealthRule rule, String id) {
        String name = rule.command().getFirst();
        List<String> words =
                rule.command().stream().map(word -> word.replace(ID, id)).toList();
        try {
            Process process = new ProcessBuilder(words)
                    .redirectInput(Redirect.from(new File("/dev/null")))
                    .redirectErrorStream(true)
                    .start();
            running.add(process);
            try {
                return verdict(process, rule).map(problem -> name + ": " + problem);
            } finally {
                kill(process);
                running.remove(process);
            }
        } catch (IOException e) {
            return Optional.of(name + ": cannot run: " + e.getMessage());
        } catch (InterruptedException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> verdict(Process process, HealthRule rule) throws InterruptedException {
        CompletableFuture<String> line = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> read(process, line));
        if (!process.waitFor(rule.commandTimeout().toMillis(), TimeUnit.MILLISECONDS)) {
            return Optional.of("takes longer than " + rule.commandTimeout().toMillis() + " ms");
        }
        if (process.exitValue() == 0) {
            return Optional.empty();
        }
        // what it started may hold its output open, and say nothing
        String said = line.completeOnTimeout("", 1, TimeUnit.SECONDS).join();
        return Optional.of(said.isBlank() ? "exit " + process.exitValue() : said);
    }

    /** Reads all, since a program that nobody listens to would wait. */
    private static void read(Process process, CompletableFuture<String> line) {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            String first = Objects.requireNonNullElse(output.readLine(), "").strip();
            line.complete(first.substring(0, Math.min(MAX_LINE, first.length())));
            output.transferTo(Writer.nullWriter());
        } catch (IOException e) {
            line.complete("");
        }
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() {
        closed = true;
        running.forEach(HealthCommands::kill);
    }
}
