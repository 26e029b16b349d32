package io.edgeplug.node.pods;

import com.google.gson.stream.MalformedJsonException;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.Shares;
import io.edgeplug.model.rules.Sharing;
import io.edgeplug.system.files.ForeignFile;
import io.edgeplug.system.files.ForeignJson;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The devices that containers hold, of any plugin, as the kubelet notes them in its checkpoint; see
 * pkg/kubelet/cm/devicemanager/checkpoint in Kubernetes.
 *
 * <p>A device is noted before its container starts. After its pod has ended, it stays noted until the kubelet gives
 * devices to another pod. So a device that is not noted is free, and a device that is noted may be held. The checksum
 * is not checked: it differs between versions, and the kubelet replaces the file in one step. Most of the file is
 * answers of plugins, of any size, so it is never in memory as a whole. Every plugin on the node can write to the
 * file's directory, so the file is not trusted.
 */
public final class HeldDevices {

    public static final String FILE = "kubelet_internal_checkpoint";

    /** The file in which a kubelet notes claims, from its first start on. */
    static final String CLAIMS = "dra_manager_state";

    /** A hundred times the checkpoint of a node with 110 pods. */
    static final long MAX_BYTES = 64L << 20;

    /** Ten times the longest name of Kubernetes. An ID of another plugin may have any length. */
    private static final int MAX_WORD = 4096;

    /** An ID may be noted twice: for a pod that has ended, and for the next one. */
    private static final int MAX_OURS = 2 * Sharing.MAX_LISTED;

    /** If several threads read at a time, they must not need the memory at the same time. */
    private static final Lock READING = new ReentrantLock();

    private final Map<String, List<Holding>> byId = new HashMap<>();

    /** Those of functions and of their parts. */
    private final Map<PciAddress, List<Holding>> byFunction = new HashMap<>();

    /** The resources of which the kubelet has healthy devices. */
    private final Set<String> offered = new HashSet<>();

    private final Instant written;

    private HeldDevices(Instant written) {
        this.written = written;
    }

    /**
     * A container, by its pod's UID, and an ID that it was given.
     *
     * @param claim the UID of the claim by which its pod has the device; empty for the device plugin
     */
    public record Holding(String pod, String container, String resource, String id, Optional<String> claim) {

        /** A holding of the device plugin. */
        public Holding(String pod, String container, String resource, String id) {
            this(pod, container, resource, id, Optional.empty());
        }

        /**
         * The UID that has the device until its release: that of a claim, which several pods may use in turn, or that
         * of a pod.
         */
        public String user() {
            return claim.orElse(pod);
        }

        /**
         * Whether this is the device, a share or a part of it, or the device of which it is a part. Another part does
         * not count. The device may be gone, so this asks for its ID.
         */
        public boolean isOf(String device) {
            String whole = Shares.whole(id);
            return whole.equals(device) || whole.startsWith(device + "-") || device.startsWith(whole + "-");
        }
    }

    /**
     * Reads the checkpoint in the kubelet's directory for device plugins.
     *
     * @throws IOException if it cannot be read; the message says why
     */
    public static HeldDevices read(Path kubeletDir) throws IOException {
        Path file = kubeletDir.resolve(FILE);
        READING.lock();
        try {
            return readNear(ForeignFile.near(file));
        } catch (NoSuchFileException e) {
            throw new IOException(file + ": no such file", e);
        } catch (MalformedJsonException | EOFException | IllegalStateException | NumberFormatException e) {
            throw new IOException(file + ": is not as a kubelet writes it", e);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        } finally {
            READING.unlock();
        }
    }

    /** Whether that kubelet, or a container, has devices of a resource from a plugin; false if that is not known. */
    public static boolean isKnown(Path kubeletDir, ResourceName resource) {
        try {
            HeldDevices held = read(kubeletDir);
            return held.offered.contains(resource.toString())
                    || held.all(resource.toString()::equals).findAny().isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * The same. A kubelet makes its checkpoint with the first device plugin, so there is none if all devices are
     * claimed.
     *
     * @param root the kubelet's root directory
     */
    static HeldDevices read(Path kubeletDir, Path root) throws IOException {
        try {
            return read(kubeletDir);
        } catch (IOException e) {
            if (e.getCause() instanceof NoSuchFileException
                    && Files.exists(root.resolve(CLAIMS), LinkOption.NOFOLLOW_LINKS)) {
                return nothing();
            }
            throw e;
        }
    }

    private static HeldDevices readNear(Path file) throws IOException {
        // The time is read first, so that it is not later than the content.
        Instant written = Files.getLastModifiedTime(file).toInstant();
        try (ForeignJson json = ForeignJson.open(file, MAX_BYTES, MAX_WORD)) {
            HeldDevices held = new HeldDevices(written);
            new CheckpointReader(json, held::add, held.offered).read();
            return held;
        }
    }

    /** When the kubelet wrote this, or an earlier time. */
    public Instant written() {
        return written;
    }

    /** The holdings of a kubelet without pods. */
    static HeldDevices nothing() {
        return new HeldDevices(Instant.EPOCH);
    }

    /**
     * All holders of a device, or of a part or a share of it. For a part that nobody holds, the holders of its
     * function.
     */
    public List<Holding> all(Device device) {
        List<Holding> own = byId.getOrDefault(device.id(), List.of());
        if (own.isEmpty() && device instanceof PciDevice pci) {
            // Changes to a function also affect its parts.
            return ofFunction(pci.function().address());
        }
        return own;
    }

    public Stream<Holding> all(Predicate<String> resources) {
        return byId.values().stream().flatMap(List::stream).filter(holding -> resources.test(holding.resource()));
    }

    /**
     * Those that are edgeplug's.
     *
     * @throws IOException if there are more than a node can have
     */
    public List<Holding> few(Predicate<Holding> wanted) throws IOException {
        List<Holding> found =
                all(any -> true).filter(wanted).limit(MAX_OURS + 1L).toList();
        if (found.size() > MAX_OURS) {
            throw new IOException(
                    "more than " + MAX_OURS + " devices and shares of edgeplug are noted as given to pods");
        }
        return found;
    }

    /** The same with holdings of others that are not in the checkpoint. */
    HeldDevices with(List<Holding> others) {
        others.forEach(this::add);
        return this;
    }

    /** Removes the holdings of some pods. */
    void forget(Set<String> pods) {
        for (Map<?, List<Holding>> held : List.of(byId, byFunction)) {
            held.replaceAll((key, holders) ->
                    holders.stream().noneMatch(one -> pods.contains(one.pod())) ? holders : withoutPods(holders, pods));
            held.values().removeIf(List::isEmpty);
        }
    }

    /** Others may be added to it later. */
    private static List<Holding> withoutPods(List<Holding> holders, Set<String> pods) {
        List<Holding> left = new ArrayList<>(holders);
        left.removeIf(one -> pods.contains(one.pod()));
        return left;
    }

    /** All holders of the function at an address, or of a part or a share of it. */
    List<Holding> ofFunction(PciAddress address) {
        return byFunction.getOrDefault(address, List.of());
    }

    /**
     * All holders of a device of a resource, or of a share of it. A container may have got the device of an init
     * container of its pod.
     */
    public List<Holding> all(ResourceName resource, Device device) {
        return byId.getOrDefault(device.id(), List.of()).stream()
                .filter(holding -> holding.resource().equals(resource.toString()))
                .toList();
    }

    /**
     * A holder of one of these IDs of a resource, of a share of one, or of the device of one. Nobody, if some container
     * holds exactly these: it may be the one that starts.
     */
    public Optional<Holding> otherHolder(ResourceName resource, Set<String> ids) {
        Map<List<String>, Set<String>> byContainer = new HashMap<>();
        Set<String> devices = ids.stream().map(Shares::whole).collect(Collectors.toSet());
        Optional<Holding> holder = Optional.empty();
        for (List<Holding> holdings : byId.values()) {
            for (Holding one : holdings) {
                if (one.resource().equals(resource.toString())) {
                    byContainer
                            .computeIfAbsent(List.of(one.pod(), one.container()), any -> new HashSet<>())
                            .add(one.id());
                    boolean isIn = ids.contains(one.id()) || ids.contains(Shares.whole(one.id()));
                    if (holder.isEmpty() && (isIn || devices.contains(one.id()))) {
                        holder = Optional.of(one);
                    }
                }
            }
        }
        return byContainer.containsValue(ids) ? Optional.empty() : holder;
    }

    private void add(Holding holding) {
        String id = Shares.whole(holding.id());
        byId.merge(id, List.of(holding), HeldDevices::joined);
        PciAddress.ofId(id).ifPresent(function -> byFunction.merge(function, List.of(holding), HeldDevices::joined));
    }

    /** Almost all devices have one holder, and a list of one is small. */
    private static List<Holding> joined(List<Holding> before, List<Holding> more) {
        List<Holding> joined = before.size() == 1 ? new ArrayList<>(before) : before;
        joined.addAll(more);
        return joined;
    }
}
