package io.edgeplug.system.programs;

import io.edgeplug.system.files.ForeignText;
import io.edgeplug.system.flow.Condition;
import io.edgeplug.system.kernel.PlainText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A service that systemd makes for one run of a program; see systemd-run(1). It outlives the process that requested it.
 * Its name contains the device, and systemd makes no second unit with that name meanwhile.
 *
 * @param name such as {@code edgeplug-prepare-0000:3b:02.1.service}
 */
public record TransientUnit(String name) implements RunningProgram {

    static final Path SYSTEMD_RUN = Path.of("/usr/bin/systemd-run");

    private static final Path SYSTEMCTL = Path.of("/usr/bin/systemctl");
    private static final Path SYSTEMD = Path.of("/run/systemd/system");
    private static final Path BUS = Path.of("/run/dbus/system_bus_socket");

    private static final String PREFIX = "edgeplug-";
    private static final String SUFFIX = ".service";
    private static final Pattern NAME = Pattern.compile("edgeplug-(prepare|health)-[\\w:.\\\\-]{1,238}\\.service");

    /** See UNIT_NAME_MAX in systemd's unit-name.h. */
    private static final int MAX_NAME = 255;

    private static final int DIGEST_DIGITS = 12;
    private static final Set<String> ENDED = Set.of("inactive", "failed");
    private static final String STATE = "ActiveState=";
    private static final String GROUP = "ControlGroup=";
    private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

    /** The limit for a cgroup's file, in bytes. */
    private static final long MOST = 1 << 20;

    /** Many times what systemd needs for an answer, and more than it needs to kill a unit's processes. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** systemd reports an end only to connected clients, so it is asked again. */
    private static final Duration LOOK = Duration.ofMillis(200);

    public TransientUnit {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(name + " is no unit of ours");
        }
    }

    /** The unit for a program of that device. */
    static TransientUnit of(Program program) {
        String prefix = PREFIX + program.purpose().name().toLowerCase(Locale.ROOT) + "-";
        int room = MAX_NAME - prefix.length() - SUFFIX.length();
        String device = escape(program.device());
        String fitting = device.length() <= room
                ? device
                : device.substring(0, room - DIGEST_DIGITS - 1) + "-" + digest(program.device());
        return new TransientUnit(prefix + fitting + SUFFIX);
    }

    /** Escapes as systemd-escape(1) does. */
    private static String escape(String text) {
        StringBuilder escaped = new StringBuilder();
        for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
            char character = (char) (octet & 0xff);
            boolean isLeadingDot = character == '.' && escaped.isEmpty();
            if (character == '/') {
                escaped.append('-');
            } else if (String.valueOf(character).matches("[A-Za-z0-9:_.]") && !isLeadingDot) {
                escaped.append(character);
            } else {
                escaped.append("\\x%02x".formatted((int) character));
            }
        }
        return escaped.toString();
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, DIGEST_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static boolean isSystemdRunning() {
        return Files.isDirectory(SYSTEMD);
    }

    /** Why no unit can be made here; empty if one can. */
    static Optional<String> obstacle() {
        if (!isSystemdRunning()) {
            return Optional.of("systemd does not run here");
        }
        for (Path tool : List.of(SYSTEMD_RUN, SYSTEMCTL)) {
            if (!Files.isExecutable(tool)) {
                return Optional.of(tool + " is missing");
            }
        }
        // systemd-run needs the bus to wait for a unit's end.
        if (!Files.isWritable(BUS)) {
            return Optional.of("there is no D-Bus at " + BUS + ", install dbus");
        }
        return Files.isWritable(SYSTEMD) ? Optional.empty() : Optional.of("only root can make units");
    }

    @Override
    public boolean isAlive() throws IOException {
        return isAlive(systemctl("show", "--property=ActiveState,ControlGroup", name), CGROUPS);
    }

    /** Whether it is alive, by systemctl's output and its cgroup. */
    boolean isAlive(List<String> shown, Path cgroups) throws IOException {
        String state = shown(shown, STATE)
                .orElseThrow(() -> new Supervisor.UnansweredException(
                        "systemctl does not say whether " + name + " runs: " + String.join("; ", shown)));
        if (!ENDED.contains(state)) {
            return true;
        }
        // systemd also reports a unit as ended if SIGKILL has not ended its processes.
        String group = shown(shown, GROUP).orElse("");
        return group.startsWith("/") && hasProcesses(group, cgroups);
    }

    private static Optional<String> shown(List<String> lines, String property) {
        return lines.stream()
                .filter(line -> line.startsWith(property))
                .map(line -> line.substring(property.length()))
                .findFirst();
    }

    private boolean hasProcesses(String group, Path cgroups) throws IOException {
        // Some versions of systemctl escape the backslashes in the name, which is known anyway.
        String directory = group.substring(1, group.lastIndexOf('/') + 1) + name;
        return hasLine(cgroups.resolve(directory).resolve("cgroup.events"), "populated 1"::equals)
                || hasLine(
                        cgroups.resolve("unified").resolve(directory).resolve("cgroup.events"), "populated 1"::equals)
                // Version 1 has no such file.
                || hasLine(cgroups.resolve("systemd").resolve(directory).resolve("cgroup.procs"), pid -> true);
    }

    private static boolean hasLine(Path file, Predicate<String> wanted) throws IOException {
        try (BufferedReader lines = new BufferedReader(ForeignText.open(file, MOST))) {
            return lines.lines().anyMatch(wanted);
        } catch (IOException | UncheckedIOException e) {
            if (Files.notExists(file)) {
                // systemd removes an empty cgroup.
                return false;
            }
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Whether systemd still knows the name, so that no other unit can have it yet. */
    boolean isTaken() throws IOException {
        return !systemctl("show", "--property=LoadState", name).equals(List.of("LoadState=not-found"));
    }

    @Override
    public boolean awaitEnd(Duration timeout) throws IOException, InterruptedException {
        return Condition.await(() -> !isAlive(), timeout, LOOK);
    }

    /**
     * Waits until another unit can have the name. This can be later than the end, because systemd keeps an ended unit
     * until its next garbage collection.
     *
     * @return whether one can
     */
    boolean awaitFree(Duration timeout) throws IOException, InterruptedException {
        return Condition.await(() -> !isTaken(), timeout, LOOK);
    }

    @Override
    public boolean end() throws IOException, InterruptedException {
        systemctl("stop", name);
        return !isAlive();
    }

    /** Has systemd end it, without waiting. */
    void endSoon() throws IOException {
        systemctl("stop", "--no-block", name);
    }

    @Override
    public String text() {
        return "unit " + name;
    }

    /** Its output, which is short. An interrupt waits until it is complete. */
    private static List<String> systemctl(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(SYSTEMCTL.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().clear();
        Process process = builder.start();
        try {
            process.onExit().orTimeout(PATIENCE.toNanos(), TimeUnit.NANOSECONDS).join();
        } catch (CompletionException e) {
            process.destroyForcibly();
            throw new Supervisor.UnansweredException("systemctl does not answer");
        }
        return process.inputReader(StandardCharsets.UTF_8)
                .lines()
                .map(PlainText::of)
                .toList();
    }
}
