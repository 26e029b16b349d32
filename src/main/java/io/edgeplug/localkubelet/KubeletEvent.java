package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** An event of the local kubelet. */
public sealed interface KubeletEvent {

    /** One line for a person. */
    String text();

    /** Plugins can register. */
    record Serving(Path socket) implements KubeletEvent {
        @Override
        public String text() {
            return "serving " + socket;
        }
    }

    /** A plugin was dialled back and has reported its options. Its devices are not known yet. */
    record Registered(
            ResourceName resource, String endpoint, boolean preStartRequired, boolean preferredAllocationAvailable)
            implements KubeletEvent {
        @Override
        public String text() {
            return resource + ": registered on " + endpoint
                    + (preStartRequired ? ", wants PreStartContainer" : "")
                    + (preferredAllocationAvailable ? ", offers GetPreferredAllocation" : "");
        }
    }

    /**
     * A registration was answered with an error.
     *
     * @param resource as it was sent
     */
    record RegistrationRefused(String resource, String reason) implements KubeletEvent {
        @Override
        public String text() {
            return resource + ": registration refused: " + reason;
        }
    }

    /** A plugin sent its whole list. */
    record DeviceList(ResourceName resource, List<ListedDevice> devices) implements KubeletEvent {
        public DeviceList {
            devices = List.copyOf(devices);
        }

        @Override
        public String text() {
            return resource + ": "
                    + devices.stream().filter(ListedDevice::healthy).count() + " of " + devices.size()
                    + " devices healthy"
                    + ListedDevice.text(devices);
        }
    }

    /**
     * A plugin's ListAndWatch ended. If no other plugin serves the resource, all its devices are unhealthy now. Up to
     * Kubernetes 1.36, they are even if another one does, which is then disconnected, with an event for both.
     */
    record StreamEnded(ResourceName resource, String endpoint, String reason) implements KubeletEvent {
        @Override
        public String text() {
            return resource + ": stream of " + endpoint + " ended: " + reason;
        }
    }

    /** A pod's status was updated, because a plugin listed a device with another health than before. */
    record PodStatus(String pod, List<DeviceHealth> devices) implements KubeletEvent {
        public PodStatus {
            devices = List.copyOf(devices);
        }

        @Override
        public String text() {
            return pod + ": status: "
                    + devices.stream()
                            .map(device -> "%s: %s %s %s"
                                    .formatted(
                                            device.container(),
                                            device.resource(),
                                            device.id(),
                                            device.healthy() ? "Healthy" : "Unhealthy"))
                            .collect(Collectors.joining(", "));
        }
    }

    /** The health of a device in the status of its pod, by the plugin's last list. */
    record DeviceHealth(String container, ResourceName resource, String id, boolean healthy) {}

    /** A plugin answered GetPreferredAllocation. */
    record Preferred(String pod, String container, ResourceName resource, List<String> ids) implements KubeletEvent {
        public Preferred {
            ids = List.copyOf(ids);
        }

        @Override
        public String text() {
            return pod + "/" + container + ": plugin prefers " + resource + ": " + String.join(", ", ids);
        }
    }

    /** A container holds these devices from now on. */
    record Allocated(String pod, String container, ResourceName resource, List<String> ids) implements KubeletEvent {
        public Allocated {
            ids = List.copyOf(ids);
        }

        @Override
        public String text() {
            return pod + "/" + container + ": allocated " + resource + ": " + String.join(", ", ids);
        }
    }

    /** A container did not get its devices, so its pod is refused. */
    record AllocationFailed(String pod, String container, ResourceName resource, String reason)
            implements KubeletEvent {
        @Override
        public String text() {
            return pod + "/" + container + ": no " + resource + ": " + reason;
        }
    }

    /** A container asks for a resource that no plugin has listed, so its pod is admitted without it. */
    record Unmanaged(String pod, String container, ResourceName resource) implements KubeletEvent {
        @Override
        public String text() {
            return pod + "/" + container + ": admitted without " + resource + ", which no plugin has listed";
        }
    }

    /** A plugin prepared a container's devices. */
    record PreStarted(String pod, String container, ResourceName resource, List<String> ids) implements KubeletEvent {
        public PreStarted {
            ids = List.copyOf(ids);
        }

        @Override
        public String text() {
            return pod + "/" + container + ": ready to start with " + resource + ": " + String.join(", ", ids);
        }
    }

    /** A plugin did not prepare a container's devices. The kubelet would try again. */
    record PreStartFailed(String pod, String container, ResourceName resource, String reason) implements KubeletEvent {
        @Override
        public String text() {
            return pod + "/" + container + ": not started with " + resource + ": " + reason;
        }
    }

    /** A container starts with everything that its plugins gave it. */
    record Started(String pod, String container, ContainerAllocation allocation) implements KubeletEvent {
        @Override
        public String text() {
            return pod + "/" + container + ": started";
        }
    }

    /** A pod is gone and its devices are free. */
    record PodRemoved(String pod) implements KubeletEvent {
        @Override
        public String text() {
            return pod + ": removed";
        }
    }

    /** The kubelet stopped and starts again. Its plugins are forgotten, and its directory is cleared next. */
    record Restarted() implements KubeletEvent {
        @Override
        public String text() {
            return "restarted";
        }
    }

    /**
     * A container cannot have all its devices near each other, as the topology policy requires, so its pod is refused.
     */
    record AlignmentFailed(String pod, String container) implements KubeletEvent {
        @Override
        public String text() {
            return pod + "/" + container + ": not aligned: no NUMA nodes have all that it asks for";
        }
    }

    /** Five minutes after the end of its plugin, the node no longer has a resource. */
    record ResourceDropped(ResourceName resource) implements KubeletEvent {
        @Override
        public String text() {
            return resource + ": dropped, since no plugin came back";
        }
    }

    /** The checkpoint is not in the kubelet's form, so earlier pods and resources are not known. */
    record CheckpointRefused(Path file, String reason) implements KubeletEvent {
        @Override
        public String text() {
            return file + ": refused: " + reason;
        }
    }
}
