package io.edgeplug.api.metrics;

import io.edgeplug.api.status.NodeStatus;
import io.edgeplug.api.status.NodeStatus.ClaimingStatus;
import io.edgeplug.api.status.NodeStatus.DeviceState;
import io.edgeplug.api.status.NodeStatus.DeviceStatus;
import io.edgeplug.api.status.NodeStatus.ResourceStatus;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.node.supply.Failures;
import io.edgeplug.node.supply.StepTimes;
import io.edgeplug.node.supply.StepTimes.StepTime;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Outcomes;
import java.io.IOException;
import java.io.Writer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Writes a node's status in the text format of Prometheus, which its textfile collector reads too. */
final class Exposition {

    private final MetricText text;

    Exposition(Writer out) {
        this.text = new MetricText(out);
    }

    void write(NodeStatus status, PortCounters counters) throws IOException {
        writeKubelet(status);
        writeResources(status);
        writeDevices(status);
        if (status.claiming().isPresent()) {
            writeClaiming(status.claiming().orElseThrow());
        }
        writePreparations(status.steps());
        text.counter("edgeplug_uevents", "Uevents that were heard of PCI functions and other devices.");
        text.series(status.uevents());
        text.counter("edgeplug_bugs", "Bugs of edgeplug itself that have ended work for one input.");
        for (Front.Bugs bugs : status.bugs()) {
            text.series(bugs.count(), MetricText.labels("part", bugs.front().word()));
        }
        text.counter("edgeplug_failures", "What was refused or has failed for pods.");
        for (Failures.Kind kind : Failures.Kind.values()) {
            text.series(status.failed().getOrDefault(kind, 0L), MetricText.labels("what", kind.word()));
        }
        for (Family family : counters.families()) {
            family.write(text);
        }
    }

    private void writeKubelet(NodeStatus status) throws IOException {
        text.gauge("edgeplug_kubelet_up", "Whether there is a kubelet to register with.");
        text.series(status.kubelet().isThere() ? 1 : 0);
        text.gauge("edgeplug_registered", "Whether the kubelet has the devices of a resource.");
        for (ResourceStatus resource : status.resources()) {
            text.series(resource.isRegistered() ? 1 : 0, of(resource));
        }
        text.counter("edgeplug_registrations", "Registrations with a kubelet.");
        for (ResourceStatus resource : status.resources()) {
            Outcomes.Counts counts = status.kubelet().registrations().get(resource.name());
            if (counts != null) {
                writeOutcomes(counts, "resource", resource.name().toString());
            }
        }
    }

    private static String of(ResourceStatus resource) {
        return MetricText.labels("resource", resource.name().toString());
    }

    private void writeOutcomes(Outcomes.Counts counts, String label, String of) throws IOException {
        text.series(counts.done(), MetricText.labels(label, of, "result", "ok"));
        text.series(counts.failed(), MetricText.labels(label, of, "result", "error"));
    }

    private void writeClaiming(ClaimingStatus claiming) throws IOException {
        String driver = MetricText.labels("driver", claiming.driver());
        text.gauge("edgeplug_slices_published", "Whether the API server has the node's slices as they should be.");
        text.series(claiming.problem().isEmpty() ? 1 : 0, driver);
        if (!claiming.pool().isEmpty()) {
            String pool = MetricText.labels("driver", claiming.driver(), "pool", claiming.pool());
            text.gauge("edgeplug_slices", "Slices of the node on the API server.");
            text.series(claiming.slices(), pool);
            text.gauge("edgeplug_slices_generation", "The generation of the pool of these slices.");
            text.series(claiming.generation(), pool);
        }
        text.gauge("edgeplug_claims", "Claims that have devices of the node.");
        text.series(claiming.claims(), driver);
        text.counter("edgeplug_claim_preparations", "Preparations of claims.");
        writeOutcomes(claiming.preparations(), "driver", claiming.driver());
    }

    private void writeResources(NodeStatus status) throws IOException {
        text.gauge(
                "edgeplug_devices",
                "Devices of a resource, each in one state: free, unknown, held, preparing, withheld or unhealthy.");
        for (ResourceStatus resource : status.resources()) {
            for (DeviceState state : DeviceState.values()) {
                text.series(
                        resource.count(state),
                        MetricText.labels("resource", resource.name().toString(), "state", state.word()));
            }
        }
        text.gauge("edgeplug_holders_known", "Whether the notes of who has which device can be read.");
        text.series(status.notes().areRead() ? 1 : 0);
        text.counter("edgeplug_allocations", "Allocate calls of the kubelet.");
        for (ResourceStatus resource : status.resources()) {
            writeOutcomes(resource.allocations(), "resource", resource.name().toString());
        }
    }

    private void writeDevices(NodeStatus status) throws IOException {
        text.gauge("edgeplug_device_info", "A device, always 1; joins what a device is to the other metrics.");
        each(status, (resource, one) -> text.series(1, facts(resource, one.device())));
        text.gauge("edgeplug_device_healthy", "Whether a device is fit to be used.");
        each(
                status,
                (resource, one) -> text.series(
                        one.state() == DeviceState.UNHEALTHY ? 0 : 1,
                        MetricText.labels("device", one.device().id(), "resource", resource)));
        text.gauge(
                "edgeplug_device_allocated",
                "A container that has a device, always 1; pod and namespace are empty until they are known.");
        each(status, this::writeHolders);
    }

    private void writeHolders(String resource, DeviceStatus one) throws IOException {
        // A series must not come twice. Two holders may differ only in whether a name is known to be empty.
        Set<String> written = new HashSet<>();
        for (User.Pod holder : one.holders()) {
            String labels = MetricText.labels(
                    "container",
                    holder.container(),
                    "device",
                    one.device().id(),
                    "namespace",
                    holder.namespace().orElse(""),
                    "pod",
                    holder.pod().orElse(""),
                    "pod_uid",
                    holder.uid(),
                    "resource",
                    resource);
            if (written.add(labels)) {
                text.series(1, labels);
            }
        }
    }

    private interface EachDevice {
        void accept(String resource, DeviceStatus device) throws IOException;
    }

    private static void each(NodeStatus status, EachDevice told) throws IOException {
        for (ResourceStatus resource : status.resources()) {
            String name = resource.name().toString();
            for (DeviceStatus device : resource.devices()) {
                told.accept(name, device);
            }
        }
    }

    private static String facts(String resource, Device device) {
        return MetricText.labels(
                "device",
                device.id(),
                "driver",
                device.driver().orElse(""),
                "kind",
                device.kind().word(),
                "numa_node",
                device.numaNode().isPresent()
                        ? Integer.toString(device.numaNode().getAsInt())
                        : "",
                "pci_address",
                device instanceof PciDevice pci ? pci.function().address().toString() : "",
                "pf",
                device instanceof PfPart part ? pf(part) : "",
                "resource",
                resource);
    }

    /** The PF's first interface, by which people know it, or its address if it has none. */
    static String pf(PfPart part) {
        return part.physicalNetNames().stream()
                .findFirst()
                .orElseGet(() -> part.physicalFunction().toString());
    }

    private void writePreparations(List<StepTime> steps) throws IOException {
        text.histogram(
                "edgeplug_prepare_seconds", "How long the steps of preparing a device for its next container took.");
        for (StepTime step : steps) {
            text.histogram(
                    MetricText.labels("resource", step.resource().toString(), "step", step.step()),
                    StepTimes.BOUNDS,
                    step.counts(),
                    step.sum());
        }
    }
}
