package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Event;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.pods.EndedPods;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.node.pods.KubeletPods;
import io.edgeplug.node.prepare.PreparedStarts;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.kernel.PlainText;
import io.edgeplug.system.systemd.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds containers that started without having their devices prepared. Until the plugin has registered, a restarted
 * kubelet does not know that it must ask for that (callPreStartContainerIfNeeded in devicemanager/manager.go). One
 * thread.
 *
 * <p>Each time the kubelet starts a container, it makes a file for its termination message in
 * {@code pods/UID/containers/NAME} (makeMounts in kuberuntime_container.go), just after it has had the devices
 * prepared. So the time of that directory is the time of the start. A device was not prepared if that time is later
 * than the kubelet's socket and there is no later preparation.
 */
public final class UnpreparedStarts {

    private static final Logger LOG = Logger.getLogger(UnpreparedStarts.class.getName());

    /** A container that the kubelet began to start before it knew the plugin has its file within this time. */
    private static final Duration WATCHED = Duration.ofSeconds(60);

    private static final int MAX_NAMED = 20;

    private final Path kubeletSocket;
    private final Path kubeletDir;
    private final Path pods;
    private final Monitor monitor;
    private final PreparedStarts starts;

    private @Nullable Set<ResourceName> followed;
    private @Nullable FileTime kubelet;
    private Deadline settled = Deadline.in(WATCHED);

    /** By ID, the marked devices and their holders. */
    private Map<String, Holding> marked = Map.of();

    private @Nullable FileTime toldOf;

    /**
     * Looks for containers of the kubelet with these directories.
     *
     * @param kubeletDir for device plugins, in which it notes the holders of devices
     * @param pods in which it has a directory for each pod
     */
    public UnpreparedStarts(Path kubeletDir, Path pods, Monitor monitor, PreparedStarts starts) {
        this.kubeletSocket = kubeletDir.resolve("kubelet.sock");
        this.kubeletDir = kubeletDir;
        this.pods = pods;
        this.monitor = monitor;
        this.starts = starts;
    }

    /**
     * Marks the devices of such containers as unhealthy, each until it is prepared or its pod is gone.
     *
     * @param registered whether the kubelet knows now that it must have devices prepared
     * @param held what pods have that have not ended; null if that is not known
     * @return whether to look again soon
     */
    public boolean look(List<DeviceClass> classes, boolean registered, @Nullable HeldDevices held) {
        List<DeviceClass> prepared =
                classes.stream().filter(DeviceClass::preparesStarts).toList();
        try {
            follow(prepared);
            FileTime now = time(kubeletSocket).orElse(null);
            if (prepared.isEmpty() && marked.isEmpty()) {
                return false;
            }
            if (now == null) {
                return !marked.isEmpty();
            }
            if (!now.equals(kubelet) || !registered) {
                settled = Deadline.in(WATCHED);
            }
            kubelet = now;
            if (settled.isOver() && marked.isEmpty()) {
                return false;
            }
            if (held != null) {
                look(prepared, now, held);
            }
        } catch (IOException e) {
            LOG.fine(() -> "not known which containers started unprepared: " + e.getMessage());
        }
        return true;
    }

    /** Without classes that prepare devices, nothing is noted. So a daemon that is tried out needs no root. */
    private void follow(List<DeviceClass> prepared) throws IOException {
        Set<ResourceName> resources =
                prepared.stream().map(DeviceClass::resource).collect(Collectors.toSet());
        if (!resources.equals(followed)) {
            starts.follow(kubeletDir, resources);
            followed = resources;
        }
    }

    private void look(List<DeviceClass> classes, FileTime kubeletStarted, HeldDevices held) throws IOException {
        boolean isTold = Files.isDirectory(pods);
        Map<String, Holding> found = new HashMap<>();
        for (DeviceClass one : classes) {
            Optional<FileTime> noted = starts.since(kubeletDir, one.resource());
            if (noted.isEmpty()) {
                continue;
            }
            FileTime since = later(noted.orElseThrow(), kubeletStarted);
            List<String> unknown = new ArrayList<>();
            for (Device device : monitor.current().devices(one.resource())) {
                List<Holding> holders = held.all(one.resource(), device);
                if (holders.isEmpty() || isPreparedSince(device, since)) {
                    continue;
                }
                if (isTold) {
                    unprepared(holders, since).ifPresent(holder -> {
                        found.put(device.id(), holder);
                        if (!holder.equals(marked.get(device.id()))) {
                            tell(one.resource(), device, holder);
                        }
                        mark(device.id(), problem(holder), holder.user());
                    });
                } else if (since.equals(kubeletStarted)) {
                    unknown.add(device.id());
                }
            }
            tellUnknown(one, unknown, kubeletStarted);
        }
        marked.keySet().stream().filter(id -> !found.containsKey(id)).forEach(id -> mark(id, null, ""));
        marked = Map.copyOf(found);
        toldOf = kubeletStarted;
    }

    private boolean isPreparedSince(Device device, FileTime since) throws IOException {
        return starts.last(device).filter(last -> last.compareTo(since) >= 0).isPresent();
    }

    /** The holder that started last, if it started after that time. */
    private Optional<Holding> unprepared(List<Holding> holders, FileTime since) {
        Optional<Holding> found = Optional.empty();
        FileTime latest = since;
        for (Holding holder : holders) {
            Optional<FileTime> started = started(pods, holder);
            if (started.isPresent() && started.orElseThrow().compareTo(latest) > 0) {
                latest = started.orElseThrow();
                found = Optional.of(holder);
            }
        }
        return found;
    }

    /** Whether a container has ever started with its devices. For a claim, whether one may have. */
    static boolean hasStarted(KubeletPods kubelet, Holding holder) {
        return holder.claim()
                .map(uid -> kubelet.claims().wasPrepared(uid))
                .orElseGet(() -> started(kubelet.directories(), holder).isPresent());
    }

    /** The same where a doubt counts. Without the kubelet's directories, nothing says that it has not started. */
    static boolean mayHaveStarted(KubeletPods kubelet, Holding holding) {
        return hasStarted(kubelet, holding) || (holding.claim().isEmpty() && !Files.isDirectory(kubelet.directories()));
    }

    /** When the container was last started; empty if it never was, or its pod is gone. */
    static Optional<FileTime> started(Path pods, Holding holder) {
        if (!EndedPods.isName(holder.pod()) || !EndedPods.isName(holder.container())) {
            return Optional.empty();
        }
        return time(pods.resolve(holder.pod()).resolve("containers").resolve(holder.container()));
    }

    private static Optional<FileTime> time(Path path) {
        try {
            return Optional.of(Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static FileTime later(FileTime one, FileTime other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Short, because the text of a health is cut. */
    private static String problem(Holding holder) {
        return "was not prepared for container %s of pod %s, started before edgeplug was registered"
                .formatted(holder.container(), holder.pod());
    }

    private static void tell(ResourceName resource, Device device, Holding holder) {
        LOG.log(
                Level.WARNING,
                ("%s: was not prepared before container %s of pod %s started, because the restarted kubelet did not know "
                                + "edgeplug yet; delete the pod to have its next container start with a prepared device")
                        .formatted(device.id(), holder.container(), holder.pod()),
                new Object[] {Journal.device(device.id()), Journal.resource(resource)});
    }

    /** Logs once for each restart of the kubelet. */
    private void tellUnknown(DeviceClass deviceClass, List<String> ids, FileTime kubeletStarted) {
        if (ids.isEmpty() || kubeletStarted.equals(toldOf)) {
            return;
        }
        LOG.log(
                Level.WARNING,
                "%s: containers that started while the kubelet was restarted may have unprepared devices, and there is no %s to tell: %s"
                        .formatted(deviceClass.resource(), pods, PlainText.some(ids, MAX_NAMED)),
                Journal.resource(deviceClass.resource()));
    }

    private void mark(String id, @Nullable String problem, String user) {
        monitor.custodian().tell(id, new Event.Unprepared(Optional.ofNullable(problem), user, System.nanoTime()));
    }

    /** Removes all marks, because nobody checks them any more. */
    void close() {
        marked.keySet().forEach(id -> mark(id, null, ""));
        marked = Map.of();
    }
}
