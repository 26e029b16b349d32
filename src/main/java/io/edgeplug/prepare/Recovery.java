package io.edgeplug.prepare;

import io.edgeplug.device.PciAddress;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.scan.ChangeNote;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Puts back what processes that were killed had begun, and leaves alone what living ones are at. */
final class Recovery {

    private final Sysfs sysfs;
    private final ChangeNotes changeNotes;
    private final Exclusion exclusion;
    private final Steps steps;
    private final UsedDevices used;
    private final Consumer<PrepareEvent> told;

    /** Which wait for who may still be at them. */
    private final Set<PciAddress> waiting = ConcurrentHashMap.newKeySet();

    /** What could not be put back or deleted, and why: it is told once, however often it is tried. */
    private final Map<String, String> problems = new ConcurrentHashMap<>();

    Recovery(Sysfs sysfs, ChangeNotes changeNotes, Exclusion exclusion, Steps steps, Consumer<PrepareEvent> told) {
        this.sysfs = sysfs;
        this.changeNotes = changeNotes;
        this.exclusion = exclusion;
        this.steps = steps;
        this.used = new UsedDevices(sysfs);
        this.told = told;
    }

    /** Starts a thread for each function that has none yet, which the kernel may keep. */
    List<Thread> start() throws IOException {
        deleteAbandoned();
        List<Thread> recovering = new ArrayList<>();
        for (PciAddress address : changeNotes.functions()) {
            if (waiting.add(address)) {
                recovering.add(
                        Thread.ofPlatform().name("recover " + address).daemon().start(() -> recover(address)));
            }
        }
        return recovering;
    }

    /** Puts a function back if a process was killed in the middle; with the function's locks held. */
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
                                ? "put back as it was before a preparation that was killed"
                                : "is gone, and with it what a preparation that was killed had begun"));
            }
        } catch (IOException e) {
            throw new IOException(
                    "cannot be put back as it was before a preparation that was killed, which /"
                            + ChangeNote.file(address) + " tells: " + e.getMessage(),
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

    /** While others prepare anything, their files cannot be told from those of who was killed. */
    private void deleteAbandoned() throws IOException {
        List<Path> files = temporary();
        if (files.isEmpty()) {
            return;
        }
        try {
            Optional<Exclusion.Locks> all = exclusion.tryAll();
            if (all.isPresent()) {
                try (Exclusion.Locks locks = all.orElseThrow()) {
                    temporary().forEach(this::delete);
                }
            }
        } catch (IOException e) {
            tellUndeleted(files.getFirst(), String.valueOf(e.getMessage()));
        }
    }

    private List<Path> temporary() throws IOException {
        List<Path> files = new ArrayList<>(steps.temporary());
        files.addAll(used.unfinished());
        return files;
    }

    private void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (FileSystemException e) {
            tellUndeleted(
                    file, Optional.ofNullable(e.getReason()).orElse(e.getClass().getSimpleName()));
        } catch (IOException e) {
            tellUndeleted(file, String.valueOf(e.getMessage()));
        }
    }

    /** It takes room, and keeps nothing from being done. */
    private void tellUndeleted(Path file, String why) {
        tellOnce(file.toString(), "is left of a preparation that was killed, and cannot be deleted: " + why);
    }

    /** Waits for who may still be at it. */
    private void recover(PciAddress address) {
        try (Exclusion.Locks locks = exclusion.acquire(address)) {
            restore(address);
        } catch (IOException e) {
            tellOnce(address.toString(), String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            // the next process finds it as it is
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
