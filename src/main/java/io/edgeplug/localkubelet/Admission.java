package io.edgeplug.localkubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.localkubelet.Endpoint.PluginException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Gives pods their devices; follows Allocate, devicesToAllocate and GetDeviceRunContainerOptions in manager.go.
 *
 * <p>One pod at a time, as the kubelet admits them: a plugin that stalls in Allocate stalls every pod of the node.
 */
final class Admission {

    private final Ledger ledger;

    Admission(Ledger ledger) {
        this.ledger = ledger;
    }

    synchronized Pod admit(PodSpec spec) throws AdmissionException {
        boolean isNew = ledger.pod(spec.name()).isEmpty();
        for (PodSpec.Container container : spec.containers()) {
            for (Map.Entry<ResourceName, Integer> limit : container.limits().entrySet()) {
                try {
                    allocate(spec.name(), container.name(), limit.getKey(), limit.getValue());
                } catch (PluginException e) {
                    ledger.tell(new KubeletEvent.AllocationFailed(
                            spec.name(), container.name(), limit.getKey(), e.reason()));
                    if (isNew) {
                        // the kubelet reclaims what a refused pod got when it admits the next one
                        ledger.removed(spec.name());
                    }
                    throw new AdmissionException(e.reason());
                }
            }
        }
        return admitted(spec);
    }

    /** With a container for each of the spec, also those without devices. */
    private Pod admitted(PodSpec spec) {
        Optional<Pod> holder = ledger.pod(spec.name());
        return new Pod(
                spec.name(),
                spec.containers().stream()
                        .map(container -> holder.flatMap(pod -> pod.holder(container.name()))
                                .orElseGet(() -> Pod.Container.empty(container.name())))
                        .toList());
    }

    private void allocate(String pod, String container, ResourceName resource, int count) throws PluginException {
        Optional<PodDevices.Holding> held = ledger.holding(pod, container, resource);
        SortedSet<String> available = available(pod, container, resource, count, held);
        if (held.isPresent()) {
            return;
        }
        Endpoint endpoint = ledger.endpoint(resource)
                .orElseThrow(() ->
                        new PluginException("endpoint not found in cache for a registered resource: " + resource));
        List<String> ids = choose(endpoint, pod, container, available, count);
        ledger.reserve(resource, ids);
        try {
            ContainerAllocation allocation = endpoint.allocate(ids);
            ledger.allocated(pod, container, resource, new PodDevices.Holding(new TreeSet<>(ids), allocation));
        } finally {
            ledger.release(resource, ids);
        }
    }

    /** The healthy devices nobody holds, after the kubelet's checks in the kubelet's order and words. */
    private SortedSet<String> available(
            String pod, String container, ResourceName resource, int count, Optional<PodDevices.Holding> held)
            throws PluginException {
        Set<String> ids = held.<Set<String>>map(PodDevices.Holding::ids).orElse(Set.of());
        if (held.isPresent() && ids.size() != count) {
            throw new PluginException("pod \"%s\" container \"%s\" changed request for resource \"%s\" from %d to %d"
                    .formatted(pod, container, resource, ids.size(), count));
        }
        SortedSet<String> healthy = ledger.healthy(resource)
                .orElseThrow(() -> new PluginException("cannot allocate unregistered device " + resource));
        if (healthy.isEmpty()) {
            throw new PluginException("no healthy devices present; cannot allocate unhealthy devices " + resource);
        }
        if (!healthy.containsAll(ids)) {
            throw new PluginException(
                    "previously allocated devices are no longer healthy; cannot allocate unhealthy devices "
                            + resource);
        }
        healthy.removeAll(ledger.inUse(resource));
        if (held.isEmpty() && healthy.size() < count) {
            throw new PluginException("requested number of devices unavailable for %s. Requested: %d, Available: %d"
                    .formatted(resource, count, healthy.size()));
        }
        return healthy;
    }

    /** Some that the plugin prefers, then any, in random order; what it may not have is ignored. */
    private List<String> choose(Endpoint endpoint, String pod, String container, SortedSet<String> available, int count)
            throws PluginException {
        Set<String> chosen = new LinkedHashSet<>();
        if (endpoint.preferredAllocationAvailable() && count < available.size()) {
            List<String> preferred = endpoint.preferred(shuffled(available), List.of(), count);
            ledger.tell(new KubeletEvent.Preferred(pod, container, endpoint.resource(), preferred));
            chosen.addAll(shuffled(new LinkedHashSet<>(preferred)));
            chosen.retainAll(available);
        }
        chosen.addAll(shuffled(available));
        return shuffled(new ArrayList<>(chosen).subList(0, count));
    }

    ContainerAllocation start(String pod, String container) throws ContainerStartException {
        Pod holder =
                ledger.pod(pod).orElseThrow(() -> new IllegalArgumentException(pod + ": is no pod that holds devices"));
        Pod.Container starting = holder.container(container);
        for (Map.Entry<ResourceName, SortedSet<String>> holding :
                starting.devices().entrySet()) {
            preStart(pod, container, holding.getKey(), holding.getValue());
        }
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
            endpoint.orElseThrow().preStart(shuffled(ids));
            ledger.tell(new KubeletEvent.PreStarted(pod, container, resource, List.copyOf(ids)));
        } catch (PluginException e) {
            ledger.tell(new KubeletEvent.PreStartFailed(pod, container, resource, e.reason()));
            throw new ContainerStartException(e.reason());
        }
    }

    private static List<String> shuffled(Collection<String> ids) {
        List<String> order = new ArrayList<>(ids);
        Collections.shuffle(order);
        return order;
    }
}
