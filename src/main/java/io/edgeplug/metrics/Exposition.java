package io.edgeplug.metrics;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PfPart;
import io.edgeplug.flow.Outcomes;
import io.edgeplug.status.ClaimingStatus;
import io.edgeplug.status.DeviceState;
import io.edgeplug.status.DeviceStatus;
import io.edgeplug.status.NodeStatus;
import io.edgeplug.status.ResourceStatus;
import io.edgeplug.supply.StepTime;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes a node's status in the text format of Prometheus, which its textfile collector reads too. It writes one metric
 * after the other, because the text of one metric for thousands of devices has a megabyte.
 */
final class Exposition {

    /** The content type of the text. */
    static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.builder()
            .setIncludeCreatedTimestamps(false)
            .build();
    private final OutputStream out;

    Exposition(OutputStream out) {
        this.out = out;
    }

    void write(NodeStatus status, PortCounters counters) throws IOException {
        writeKubelet(status);
        writeResources(status);
        writeDevices(status);
        if (status.claiming().isPresent()) {
            writeClaiming(status.claiming().orElseThrow());
        }
        writePreparations(status.steps());
        Family uevents = new Family("edgeplug_uevents", "Uevents that were heard of PCI functions and other devices.");
        uevents.add(status.uevents());
        write(uevents.counter());
        for (Family family : counters.families()) {
            write(family.counter());
        }
    }

    private void writeKubelet(NodeStatus status) throws IOException {
        Family kubelet = new Family("edgeplug_kubelet_up", "Whether there is a kubelet to register with.");
        kubelet.add(status.kubelet().isThere() ? 1 : 0);
        write(kubelet.gauge());
        Family registered =
                new Family("edgeplug_registered", "Whether the kubelet has the devices of a resource.", "resource");
        Family registrations =
                new Family("edgeplug_registrations", "Registrations with a kubelet.", "resource", "result");
        for (ResourceStatus resource : status.resources()) {
            String name = resource.name().toString();
            registered.add(resource.isRegistered() ? 1 : 0, name);
            Optional.ofNullable(status.kubelet().registrations().get(resource.name()))
                    .ifPresent(counts -> add(registrations, name, counts));
        }
        write(registered.gauge());
        write(registrations.counter());
    }

    private static void add(Family family, String of, Outcomes.Counts counts) {
        family.add(counts.done(), of, "ok");
        family.add(counts.failed(), of, "error");
    }

    private void writeClaiming(ClaimingStatus claiming) throws IOException {
        Family published = new Family(
                "edgeplug_slices_published",
                "Whether the API server has the node's slices as they should be.",
                "driver");
        published.add(claiming.problem().isEmpty() ? 1 : 0, claiming.driver());
        write(published.gauge());
        Family slices = new Family("edgeplug_slices", "Slices of the node on the API server.", "driver", "pool");
        Family generation = new Family(
                "edgeplug_slices_generation", "The generation of the pool of these slices.", "driver", "pool");
        if (!claiming.pool().isEmpty()) {
            slices.add(claiming.slices(), claiming.driver(), claiming.pool());
            generation.add(claiming.generation(), claiming.driver(), claiming.pool());
        }
        write(slices.gauge());
        write(generation.gauge());
        Family claims = new Family("edgeplug_claims", "Claims that have devices of the node.", "driver");
        claims.add(claiming.claims(), claiming.driver());
        write(claims.gauge());
        Family preparations =
                new Family("edgeplug_claim_preparations", "Preparations of claims.", "driver", "result");
        add(preparations, claiming.driver(), claiming.preparations());
        write(preparations.counter());
    }

    private void writeResources(NodeStatus status) throws IOException {
        Family devices = new Family(
                "edgeplug_devices",
                "Devices of a resource, each in one state: free, held, preparing, withheld or unhealthy.",
                "resource",
                "state");
        Family allocations = new Family("edgeplug_allocations", "Allocate calls of the kubelet.", "resource", "result");
        for (ResourceStatus resource : status.resources()) {
            String name = resource.name().toString();
            for (DeviceState state : DeviceState.values()) {
                devices.add(resource.count(state), name, state.word());
            }
            add(allocations, name, resource.allocations());
        }
        write(devices.gauge());
        write(allocations.counter());
    }

    private void writeDevices(NodeStatus status) throws IOException {
        Family facts = new Family(
                "edgeplug_device_info",
                "A device, always 1; joins what a device is to the other metrics.",
                "resource",
                "device",
                "kind",
                "pci_address",
                "driver",
                "numa_node",
                "pf");
        each(status, (resource, one) -> addFacts(facts, resource, one.device()));
        write(facts.gauge());
        Family healthy =
                new Family("edgeplug_device_healthy", "Whether a device is fit to be used.", "resource", "device");
        each(
                status,
                (resource, one) -> healthy.add(
                        one.state() == DeviceState.UNHEALTHY ? 0 : 1,
                        resource,
                        one.device().id()));
        write(healthy.gauge());
        Family allocated = new Family(
                "edgeplug_device_allocated",
                "A container that has a device, always 1; pod and namespace are empty until they are known.",
                "resource",
                "device",
                "pod",
                "namespace",
                "container",
                "pod_uid");
        each(
                status,
                (resource, one) -> one.holders()
                        .forEach(holder -> allocated.add(
                                1,
                                resource,
                                one.device().id(),
                                holder.pod().orElse(""),
                                holder.namespace().orElse(""),
                                holder.container(),
                                holder.podUid())));
        write(allocated.gauge());
    }

    private interface EachDevice {
        void accept(String resource, DeviceStatus device);
    }

    private static void each(NodeStatus status, EachDevice told) {
        for (ResourceStatus resource : status.resources()) {
            String name = resource.name().toString();
            resource.devices().forEach(device -> told.accept(name, device));
        }
    }

    private static void addFacts(Family facts, String resource, Device device) {
        String address =
                device instanceof PciDevice pci ? pci.function().address().toString() : "";
        String numaNode = device.numaNode().isPresent()
                ? Integer.toString(device.numaNode().getAsInt())
                : "";
        facts.add(
                1,
                resource,
                device.id(),
                device.kind().word(),
                address,
                device.driver().orElse(""),
                numaNode,
                device instanceof PfPart part ? pf(part) : "");
    }

    /** The PF's first interface, by which people know it, or its address if it has none. */
    static String pf(PfPart part) {
        return part.physicalNetNames().stream()
                .findFirst()
                .orElseGet(() -> part.physicalFunction().toString());
    }

    private void writePreparations(List<StepTime> steps) throws IOException {
        List<HistogramDataPointSnapshot> series = new ArrayList<>();
        for (StepTime step : steps) {
            ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
            for (int i = 0; i < step.counts().size(); i++) {
                double bound = i < step.bounds().size() ? step.bounds().get(i) : Double.POSITIVE_INFINITY;
                buckets.bucket(bound, step.counts().get(i));
            }
            series.add(new HistogramDataPointSnapshot(
                    buckets.build(),
                    step.sum(),
                    Labels.of("resource", step.resource().toString(), "step", step.step()),
                    Exemplars.EMPTY,
                    0L));
        }
        String help = "How long the steps of preparing a device for its next container took.";
        write(new HistogramSnapshot(new MetricMetadata("edgeplug_prepare_seconds", help), series));
    }

    private void write(MetricSnapshot metric) throws IOException {
        writer.write(out, MetricSnapshots.of(metric));
    }
}
