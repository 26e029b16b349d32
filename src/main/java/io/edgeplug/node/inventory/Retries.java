package io.edgeplug.node.inventory;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Trouble;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.system.files.FileWatch;
import io.edgeplug.system.udev.Uevent;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Lets devices be prepared again that have changed since their preparation failed. Thread-safe. */
record Retries(Custodian custodian, Publication publication) {

    /** For this long after a preparation, uevents of the device may come from the preparation itself. */
    private static final Duration ECHO = Duration.ofSeconds(2);

    /** A device that has changed may be prepared with success now. Never waits for a scan. */
    void uevent(Uevent uevent) {
        for (Custody one : unprepared()) {
            Place place = one.device().map(Place::of).orElseGet(() -> Place.ofId(one.id()));
            if (place.isNamedBy(uevent)) {
                // A preparation never removes a device. So if it was pulled, the next one at that place is another one.
                retry(one.id(), place.isPulledBy(uevent) ? Duration.ZERO : ECHO);
            }
        }
    }

    /** The same for files below these paths. */
    void files(Set<String> paths) {
        Set<String> failed = unprepared().stream().map(Custody::id).collect(Collectors.toSet());
        if (!failed.isEmpty()) {
            publication.newest().get().devices().stream()
                    .filter(device -> failed.contains(device.id())
                            && device instanceof PathDevice path
                            && path.files().stream().anyMatch(file -> FileWatch.concerns(paths, file.path())))
                    .forEach(device -> retry(device.id(), ECHO));
        }
    }

    /** The devices whose preparation has failed. */
    private List<Custody> unprepared() {
        return custodian.all().stream()
                .filter(one -> one.trouble()
                        .filter(trouble -> trouble.kind() == Trouble.Kind.PREPARATION)
                        .isPresent())
                .toList();
    }

    private void retry(String id, Duration atLeastAfter) {
        custodian.tell(id, new Event.Retried(atLeastAfter, System.nanoTime()));
    }
}
