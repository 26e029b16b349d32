package io.edgeplug.supply;

import io.edgeplug.device.Device;
import io.edgeplug.device.PrepareException;
import io.edgeplug.flow.Deadline;
import io.edgeplug.prepare.Preparation;
import io.edgeplug.prepare.Preparer;
import io.edgeplug.prepare.UseNotes.Use;
import io.edgeplug.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

/**
 * Scrubs devices between two pods: never while the first may use them, and always before the second starts.
 *
 * <p>The steps are decided by the note of a device's last use, once no other process can change the device. So they run
 * only once, however many callers ask. Thread-safe.
 */
final class Scrubbing {

    private final Preparer preparer;
    private final DeviceUsers users;

    /** The pods whose containers wait for a device, with the number of waiting containers. */
    private final Map<Waiting, Integer> waiting = new ConcurrentHashMap<>();

    private record Waiting(String device, String pod) {}

    Scrubbing(Preparer preparer, DeviceUsers users) {
        this.preparer = preparer;
        this.users = users;
    }

    /** Begins the scrub of that class, or joins one that runs. */
    Preparation begin(Device device, DeviceClass deviceClass) {
        return preparer.scrub(device, deviceClass.release(), () -> check(device));
    }

    /** Lets other scrubs go on that may wait behind one that takes too long. */
    void passBy(Preparation late) {
        preparer.passBy(late);
    }

    /** A pod that got the device meanwhile has not started yet if its start waits for this scrub. */
    private void check(Device device) throws IOException {
        Optional<Use> found = users.find(device);
        if (found.isEmpty()) {
            return;
        }
        Use use = found.orElseThrow();
        Set<String> holders = users.holdersNow(use, device);
        if (!use.isReleased()) {
            for (String pod : use.pods()) {
                if (holders.remove(pod)) {
                    throw new IOException("is held by pod " + pod);
                }
            }
            if (users.mayRun(use)) {
                throw new IOException("is used by processes of a pod that have not ended yet");
            }
        }
        holders.removeIf(pod -> waiting.containsKey(new Waiting(device.id(), pod)));
        if (!holders.isEmpty()) {
            throw new IOException("is held by pod " + holders.iterator().next());
        }
        if (!use.isOf(device)) {
            throw new IOException("is not the device that a pod has used here");
        }
    }

    /**
     * Before a container starts: scrubs its devices that another pod has used, or waits for that.
     *
     * @param kubeletDir the directory of the kubelet that has noted the starting container
     * @return by device, the pods of which one starts
     * @throws PrepareException if one is not available, with a sentence that names it
     * @throws TimeoutException if that takes longer than the container's start waits
     */
    Map<Device, Set<String>> beforeStart(
            DeviceClass deviceClass, List<Device> devices, Path kubeletDir, Deadline deadline)
            throws PrepareException, TimeoutException, InterruptedException {
        Map<Device, Set<String>> pods = new LinkedHashMap<>();
        for (Device device : devices) {
            pods.put(device, users.starting(deviceClass, device, kubeletDir));
        }
        count(pods, 1);
        try {
            Map<Preparation, Use> begun = new LinkedHashMap<>();
            for (Map.Entry<Device, Set<String>> one : pods.entrySet()) {
                Optional<Use> before = users.find(one.getKey())
                        .filter(use -> !use.isBy(deviceClass.resource().toString(), one.getValue()));
                if (before.isPresent()) {
                    begun.put(begin(before.orElseThrow(), one.getKey()), before.orElseThrow());
                }
            }
            for (Map.Entry<Preparation, Use> one : begun.entrySet()) {
                await(one.getKey(), one.getValue(), deviceClass, deadline);
            }
        } finally {
            count(pods, -1);
        }
        return pods;
    }

    private void count(Map<Device, Set<String>> pods, int more) {
        pods.forEach((device, uids) -> uids.forEach(uid -> {
            Waiting one = new Waiting(device.id(), uid);
            int ignored = waiting.merge(one, more, Integer::sum);
            waiting.remove(one, 0);
        }));
    }

    /**
     * Notes that a container's pod uses a device from now on. Call it only while no other process can change the
     * device, because much may have happened during the wait.
     *
     * @param waited the pods of which one started when it asked for the device
     * @throws IOException if it belongs to another pod now
     */
    void noteStart(DeviceClass deviceClass, Device device, Path kubeletDir, Set<String> waited) throws IOException {
        Set<String> now;
        try {
            now = users.starting(deviceClass, device, kubeletDir);
        } catch (PrepareException e) {
            throw new IOException("is not available any more: " + e.problem(), e);
        }
        if (now.stream().noneMatch(waited::contains)) {
            throw new IOException("is another pod's now");
        }
        users.note(device, deviceClass, now, kubeletDir);
    }

    private Preparation begin(Use use, Device device) throws PrepareException {
        return begin(
                device,
                users.classOf(use)
                        .orElseThrow(() -> new PrepareException(device.id(), "it " + DeviceUsers.unknown(use))));
    }

    /** A scrub that already ran may have been refused because of the waiting pod. Then it is begun once more. */
    private void await(Preparation one, Use use, DeviceClass deviceClass, Deadline deadline)
            throws PrepareException, TimeoutException, InterruptedException {
        try {
            await(one, deviceClass, deadline);
        } catch (PrepareException e) {
            if (!one.isRefused()) {
                throw e;
            }
            await(begin(use, one.device()), deviceClass, deadline);
        }
    }

    private void await(Preparation one, DeviceClass deviceClass, Deadline deadline)
            throws PrepareException, TimeoutException, InterruptedException {
        if (!one.await(deadline.left())) {
            passBy(one);
            throw new TimeoutException(
                    "Device %s of %s is still being scrubbed after the pod that used it before: %s; that goes on, and the next try waits for it."
                            .formatted(one.device().id(), deviceClass.resource(), one.progress()));
        }
    }
}
