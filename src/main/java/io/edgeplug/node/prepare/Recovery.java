package io.edgeplug.node.prepare;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.node.scan.ChangeNote;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Restores what killed processes have left half changed. Work of living processes is left alone. */
final class Recovery {

    /** More than a process changes at a time. The rest has its turn when this is called again. */
    private static final int AT_ONCE = 64;

    private final Sysfs sysfs;
    private final ChangeNotes changeNotes;
    private final Exclusion exclusion;
    private final Steps steps;
    private final Consumer<PrepareEvent> told;

    /** Functions that wait for a process that may still change them. */
    private final Set<PciAddress> waiting = ConcurrentHashMap.newKeySet();

    /**
     * Functions and files that could not be restored or deleted, with the reason. Each is reported once, however often
     * it is tried.
     */
    private final Map<String, String> problems = new ConcurrentHashMap<>();

    Recovery(Sysfs sysfs, ChangeNotes changeNotes, Exclusion exclusion, Steps steps, Consumer<PrepareEvent> told) {
        this.sysfs = sysfs;
        this.changeNotes = changeNotes;
        this.exclusion = exclusion;
        this.steps = steps;
        this.told = told;
    }

    /** Starts threads for functions that have none yet. The kernel may block these threads. */
    List<Thread> start() throws IOException {
        deleteAbandoned();
        List<Thread> recovering = new ArrayList<>();
        List<PciAddress> functions = new ArrayList<>(changeNotes.functions());
        // One that cannot be restored keeps no other from its turn.
        functions.sort(Comparator.comparing(one -> problems.containsKey(one.toString())));
        for (PciAddress address : functions) {
            if (waiting.size() < AT_ONCE && waiting.add(address)) {
                recovering.add(
                        Thread.ofPlatform().name("recover " + address).daemon().start(() -> recover(address)));
            }
        }
        return recovering;
    }

    /** Restores a function if a process was killed in the middle. The caller has the function's locks. */
    void restore(PciAddress address) throws IOException {
        try {
            Optional<FunctionSettings> before = changeNotes.settingsBefore(address);
            if (before.isPresent()) {
                PciBinding binding = new PciBinding(sysfs, address);
                boolean isThere = sysfs.exists(binding.directory());
                if (isThere) {
                    restore(binding, before.orElseThrow());
                }
                changeNotes.forget(address);
                problems.remove(address.toString());
                told.accept(new PrepareEvent.Recovered(
                        address.toString(),
                        isThere
                                ? "restored to its state before a killed preparation"
                                : "is gone, so nothing is left of a killed preparation"));
            }
        } catch (IOException e) {
            throw new IOException(
                    "cannot be restored to its state before a killed preparation, which is noted in /"
                            + ChangeNote.file(address) + ": " + e.getMessage(),
                    e);
        }
    }

    private void restore(PciBinding binding, FunctionSettings before) throws IOException {
        try {
            before.restore(binding);
        } catch (IOException e) {
            changeNotes.leave(binding.address(), before, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    /** While others prepare anything, their files cannot be told from those of killed processes. */
    private void deleteAbandoned() throws IOException {
        List<Path> files = steps.temporary();
        if (files.isEmpty()) {
            return;
        }
        try {
            Optional<Exclusion.Locks> all = exclusion.tryAll();
            if (all.isPresent()) {
                try (Exclusion.Locks locks = all.orElseThrow()) {
                    steps.temporary().forEach(this::delete);
                }
            }
        } catch (IOException e) {
            tellUndeleted(files.getFirst(), String.valueOf(e.getMessage()));
        }
    }

    private void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            tellUndeleted(file, KernelReason.words(e));
        }
    }

    /** The file takes room, but prevents nothing. */
    private void tellUndeleted(Path file, String why) {
        tellOnce(file.toString(), "is left from a killed preparation, and cannot be deleted: " + why);
    }

    /** Waits for a process that may still change the function. */
    private void recover(PciAddress address) {
        try (Exclusion.Locks locks = exclusion.acquire(address)) {
            restore(address);
        } catch (IOException e) {
            tellOnce(address.toString(), String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            // The next process finds the function in this state.
            return;
        } finally {
            waiting.remove(address);
        }
    }

    private void tellOnce(String what, String problem) {
        if (!problem.equals(problems.put(what, problem))) {
            told.accept(new PrepareEvent.Recovered(what, problem));
        }
    }
}
