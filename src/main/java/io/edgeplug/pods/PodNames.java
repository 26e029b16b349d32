package io.edgeplug.pods;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.edgeplug.linux.ForeignFile.TooLargeException;
import io.edgeplug.linux.RpcStream;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.proto.podresources.ContainerDevices;
import io.edgeplug.proto.podresources.ContainerResources;
import io.edgeplug.proto.podresources.PodResources;
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
 * Which pods hold devices, by name and namespace, as the kubelet's pod-resources API lists them.
 *
 * <p>It tells no UIDs, which the checkpoint does; the two are joined by resource, device and container. Up to Kubernetes 1.33
 * the list also has pods that have ended, without devices. A kubelet that has just started does not list pods that it was not
 * given yet, and init containers are never listed. So a device that is listed is held, and one that is not listed may be
 * held all the same.
 */
public final class PodNames {

    static final String SOCKET = "pod-resources/kubelet.sock";

    /** What the API's own clients allow. */
    private static final int MAX_BYTES = 16 << 20;

    /** 10,000 devices of one pod. */
    private static final int MAX_POD_BYTES = 1 << 20;

    /** What is kept may take a quarter of the daemon's heap: 20,000 devices and more. */
    private static final int MAX_KEPT_MIB = 8;

    private static final int COST_OF_DEVICE = 250;

    /** No ID of edgeplug's is longer. */
    private static final int MAX_ID = 128;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Field 1 of the answer, which has a length; see the encoding of protobuf. */
    private static final int POD = (1 << 3) | 2;

    private record DeviceKey(String resource, String id) {}

    /** A container of a pod. */
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
     * Asks the kubelet once, and waits for its answer for at most 10 s.
     *
     * @param root the kubelet's root directory
     * @param resources the resources of whose devices it is asked
     * @throws IOException if it does not tell; the message says why
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
     * Who holds the device that the checkpoint notes; the container is that of the checkpoint, since an init container is
     * not listed but the container that uses its device later is.
     */
    public Optional<Holder> of(Holding holding) {
        List<Holder> holders = byDevice.getOrDefault(new DeviceKey(holding.resource(), holding.id()), List.of());
        return holders.stream()
                .filter(holder -> holder.container().equals(holding.container()))
                .findFirst()
                .or(() -> holders.stream().findFirst())
                .map(holder -> new Holder(holder.namespace(), holder.pod(), holding.container()));
    }

    /** One pod at a time, so that the answer is never in memory as a whole. */
    private void readList(CodedInputStream list, Predicate<String> resources) throws IOException {
        int tag = list.readTag();
        while (tag != 0) {
            if (tag == POD) {
                int length = list.readRawVarint32();
                if (length < 0 || length > MAX_POD_BYTES) {
                    throw new TooLargeException("tells of a pod with more than " + (MAX_POD_BYTES >> 20) + " MiB");
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
                throw new TooLargeException("tells of more devices than fit into " + MAX_KEPT_MIB + " MiB");
            }
            byDevice.merge(
                    new DeviceKey(devices.getResourceName(), id),
                    List.of(holder),
                    // the kubelet lists a device once for each of its NUMA nodes
                    (one, other) -> Stream.concat(one.stream(), other.stream())
                            .distinct()
                            .toList());
        }
    }
}
