package io.edgeplug.cli;

import io.edgeplug.linux.Sysfs;
import io.edgeplug.prepare.UsedDevices;
import io.edgeplug.prepare.UsedDevices.Use;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A device that is not on the node any more, although a pod has used it and it was not scrubbed since. */
final class GoneDevice {

    private final UsedDevices used;
    private final Use use;

    private GoneDevice(UsedDevices used, Use use) {
        this.used = used;
        this.use = use;
    }

    /**
     * The one that a person means, by its ID with or without the domain; empty if no such device is noted, or if the notes are not
     * for this user to see.
     */
    static Optional<GoneDevice> find(Sysfs sysfs, String name) throws IOException {
        UsedDevices used = new UsedDevices(sysfs);
        Optional<Use> use = used.all().stream()
                .filter(one -> ids(name).contains(one.device()))
                .findFirst();
        return use.isPresent() && !isPresent(sysfs, List.of(use.orElseThrow().device()))
                ? Optional.of(new GoneDevice(used, use.orElseThrow()))
                : Optional.empty();
    }

    /**
     * The same.
     *
     * @throws IOException if there is none, with what a person can do instead
     */
    static GoneDevice named(Sysfs sysfs, String name) throws IOException {
        Optional<GoneDevice> gone = find(sysfs, name);
        if (gone.isEmpty() && isPresent(sysfs, ids(name))) {
            throw new IOException(name
                    + ": is on this node; to scrub it and offer it again, run: edgeplug prepare --release " + name);
        }
        return gone.orElseThrow(() -> new IOException(
                name + ": there is no note that a pod has used such a device; only root sees these notes"));
    }

    private static List<String> ids(String name) {
        return List.of(name, "0000:" + name.toLowerCase(Locale.ROOT));
    }

    private static boolean isPresent(Sysfs sysfs, List<String> ids) throws IOException {
        return ScannedNode.of(sysfs, List.of()).devices().stream()
                .anyMatch(one -> ids.contains(one.device().id()));
    }

    String id() {
        return use.device();
    }

    /** What a person can do about it; the text goes on after its ID. */
    String text() {
        return "is not on this node any more; %s, and it is to be scrubbed once it is back; if it is gone for good, run: edgeplug prepare --forget %s"
                .formatted(lastUse(), id());
    }

    /** As what it was used. */
    String lastUse() {
        return use.resource()
                .map(resource -> "a pod has used it as " + resource)
                .orElse("a pod has used it");
    }

    /** Removes the note that it was used. */
    void forget() throws IOException {
        try {
            used.forget(id());
        } catch (AccessDeniedException e) {
            throw new IOException(id() + ": the note of its use cannot be removed: Permission denied", e);
        }
    }
}
