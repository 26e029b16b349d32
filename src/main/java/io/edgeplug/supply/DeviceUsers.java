package io.edgeplug.supply;

import io.edgeplug.device.Device;
import io.edgeplug.device.PrepareException;
import io.edgeplug.inventory.HeldAs;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.Journal;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.KubeletPods;
import io.edgeplug.pods.PodNames.Holder;
import io.edgeplug.prepare.UseNotes;
import io.edgeplug.prepare.UseNotes.Use;
import io.edgeplug.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * The pods that use devices or have used them last, for devices that must be scrubbed between two pods. They come from
 * the kubelet's notes, and from notes on disk that are made before containers start. A claim counts as a pod with its
 * own UID: it has its devices until its release, whichever pods use it. Thread-safe.
 */
final class DeviceUsers {

    private static final Logger LOG = Logger.getLogger(DeviceUsers.class.getName());

    private final Monitor monitor;
    private final UseNotes used;

    private volatile Optional<KubeletPods> pods = Optional.empty();
    private volatile List<DeviceClass> classes = List.of();
    private volatile List<Use> last = List.of();

    /** Whether this process is the node's one daemon, which looks after the notes of all kubelets' pods. */
    private volatile boolean isDaemon;

    /** By device, the last logged text, so that it is not logged again. */
    private final Map<String, String> told = new ConcurrentHashMap<>();

    DeviceUsers(Sysfs sysfs, Monitor monitor) {
        this.monitor = monitor;
        this.used = new UseNotes(sysfs);
    }

    /** Follows the pods of that kubelet and the devices of these classes from now on. */
    void use(KubeletPods kubelet, List<DeviceClass> newest) {
        pods = Optional.of(kubelet);
        classes = List.copyOf(newest);
    }

    /** Also follows devices that other kubelets' pods have used. */
    void useAsDaemon() {
        isDaemon = true;
    }

    /** The pods whose starts this process must note; empty unless it is the node's one daemon. */
    Optional<KubeletPods> ofDaemon() {
        return pods.filter(any -> isDaemon);
    }

    /** Whether any class needs the users of its devices. */
    boolean areTracked() {
        // A use whose note was deleted by hand is still in memory, and is forgotten at the next look.
        return classes.stream().anyMatch(DeviceClass::tracksUse)
                || !notes().isEmpty()
                || !monitor.used().isEmpty();
    }

    /** The devices that are not scrubbed yet. If they cannot be read, those of the last call. */
    List<Use> notes() {
        try {
            last = used.all();
        } catch (IOException e) {
            tellOnce("edgeplug", "not known which devices pods have used: " + e.getMessage());
        }
        return last.stream().filter(use -> isDaemon || isOurs(use)).toList();
    }

    /** The use of one device. */
    Optional<Use> find(Device device) {
        return used.find(device.id());
    }

    /** Whether this device is still not scrubbed. */
    boolean isNoted(Use use) {
        return used.find(use.device()).isPresent();
    }

    private boolean isOurs(Use use) {
        return pods.filter(kubelet -> use.kubeletDir().equals(normal(kubelet.kubeletDir())))
                .isPresent();
    }

    private static Path normal(Path directory) {
        return directory.toAbsolutePath().normalize();
    }

    /**
     * The holder of a device and the resource as which it is held. If it is held as several, that of the note counts.
     * While the kubelet's notes cannot be read, the last user of a device counts as its holder.
     *
     * @param held what pods hold; empty if that cannot be read
     */
    Function<Device, Optional<HeldAs>> holders(Optional<HeldDevices> held) {
        Map<String, Use> uses = notes().stream().collect(Collectors.toMap(Use::device, use -> use));
        return device -> {
            Optional<Use> use = Optional.ofNullable(uses.get(device.id()));
            return held.filter(known -> use.filter(this::isUnread).isEmpty())
                    .map(known -> holder(of(known, device), use.flatMap(Use::resource)))
                    .orElseGet(() -> use.filter(last -> !last.isReleased()).flatMap(DeviceUsers::lastHolder));
        };
    }

    /** The holders of a device, not of other parts of its function. */
    private static List<Holding> of(HeldDevices held, Device device) {
        return held.all(device).stream().filter(one -> one.isOf(device)).toList();
    }

    private static Optional<HeldAs> lastHolder(Use use) {
        return use.resource()
                .map(resource -> new HeldAs(
                        String.join(" ", use.pods()), resource, "a pod, unless that has ended meanwhile", false));
    }

    private Optional<HeldAs> holder(List<Holding> all, Optional<String> resource) {
        return all.stream()
                .filter(one -> resource.equals(Optional.of(one.resource())))
                .findFirst()
                .or(() -> all.stream().findFirst())
                .map(one -> new HeldAs(
                        one.pod(), one.resource(), name(one), one.claim().isPresent()));
    }

    private String name(Holding holding) {
        return pods.flatMap(kubelet -> kubelet.name(holding))
                .map(Holder::toString)
                .orElse("pod " + holding.pod() + " (" + holding.container() + ")");
    }

    /** The class as which the device was used; empty if there is none any more. */
    Optional<DeviceClass> classOf(Use use) {
        return classes.stream()
                .filter(one -> use.resource().equals(Optional.of(one.resource().toString())))
                .findFirst();
    }

    /** Why the steps for a device are not known, and what a person can do. */
    static String unknown(Use use) {
        return use.problem()
                        .map(problem -> "has a note of its last use that cannot be read: " + problem)
                        .orElseGet(() -> "was used as " + use.resource().orElse("")
                                + ", but no class has this resource any more")
                + "; run: edgeplug prepare --release " + use.device() + " --as RESOURCE";
    }

    /** Whether any pod may hold a device, or is about to get it. */
    boolean isHeld(Use use, Device device, HeldDevices held) {
        return !of(held, device).isEmpty()
                || monitor.holder(device.id()).isPresent()
                || isUnread(use)
                || !elsewhere(use, device).isEmpty();
    }

    /** Whether it was used by a claim whose devices are not known, so that the claim may still have it. */
    private boolean isUnread(Use use) {
        return use.pods().stream().anyMatch(this::isUnreadClaim);
    }

    private boolean isUnreadClaim(String user) {
        return pods.filter(kubelet -> kubelet.isUnreadClaim(user)).isPresent();
    }

    /** Whether processes of pods that have used it may still run. */
    boolean mayRun(Use use) {
        return !use.isReleased()
                && pods.filter(kubelet -> use.pods().stream().anyMatch(kubelet::mayRun))
                        .isPresent();
    }

    /** The UIDs of pods that hold a device by the kubelet's notes now, as any resource. */
    Set<String> holdersNow(Use use, Device device) throws IOException {
        Set<String> holders = uids(of(now(use.kubeletDir()), device));
        holders.addAll(elsewhere(use, device));
        use.pods().stream().filter(this::isUnreadClaim).forEach(holders::add);
        return holders;
    }

    /**
     * The pods of another kubelet whose processes may run: its notes stay when it is gone. If they cannot be read, all
     * users of the device.
     */
    private Set<String> elsewhere(Use use, Device device) {
        if (isOurs(use) || !Files.exists(use.kubeletDir().resolve(HeldDevices.FILE))) {
            return Set.of();
        }
        try {
            Set<String> holders = uids(of(HeldDevices.read(use.kubeletDir()), device));
            holders.removeIf(uid -> pods.filter(kubelet -> !kubelet.mayRun(uid)).isPresent());
            return holders;
        } catch (IOException e) {
            return use.pods();
        }
    }

    private HeldDevices now(Path kubeletDir) throws IOException {
        Optional<KubeletPods> followed = pods;
        return followed.isPresent() ? followed.orElseThrow().held() : HeldDevices.read(kubeletDir);
    }

    static Set<String> uids(List<Holding> holdings) {
        return holdings.stream().map(Holding::user).collect(Collectors.toCollection(HashSet::new));
    }

    /**
     * The pods that hold a device of that class, one of which starts now.
     *
     * @throws PrepareException if the kubelet does not report one, or the device is held as another of its faces
     */
    Set<String> starting(DeviceClass deviceClass, Device device, Path kubeletDir) throws PrepareException {
        String resource = deviceClass.resource().toString();
        HeldDevices held;
        try {
            held = now(kubeletDir);
        } catch (IOException e) {
            throw new PrepareException(device.id(), "it is not known which pod gets it: " + e.getMessage(), e);
        }
        List<Holding> all = of(held, device);
        Optional<HeldAs> other = monitor.holder(device.id())
                .filter(as -> !as.resource().equals(resource))
                .or(() -> holder(
                        all.stream()
                                .filter(one -> !one.resource().equals(resource))
                                .toList(),
                        Optional.empty()));
        if (deviceClass.isFace() && other.isPresent()) {
            throw new PrepareException(
                    device.id(),
                    "it is held as " + other.orElseThrow().resource() + " by "
                            + other.orElseThrow().name());
        }
        List<Holding> own =
                all.stream().filter(one -> one.resource().equals(resource)).toList();
        HeldAs holder = holder(own, Optional.empty())
                .orElseThrow(() -> new PrepareException(device.id(), "the kubelet has not noted which pod gets it"));
        // Without this, the holder would be unknown if the pod ended before the next look.
        monitor.noteHolder(deviceClass.resource(), device.id(), holder, held.written());
        return uids(own);
    }

    /**
     * Notes that these pods use a device from now on. Waits for the disk.
     *
     * @throws IOException if that cannot be noted; the message continues a sentence about the device
     */
    void note(Device device, DeviceClass deviceClass, Set<String> users, Path kubeletDir) throws IOException {
        String resource = deviceClass.resource().toString();
        try {
            used.note(
                    device,
                    resource,
                    users,
                    kubeletDir,
                    deviceClass.choices().restored(deviceClass.recipe().vf()));
        } catch (IOException e) {
            throw new IOException("cannot be noted as used: " + e.getMessage(), e);
        }
        monitor.noteUse(device.id(), Optional.of(resource), true, "was used by a pod, and is not scrubbed yet");
    }

    /** Logs a problem that a person must solve, once. */
    void tellOnce(String id, String text) {
        if (!text.equals(told.put(id, text))) {
            LOG.log(Level.WARNING, id + ": " + text, new Object[] {Journal.device(id)});
        }
    }

    void forgetTold(String id) {
        told.remove(id);
    }
}
