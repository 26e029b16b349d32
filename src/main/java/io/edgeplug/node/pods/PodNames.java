package io.edgeplug.node.pods;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.proto.podresources.ContainerDevices;
import io.edgeplug.proto.podresources.ContainerResources;
import io.edgeplug.proto.podresources.PodResources;
import io.edgeplug.system.files.ForeignFile.TooLargeException;
import io.edgeplug.system.rpc.RpcStream;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The names and namespaces of pods that hold devices, from the kubelet's pod-resources API.
 *
 * <p>The API has no UIDs, and the checkpoint has no names. The two are joined by resource, device and container. Up to
 * Kubernetes 1.33 the list also has ended pods, without devices. A kubelet that has just started does not yet list pods
 * from before, and init containers are never listed. So a listed device is held, and a device that is not listed may
 * still be held.
 */
public final class PodNames {

    static final String SOCKET = "pod-resources/kubelet.sock";

    /** The limit of the API's own clients. */
    private static final int MAX_BYTES = 16 << 20;

    /** Enough for 10,000 devices of one pod. */
    private static final int MAX_POD_BYTES = 1 << 20;

    /** The kept part may take a quarter of the daemon's heap: 20,000 devices and more. */
    private static final int MAX_KEPT_MIB = 8;

    private static final int COST_OF_DEVICE = 250;

    /** No ID of edgeplug is longer. */
    private static final int MAX_ID = 128;

    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Field 1 of the answer, with a length; see the encoding of protobuf. */
    private static final int POD = (1 << 3) | 2;

    private record DeviceKey(String resource, String id) {}

    public record Holder(String namespace, String pod, String container) {

        @Override
        public String toString() {
            return namespace + "/" + pod + " (" + container + ")";
        }
    }

    private final Map<DeviceKey, List<Holder>> byDevice = new HashMap<>();
    private int kept;

    private PodNames() {}

    /**
     * Asks the kubelet once, and waits at most 10 s for its answer.
     *
     * @param root the kubelet's root directory
     * @param resources the resources whose devices it is asked for
     * @throws IOException if it does not answer; the message says why
     */
    public static PodNames read(UnixRpc rpc, Path root, Predicate<String> resources) throws IOException {
        return read(rpc, root, resources, PATIENCE);
    }

    static PodNames read(UnixRpc rpc, Path root, Predicate<String> resources, Duration patience) throws IOException {
        Path socket = root.resolve(SOCKET);
        try (RpcStream call = rpc.stream(socket, "v1.PodResourcesLister/List", MAX_BYTES, patience)) {
            PodNames names = new PodNames();
            names.readList(
                    CodedInputStream.newInstance(call.next().orElseThrow(() -> new IOException("answers nothing"))),
                    resources);
            if (call.next().isPresent()) {
                throw new IOException("answers twice");
            }
            return names;
        } catch (InvalidProtocolBufferException e) {
            throw new IOException(socket + ": does not answer as a kubelet does", e);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(socket + ": " + e.getMessage(), e);
        }
    }

    /**
     * The holder of a device in the checkpoint. The container's name comes from the checkpoint: an init container is
     * not listed, but the later container with its device is.
     */
    public Optional<Holder> of(Holding holding) {
        List<Holder> holders = byDevice.getOrDefault(new DeviceKey(holding.resource(), holding.id()), List.of());
        return holders.stream()
                .filter(holder -> holder.container().equals(holding.container()))
                .findFirst()
                .or(() -> holders.stream().findFirst())
                .map(holder -> new Holder(holder.namespace(), holder.pod(), holding.container()));
    }

    /** Reads one pod at a time, so that the answer is never in memory as a whole. */
    private void readList(CodedInputStream list, Predicate<String> resources) throws IOException {
        int tag = list.readTag();
        while (tag != 0) {
            if (tag == POD) {
                int length = list.readRawVarint32();
                if (length < 0 || length > MAX_POD_BYTES) {
                    throw new TooLargeException("has a pod with more than " + (MAX_POD_BYTES >> 20) + " MiB");
                }
                int outer = list.pushLimit(length);
                add(PodResources.parseFrom(list), resources);
                list.popLimit(outer);
            } else {
                list.skipField(tag);
            }
            tag = list.readTag();
        }
    }

    private void add(PodResources pod, Predicate<String> resources) throws IOException {
        for (ContainerResources container : pod.getContainersList()) {
            Holder holder = new Holder(pod.getNamespace(), pod.getName(), container.getName());
            for (ContainerDevices devices : container.getDevicesList()) {
                if (resources.test(devices.getResourceName())) {
                    add(devices, holder);
                }
            }
        }
    }

    private void add(ContainerDevices devices, Holder holder) throws IOException {
        for (String id : devices.getDeviceIdsList()) {
            if (id.length() > MAX_ID) {
                continue;
            }
            kept += COST_OF_DEVICE
                    + 2 * (id.length() + devices.getResourceName().length());
            if (kept > MAX_KEPT_MIB << 20) {
                throw new TooLargeException("lists more devices than fit into " + MAX_KEPT_MIB + " MiB");
            }
            byDevice.merge(
                    new DeviceKey(devices.getResourceName(), id),
                    List.of(holder),
                    // The kubelet lists a device once for each of its NUMA nodes.
                    (one, other) -> Stream.concat(one.stream(), other.stream())
                            .distinct()
                            .toList());
        }
    }
}
