package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Gives pods their devices; follows Allocate, devicesToAllocate and GetDeviceRunContainerOptions in manager.go, and
 * the container scope of the topology manager before it.
 *
 * <p>One pod at a time, as the kubelet admits them: a plugin that stalls in Allocate stalls every pod of the node.
 */
final class Admission {

    private final Ledger ledger;
    private final KubeletOptions options;
    private final HintMerge merge;

    Admission(Ledger ledger, KubeletOptions options) {
        this.ledger = ledger;
        this.options = options;
        this.merge = new HintMerge(options.topologyPolicy(), options.numaNodes());
    }

    static PluginException noEndpoint(ResourceName resource) {
        return new PluginException("endpoint not found in cache for a registered resource: " + resource);
    }

    synchronized Pod admit(PodSpec spec) throws AdmissionException {
        boolean isNew = ledger.pod(spec.name()).isEmpty();
        try {
            Map<ResourceName, SortedSet<String>> reusable = new TreeMap<>();
            for (PodSpec.Container container : spec.inOrder()) {
                allocate(spec, container, reusable);
            }
        } catch (AdmissionException e) {
            if (isNew) {
                // the kubelet reclaims what a refused pod got when it admits the next one
                ledger.removed(spec.name());
            }
            throw e;
        }
        return admitted(spec);
    }

    /** With a container for each of the spec, also those without devices. */
    private Pod admitted(PodSpec spec) {
        Optional<Pod> holder = ledger.pod(spec.name());
        return new Pod(
                spec.name(),
                spec.inOrder().stream()
                        .map(container -> holder.flatMap(pod -> pod.holder(container.name()))
                                .orElseGet(() -> Pod.Container.empty(container.name())))
                        .toList());
    }

    private void allocate(PodSpec spec, PodSpec.Container container, Map<ResourceName, SortedSet<String>> reusable)
            throws AdmissionException {
        String pod = spec.name();
        long affinity = merge.merge(hints(pod, container, reusable)).orElseThrow(() -> {
            ledger.tell(new KubeletEvent.AlignmentFailed(pod, container.name()));
            return AdmissionException.topology();
        });
        for (Map.Entry<ResourceName, Integer> limit : container.limits().entrySet()) {
            ResourceName resource = limit.getKey();
            SortedSet<String> again = reusable.computeIfAbsent(resource, name -> new TreeSet<>());
            try {
                allocate(pod, container.name(), resource, limit.getValue(), again, affinity);
            } catch (PluginException e) {
                ledger.tell(new KubeletEvent.AllocationFailed(pod, container.name(), resource, e.reason()));
                throw AdmissionException.unexpected(e.reason());
            }
            SortedSet<String> held = held(pod, container.name(), resource);
            if (spec.initContainers().contains(container)) {
                again.addAll(held);
            } else {
                again.removeAll(held);
            }
        }
    }

    private SortedSet<String> held(String pod, String container, ResourceName resource) {
        return ledger.holding(pod, container, resource)
                .map(PodDevices.Holding::ids)
                .orElseGet(TreeSet::new);
    }

    private List<List<TopologyHint>> hints(
            String pod, PodSpec.Container container, Map<ResourceName, SortedSet<String>> reusable) {
        List<List<TopologyHint>> hints = new ArrayList<>();
        container
                .limits()
                .forEach((resource, count) -> ledger.stock(resource).ifPresent(stock -> {
                    SortedSet<String> held = held(pod, container.name(), resource);
                    Set<String> again = reusable.getOrDefault(resource, new TreeSet<>());
                    hints.add(
                            held.isEmpty()
                                    ? TopologyHint.of(stock, again, count, options.numaNodes())
                                    : TopologyHint.again(stock, held, count, options.numaNodes()));
                }));
        return hints;
    }

    private void allocate(
            String pod, String container, ResourceName resource, int count, Set<String> reusable, long affinity)
            throws PluginException {
        SortedSet<String> held = held(pod, container, resource);
        Stock stock = checked(pod, container, resource, count, held);
        if (!held.isEmpty()) {
            return;
        }
        List<String> ids = new Choice(ledger, pod, container, resource, count).make(stock, reusable, affinity);
        Endpoint endpoint = ledger.endpoint(resource).orElseThrow(() -> noEndpoint(resource));
        ledger.reserve(resource, ids);
        try {
            ContainerAllocateResponse answer = endpoint.allocate(ids);
            ledger.allocated(pod, container, resource, PodDevices.Holding.of(ids, stock.all(), answer));
        } finally {
            ledger.release(resource, ids);
        }
    }

    /** The kubelet's checks, in the kubelet's order and words. */
    private Stock checked(String pod, String container, ResourceName resource, int count, Set<String> held)
            throws PluginException {
        if (!held.isEmpty() && held.size() != count) {
            throw new PluginException("pod \"%s\" container \"%s\" changed request for resource \"%s\" from %d to %d"
                    .formatted(pod, container, resource, held.size(), count));
        }
        Stock stock = ledger.stock(resource)
                .orElseThrow(() -> new PluginException("cannot allocate unregistered device " + resource));
        if (stock.healthy().isEmpty()) {
            throw new PluginException("no healthy devices present; cannot allocate unhealthy devices " + resource);
        }
        if (!stock.healthy().containsAll(held)) {
            throw new PluginException(
                    "previously allocated devices are no longer healthy; cannot allocate unhealthy devices "
                            + resource);
        }
        return stock;
    }

    ContainerAllocation start(String pod, String container) throws ContainerStartException {
        Pod holder =
                ledger.pod(pod).orElseThrow(() -> new IllegalArgumentException(pod + ": is no pod that holds devices"));
        Pod.Container starting = holder.container(container);
        for (Map.Entry<ResourceName, SortedSet<String>> holding :
                starting.devices().entrySet()) {
            preStart(pod, container, holding.getKey(), holding.getValue());
        }
        ledger.tell(new KubeletEvent.Started(pod, container, starting.allocation()));
        return starting.allocation();
    }

    private void preStart(String pod, String container, ResourceName resource, SortedSet<String> ids)
            throws ContainerStartException {
        Optional<Endpoint> endpoint = ledger.endpoint(resource).filter(Endpoint::preStartRequired);
        if (endpoint.isEmpty()) {
            // until its plugin registers again, a restarted kubelet does not know that it should ask
            return;
        }
        try {
            endpoint.orElseThrow().preStart(Choice.shuffled(ids));
            ledger.tell(new KubeletEvent.PreStarted(pod, container, resource, List.copyOf(ids)));
        } catch (PluginException e) {
            ledger.tell(new KubeletEvent.PreStartFailed(pod, container, resource, e.reason()));
            throw new ContainerStartException(e.reason());
        }
    }
}
