package io.edgeplug.node.pods;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.system.files.ForeignFile.TooLargeException;
import io.edgeplug.system.rpc.RpcStream;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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

    /** The kept part may take a quarter of the daemon's heap: 20,000 devices and more. */
    private static final int MAX_KEPT_MIB = 8;

    private static final int COST_OF_DEVICE = 250;

    private static final int COST_OF_HOLDER = 150;

    /** A device that is a share has one holder, and the containers of a pod may have it one after the other. */
    private static final int MAX_HOLDERS = 16;

    /** No ID of edgeplug is longer. */
    private static final int MAX_ID = 128;

    /** A DNS name, a slash and a name. */
    private static final int MAX_RESOURCE = 320;

    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** A field of the answer. */
    private static final int POD = (1 << 3) | 2;

    /** Fields of a pod, of which containers and devices have names too. */
    private static final int NAME = (1 << 3) | 2;

    private static final int NAMESPACE = (2 << 3) | 2;
    private static final int CONTAINER = (3 << 3) | 2;

    /** A field of a container, and one of its devices. */
    private static final int DEVICES = (2 << 3) | 2;

    private static final int ID = (2 << 3) | 2;

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

    /** Reads the answer as a stream, so that it is never in memory as a whole. */
    private void readList(CodedInputStream list, Predicate<String> resources) throws IOException {
        WireMessage.eachField(list, tag -> {
            if (tag == POD) {
                new PodReader(list, resources).read();
            } else {
                WireMessage.skip(list, tag);
            }
        });
    }

    /** Reads one pod. A kubelet writes names before what they are the names of. */
    private final class PodReader {

        private final CodedInputStream list;
        private final Predicate<String> resources;
        private String pod = "";
        private String namespace = "";
        private String container = "";
        private String resource = "";
        private @Nullable Holder holder;

        PodReader(CodedInputStream list, Predicate<String> resources) {
            this.list = list;
            this.resources = resources;
        }

        void read() throws IOException {
            WireMessage.nested(list, tag -> {
                switch (tag) {
                    case NAME -> pod = WireMessage.name(list);
                    case NAMESPACE -> namespace = WireMessage.name(list);
                    case CONTAINER -> readContainer();
                    default -> WireMessage.skip(list, tag);
                }
            });
        }

        private void readContainer() throws IOException {
            container = "";
            holder = null;
            WireMessage.nested(list, tag -> {
                switch (tag) {
                    case NAME -> container = WireMessage.name(list);
                    case DEVICES -> readDevices();
                    default -> WireMessage.skip(list, tag);
                }
            });
        }

        private void readDevices() throws IOException {
            resource = "";
            WireMessage.nested(list, tag -> {
                if (tag == NAME) {
                    resource = WireMessage.text(list, MAX_RESOURCE)
                            .filter(resources)
                            .orElse("");
                } else if (tag == ID && !resource.isEmpty()) {
                    Optional<String> id = WireMessage.text(list, MAX_ID);
                    if (id.isPresent()) {
                        add(resource, id.orElseThrow(), holder());
                    }
                } else {
                    WireMessage.skip(list, tag);
                }
            });
        }

        private Holder holder() throws IOException {
            Holder known = holder;
            if (known == null) {
                keep(COST_OF_HOLDER + 2 * (namespace.length() + pod.length() + container.length()));
                known = new Holder(namespace, pod, container);
                holder = known;
            }
            return known;
        }
    }

    private void add(String resource, String id, Holder holder) throws IOException {
        keep(COST_OF_DEVICE + 2 * (id.length() + resource.length()));
        List<Holder> holders = byDevice.computeIfAbsent(new DeviceKey(resource, id), none -> new ArrayList<>(1));
        // The kubelet lists a device once for each of its NUMA nodes.
        if (holders.size() < MAX_HOLDERS && !holders.contains(holder)) {
            holders.add(holder);
        }
    }

    private void keep(int bytes) throws IOException {
        kept += bytes;
        if (kept > MAX_KEPT_MIB << 20) {
            throw new TooLargeException("lists more devices than fit into " + MAX_KEPT_MIB + " MiB");
        }
    }
}
