package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** An event of the local kubelet. */
public sealed interface KubeletEvent {

    /** One line for a person. */
    default String text() {
        return switch (this) {
            case Serving it -> "serving " + it.socket();
            case Registered it ->
                it.resource() + ": registered on " + it.endpoint()
                        + (it.preStartRequired() ? ", wants PreStartContainer" : "")
                        + (it.preferredAllocationAvailable() ? ", offers GetPreferredAllocation" : "");
            case RegistrationRefused it -> it.resource() + ": registration refused: " + it.reason();
            case DeviceList it ->
                it.resource() + ": "
                        + it.devices().stream().filter(ListedDevice::healthy).count() + " of "
                        + it.devices().size() + " devices healthy" + ListedDevice.text(it.devices());
            case StreamEnded it -> it.resource() + ": stream of " + it.endpoint() + " ended: " + it.reason();
            case PodStatus it ->
                it.pod() + ": status: "
                        + it.devices().stream().map(DeviceHealth::text).collect(Collectors.joining(", "));
            case OfContainer it -> it.pod() + "/" + it.container() + ": " + it.news();
            case PodRemoved it -> it.pod() + ": removed";
            case Restarted it -> "restarted";
            case ResourceDropped it -> it.resource() + ": dropped, since no plugin came back";
            case CheckpointRefused it -> it.file() + ": refused: " + it.reason();
        };
    }

    sealed interface OfContainer extends KubeletEvent {
        String pod();

        String container();

        private String news() {
            return switch (this) {
                case Preferred it -> "plugin prefers " + it.resource() + ": " + String.join(", ", it.ids());
                case Allocated it -> "allocated " + it.resource() + ": " + String.join(", ", it.ids());
                case AllocationFailed it -> "no " + it.resource() + ": " + it.reason();
                case Unmanaged it -> "admitted without " + it.resource() + ", which no plugin has listed";
                case PreStarted it -> "ready to start with " + it.resource() + ": " + String.join(", ", it.ids());
                case PreStartFailed it -> "not started with " + it.resource() + ": " + it.reason();
                case Started it -> "started";
            };
        }
    }

    /** Plugins can register. */
    record Serving(Path socket) implements KubeletEvent {}

    /** A plugin was dialled back and has reported its options. Its devices are not known yet. */
    record Registered(
            ResourceName resource, String endpoint, boolean preStartRequired, boolean preferredAllocationAvailable)
            implements KubeletEvent {}

    /**
     * A registration was answered with an error.
     *
     * @param resource as it was sent
     */
    record RegistrationRefused(String resource, String reason) implements KubeletEvent {}

    /** A plugin sent its whole list. */
    record DeviceList(ResourceName resource, List<ListedDevice> devices) implements KubeletEvent {
        public DeviceList {
            devices = List.copyOf(devices);
        }
    }

    /**
     * A plugin's ListAndWatch ended. If no other plugin serves the resource, all its devices are unhealthy now. Up to
     * Kubernetes 1.36, they are even if another one does, which is then disconnected, with an event for both.
     */
    record StreamEnded(ResourceName resource, String endpoint, String reason) implements KubeletEvent {}

    /** A pod's status was updated, because a plugin listed a device with another health than before. */
    record PodStatus(String pod, List<DeviceHealth> devices) implements KubeletEvent {
        public PodStatus {
            devices = List.copyOf(devices);
        }
    }

    /** The health of a device in the status of its pod, by the plugin's last list. */
    record DeviceHealth(String container, ResourceName resource, String id, boolean healthy) {

        private String text() {
            return container + ": " + resource + " " + id + (healthy ? " Healthy" : " Unhealthy");
        }
    }

    /** A plugin answered GetPreferredAllocation. */
    record Preferred(String pod, String container, ResourceName resource, List<String> ids) implements OfContainer {
        public Preferred {
            ids = List.copyOf(ids);
        }
    }

    /** A container holds these devices from now on. */
    record Allocated(String pod, String container, ResourceName resource, List<String> ids) implements OfContainer {
        public Allocated {
            ids = List.copyOf(ids);
        }
    }

    /** A container did not get its devices, so its pod is refused. */
    record AllocationFailed(String pod, String container, ResourceName resource, String reason)
            implements OfContainer {}

    /** A container asks for a resource that no plugin has listed, so its pod is admitted without it. */
    record Unmanaged(String pod, String container, ResourceName resource) implements OfContainer {}

    /** A plugin prepared a container's devices. */
    record PreStarted(String pod, String container, ResourceName resource, List<String> ids) implements OfContainer {
        public PreStarted {
            ids = List.copyOf(ids);
        }
    }

    /** A plugin did not prepare a container's devices. The kubelet would try again. */
    record PreStartFailed(String pod, String container, ResourceName resource, String reason) implements OfContainer {}

    /** A container starts with everything that its plugins gave it. */
    record Started(String pod, String container, ContainerAllocation allocation) implements OfContainer {}

    /** A pod is gone and its devices are free. */
    record PodRemoved(String pod) implements KubeletEvent {}

    /** The kubelet stopped and starts again. Its plugins are forgotten, and its directory is cleared next. */
    record Restarted() implements KubeletEvent {}

    /** Five minutes after the end of its plugin, the node no longer has a resource. */
    record ResourceDropped(ResourceName resource) implements KubeletEvent {}

    /** The checkpoint is not in the kubelet's form, so earlier pods and resources are not known. */
    record CheckpointRefused(Path file, String reason) implements KubeletEvent {}
}
