package io.edgeplug.pods;

import com.google.gson.stream.MalformedJsonException;
import io.edgeplug.device.Device;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.Shares;
import io.edgeplug.linux.ForeignJson;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
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
import java.util.stream.Stream;

/**
 * Which devices containers hold, of whichever plugin, as the kubelet has noted it in its checkpoint; see
 * pkg/kubelet/cm/devicemanager/checkpoint in Kubernetes.
 *
 * <p>A device is noted before its container starts. One whose pod has ended stays noted until the kubelet gives devices
 * to another: so what is not noted is free, and what is may be held. The checksum is not looked at, since it is another
 * in other versions and the kubelet replaces the file in one step. Most of the file is answers of plugins, of any size,
 * so it is never in memory as a whole. Every plugin on the node can write to the file's directory, so that it is read as
 * anybody's.
 */
public final class HeldDevices {

    public static final String FILE = "kubelet_internal_checkpoint";

    /** A hundred times that of a node with 110 pods. */
    static final long MAX_BYTES = 64L << 20;

    /** Ten times the longest name of Kubernetes; an ID of another plugin's may have any length. */
    private static final int MAX_WORD = 4096;

    /** Threads that want to know at the same time must not need the memory of it at the same time. */
    private static final Lock READING = new ReentrantLock();

    private final Map<String, List<Holding>> byId = new HashMap<>();

    /** By what is before the first dash of an ID: for a function and its parts, the address. */
    private final Map<String, List<Holding>> byFunction = new HashMap<>();

    private final Instant written;

    private HeldDevices(Instant written) {
        this.written = written;
    }

    /**
     * A container, by its pod's UID, and an ID that it was given.
     *
     * @param claim the UID of the claim by which its pod has the device; empty for what the device plugin gave
     */
    public record Holding(String pod, String container, String resource, String id, Optional<String> claim) {

        /** What the device plugin gave. */
        public Holding(String pod, String container, String resource, String id) {
            this(pod, container, resource, id, Optional.empty());
        }

        /** The UID of what has the device until it is released: a claim, which pods may use one after the other, or a pod. */
        public String user() {
            return claim.orElse(pod);
        }

        /** Whether it is the device, a share or a part of it, or that of which the device is a part; and not another part. */
        public boolean isOf(Device device) {
            return isOf(device.id());
        }

        /** The same of a device that may be gone, by its ID. */
        public boolean isOf(String device) {
            String whole = before(Shares.SEPARATOR, id);
            return whole.equals(device) || whole.startsWith(device + "-") || device.startsWith(whole + "-");
        }
    }

    /**
     * Reads the checkpoint in the kubelet's directory for device plugins.
     *
     * @throws IOException if it does not tell; the message says why
     */
    public static HeldDevices read(Path kubeletDir) throws IOException {
        Path file = kubeletDir.resolve(FILE);
        READING.lock();
        // asked first, so that no time is later than what was read
        try {
            return read(file, Files.getLastModifiedTime(file).toInstant());
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

    private static HeldDevices read(Path file, Instant written) throws IOException {
        try (ForeignJson json = ForeignJson.open(file, MAX_BYTES, MAX_WORD)) {
            HeldDevices held = new HeldDevices(written);
            new CheckpointReader(json, held::add).read();
            return held;
        }
    }

    /** When the kubelet wrote what this tells, or before. */
    public Instant written() {
        return written;
    }

    /** Of a kubelet that has noted nobody. */
    static HeldDevices nothing() {
        return new HeldDevices(Instant.EPOCH);
    }

    /** Who holds a device, or a part or a share of it; the first of several. */
    public Optional<Holding> of(Device device) {
        return of(device, holding -> true);
    }

    /** The same, of those who are asked for. */
    public Optional<Holding> of(Device device, Predicate<Holding> wanted) {
        return all(device).stream().filter(wanted).findFirst();
    }

    /** All who hold a device, or a part or a share of it; for a part that nobody holds, those who hold its function. */
    public List<Holding> all(Device device) {
        List<Holding> own = byId.getOrDefault(device.id(), List.of());
        if (own.isEmpty() && device instanceof PciDevice pci) {
            // what is done to a function does not leave its parts alone
            return byFunction.getOrDefault(pci.function().address().toString(), List.of());
        }
        return own;
    }

    /** All that is held of some resources. */
    public Stream<Holding> all(Predicate<String> resources) {
        return byId.values().stream().flatMap(List::stream).filter(holding -> resources.test(holding.resource()));
    }

    /** The same with what others hold who are not in the checkpoint. */
    HeldDevices with(List<Holding> others) {
        others.forEach(this::add);
        return this;
    }

    /** Takes away what some pods hold. */
    void forget(Set<String> pods) {
        for (Map<String, List<Holding>> held : List.of(byId, byFunction)) {
            held.replaceAll((id, holders) ->
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

    /** Who of those who are asked for holds the function at an address, a part or a share of it; the first of several. */
    public Optional<Holding> ofFunction(PciAddress address, Predicate<Holding> wanted) {
        return byFunction.getOrDefault(address.toString(), List.of()).stream()
                .filter(wanted)
                .findFirst();
    }

    /**
     * All who hold a device of a resource, or a share of it: a container may have got what an init container of its pod
     * had.
     */
    public List<Holding> all(ResourceName resource, Device device) {
        return byId.getOrDefault(device.id(), List.of()).stream()
                .filter(holding -> holding.resource().equals(resource.toString()))
                .toList();
    }

    /**
     * Who holds one of these devices of a resource, by their IDs there; nobody if some container holds just these, which
     * may be the one that starts.
     */
    public Optional<Holding> otherHolder(ResourceName resource, Set<String> ids) {
        Map<List<String>, Set<String>> byContainer = new HashMap<>();
        Optional<Holding> holder = Optional.empty();
        for (List<Holding> holdings : byId.values()) {
            for (Holding one : holdings) {
                if (one.resource().equals(resource.toString())) {
                    byContainer
                            .computeIfAbsent(List.of(one.pod(), one.container()), any -> new HashSet<>())
                            .add(one.id());
                    if (holder.isEmpty() && ids.contains(one.id())) {
                        holder = Optional.of(one);
                    }
                }
            }
        }
        return byContainer.containsValue(ids) ? Optional.empty() : holder;
    }

    private void add(Holding holding) {
        String id = before(Shares.SEPARATOR, holding.id());
        byId.merge(id, List.of(holding), HeldDevices::joined);
        byFunction.merge(before("-", id), List.of(holding), HeldDevices::joined);
    }

    /** Nearly all have one holder, and such a list is small. */
    private static List<Holding> joined(List<Holding> before, List<Holding> more) {
        List<Holding> joined = before.size() == 1 ? new ArrayList<>(before) : before;
        joined.addAll(more);
        return joined;
    }

    private static String before(String separator, String text) {
        int at = text.indexOf(separator);
        return at < 0 ? text : text.substring(0, at);
    }
}
