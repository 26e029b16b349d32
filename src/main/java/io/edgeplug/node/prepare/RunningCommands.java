package io.edgeplug.node.prepare;

import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.programs.GroupIdentity;
import io.edgeplug.system.programs.Program;
import io.edgeplug.system.programs.RunningProgram;
import io.edgeplug.system.programs.TransientUnit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The programs of recipes, noted while they run. A program goes on when its process is killed, but the kernel releases
 * the locks of that process.
 *
 * <p>The next process waits for such a program as long as the killed process would have, and then ends it as well. A
 * tool that is ended early while it writes a card's flash memory may leave a card that does not start any more.
 */
final class RunningCommands {

    private static final String PROGRAM = "program";
    private static final String UNIT = "unit";
    private static final String GROUP = "group";
    private static final String STARTED = "started";
    private static final String BOOT = "boot";
    private static final String TIMEOUT = "timeout";
    private static final String LOCK = "lock.";

    /** The most that a class may allow. */
    private static final long MAX_SECONDS = 3600;

    private final Notes notes;
    private final Consumer<PrepareEvent> told;

    /** Files that are not notes of edgeplug; each is reported once. */
    private final Set<String> problems = ConcurrentHashMap.newKeySet();

    RunningCommands(Sysfs sysfs, Consumer<PrepareEvent> told) {
        this.notes = new Notes(sysfs, "run/edgeplug/command", ".command");
        this.told = told;
    }

    /** A program that runs, or ran when it was noted. */
    private record Command(
            String device, String program, RunningProgram running, Duration timeout, List<Exclusion.Claim> claims) {

        boolean conflictsWith(List<Exclusion.Claim> others) {
            return claims.stream().anyMatch(claim -> others.stream().anyMatch(claim::excludes));
        }
    }

    /** Notes a program that is about to begin, with the locks that it needs while it runs. */
    void remember(Program program, RunningProgram running, List<Exclusion.Claim> claims) throws IOException {
        Properties note = new Properties();
        note.setProperty(PROGRAM, program.argv().getFirst());
        switch (running) {
            case TransientUnit unit -> note.setProperty(UNIT, unit.name());
            case GroupIdentity group -> {
                note.setProperty(GROUP, String.valueOf(group.number()));
                note.setProperty(STARTED, String.valueOf(group.started()));
                group.boot().ifPresent(boot -> note.setProperty(BOOT, boot));
            }
        }
        note.setProperty(TIMEOUT, String.valueOf(program.deadline().toSeconds()));
        for (int i = 0; i < claims.size(); i++) {
            note.setProperty(LOCK + i, claims.get(i).text());
        }
        notes.write(program.device(), note);
    }

    /** Forgets the program of a device after its end. */
    void forget(Program program) throws IOException {
        notes.delete(program.device());
    }

    /** Whether any program runs, of whichever process. */
    boolean anyRuns() throws IOException {
        for (Command command : all()) {
            if (command.running().isAlive()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Waits for the programs that killed processes have left, and ends those that take too long. The caller must have
     * these locks: then the process that noted a conflicting program is gone.
     *
     * @throws IOException if one cannot be ended
     */
    void awaitLeft(List<Exclusion.Claim> taken) throws IOException, InterruptedException {
        for (Command command : all()) {
            if (command.conflictsWith(taken)) {
                awaitEnd(command);
                notes.delete(command.device());
            }
        }
    }

    private void awaitEnd(Command command) throws IOException, InterruptedException {
        RunningProgram running = command.running();
        if (!running.isAlive()) {
            return;
        }
        String what = command.program() + " (" + running.text() + ")";
        long seconds = command.timeout().toSeconds();
        tell(command, what + " still runs, started by a process that was killed: it has " + seconds + " s to end");
        if (running.awaitEnd(command.timeout())) {
            return;
        }
        if (!running.end()) {
            throw new IOException(what + " of " + command.device()
                    + " still runs, started by a process that was killed, and cannot be ended");
        }
        tell(command, what + " was killed, because it had not ended after another " + seconds + " s");
    }

    private void tell(Command command, String text) {
        told.accept(new PrepareEvent.Recovered(command.device(), text));
    }

    private List<Command> all() throws IOException {
        List<Command> all = new ArrayList<>();
        for (String device : notes.names()) {
            read(device).ifPresent(all::add);
        }
        return all;
    }

    /** A damaged note cannot lead to a program. It is left for a person to look at. */
    private Optional<Command> read(String device) {
        try {
            return notes.read(device).map(note -> command(device, note));
        } catch (IllegalArgumentException | IOException e) {
            String file = notes.place(device);
            if (problems.add(file)) {
                told.accept(new PrepareEvent.Recovered(file, "is not as edgeplug writes it, and is ignored"));
            }
            return Optional.empty();
        }
    }

    private static Command command(String device, Properties note) {
        long seconds = Long.parseLong(note.getProperty(TIMEOUT, ""));
        List<Exclusion.Claim> claims = new ArrayList<>();
        for (int i = 0; note.containsKey(LOCK + i); i++) {
            claims.add(Exclusion.Claim.parse(note.getProperty(LOCK + i, "")));
        }
        if (seconds < 0 || seconds > MAX_SECONDS || claims.isEmpty()) {
            throw new IllegalArgumentException(device);
        }
        return new Command(
                device, note.getProperty(PROGRAM, "a program"), running(note), Duration.ofSeconds(seconds), claims);
    }

    private static RunningProgram running(Properties note) {
        String unit = note.getProperty(UNIT);
        return unit != null
                ? new TransientUnit(unit)
                : new GroupIdentity(
                        Long.parseLong(note.getProperty(GROUP, "")),
                        Long.parseLong(note.getProperty(STARTED, "")),
                        Optional.ofNullable(note.getProperty(BOOT)));
    }
}
