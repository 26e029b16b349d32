package io.edgeplug.cli.devices;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.prepare.UseNotes;
import io.edgeplug.node.prepare.UseNotes.Use;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A device that is no longer on the node, but was used by a pod and is not scrubbed since. */
public record GoneDevice(UseNotes used, Use use) {

    /**
     * The device with that ID, with or without the domain. Empty if no such device is noted, or if this user may not
     * read the notes.
     */
    public static Optional<GoneDevice> find(Sysfs sysfs, List<DeviceClass> classes, String name) throws IOException {
        UseNotes used = new UseNotes(sysfs);
        Optional<Use> use = used.all().stream()
                .filter(one -> ids(name).contains(one.device()))
                .findFirst();
        return use.isPresent()
                        && wouldBeSeen(use.orElseThrow(), classes)
                        && !isPresent(sysfs, classes, List.of(use.orElseThrow().device()))
                ? Optional.of(new GoneDevice(used, use.orElseThrow()))
                : Optional.empty();
    }

    /** Files are only scanned if a class names them. */
    private static boolean wouldBeSeen(Use use, List<DeviceClass> classes) {
        return PciAddress.parse(use.device()).isPresent()
                || classes.stream()
                        .anyMatch(one ->
                                use.resource().equals(Optional.of(one.resource().toString())));
    }

    /**
     * The same.
     *
     * @throws IOException if there is none, with what a person can do instead
     */
    public static GoneDevice named(Sysfs sysfs, List<DeviceClass> classes, String name) throws IOException {
        Optional<GoneDevice> gone = find(sysfs, classes, name);
        if (gone.isEmpty() && isPresent(sysfs, classes, ids(name))) {
            throw new IOException(name
                    + ": is on this node; to scrub it and offer it again, run: edgeplug prepare --release " + name);
        }
        return gone.orElseThrow(() -> new IOException(name
                + ": there is no note that a pod has used such a device, or its resource has no class any more, by "
                + "which to see whether it is gone; only root sees these notes"));
    }

    private static List<String> ids(String name) {
        return List.of(name, "0000:" + name.toLowerCase(Locale.ROOT));
    }

    private static boolean isPresent(Sysfs sysfs, List<DeviceClass> classes, List<String> ids) throws IOException {
        return ScannedNode.of(sysfs, classes).devices().stream()
                .anyMatch(one -> ids.contains(one.device().id()));
    }

    public String id() {
        return use.device();
    }

    /** What a person can do. The text continues a sentence about its ID. */
    public String text() {
        return "is not on this node any more; %s, and it must be scrubbed once it is back; if it was removed for good, run: edgeplug prepare --forget %s"
                .formatted(lastUse(), id());
    }

    /** The resource as which it was used. */
    public String lastUse() {
        return use.resource()
                .map(resource -> "a pod has used it as " + resource)
                .orElse("a pod has used it");
    }

    /** Deletes the note that it was used. */
    public void forget() throws IOException {
        try {
            used.forget(id());
        } catch (AccessDeniedException e) {
            throw new IOException(id() + ": the note of its use cannot be removed: Permission denied", e);
        }
    }
}
