package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Gives pods their devices. It follows Allocate, devicesToAllocate and GetDeviceRunContainerOptions in manager.go.
 *
 * <p>One pod at a time, as in the kubelet: a plugin that stalls in Allocate stalls every pod of the node.
 */
record Admission(Ledger ledger, PodTable pods) {

    private static PluginException noEndpoint(ResourceName resource) {
        return new PluginException("endpoint not found in cache for a registered resource: " + resource);
    }

    synchronized Pod admit(PodSpec spec) throws AdmissionException {
        ledger.reclaim(pods.endedBefore(spec.name()));
        boolean isNew = ledger.pod(spec.name()).isEmpty();
        try {
            Map<ResourceName, SortedSet<String>> reusable = new TreeMap<>();
            for (PodSpec.Container container : spec.inOrder()) {
                allocate(spec, container, reusable);
            }
        } catch (AdmissionException e) {
            if (isNew) {
                // The kubelet reclaims the devices of a refused pod when it admits the next one.
                ledger.removed(spec.name());
            }
            throw e;
        }
        pods.add(spec);
        return admitted(spec);
    }

    void delete(String pod) {
        if (pods.remove(pod)) {
            ledger.tell(new KubeletEvent.PodRemoved(pod));
        }
    }

    void remove(String pod) {
        boolean wasAdmitted = pods.remove(pod);
        if (wasAdmitted && ledger.pod(pod).isEmpty()) {
            ledger.tell(new KubeletEvent.PodRemoved(pod));
        }
        ledger.removed(pod);
    }

    /** The pod with a container for each of the spec, also those without devices. */
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
        for (Map.Entry<ResourceName, Integer> limit : container.limits().entrySet()) {
            ResourceName resource = limit.getKey();
            if (!ledger.isOfPlugins(resource)) {
                ledger.tell(new KubeletEvent.Unmanaged(pod, container.name(), resource));
                continue;
            }
            SortedSet<String> again = reusable.computeIfAbsent(resource, name -> new TreeSet<>());
            SortedSet<String> first = container.chosen().getOrDefault(resource, again);
            try {
                allocate(pod, container.name(), resource, limit.getValue(), first);
            } catch (PluginException e) {
                ledger.tell(new KubeletEvent.AllocationFailed(pod, container.name(), resource, e.reason()));
                throw new AdmissionException(e.reason());
            }
            SortedSet<String> held = ledger.held(pod, container.name(), resource);
            if (spec.initContainers().contains(container)) {
                again.addAll(held);
            } else {
                again.removeAll(held);
            }
        }
    }

    private void allocate(String pod, String container, ResourceName resource, int count, Set<String> reusable)
            throws PluginException {
        SortedSet<String> held = ledger.held(pod, container, resource);
        ResourceEntry.Free free = checked(pod, container, resource, count, held);
        if (!held.isEmpty()) {
            return;
        }
        List<String> ids = choose(pod, container, resource, count, free, reusable);
        Endpoint endpoint = ledger.endpoint(resource).orElseThrow(() -> noEndpoint(resource));
        ledger.changeReserved(resource, reserved -> reserved.addAll(ids));
        try {
            ContainerAllocateResponse answer = endpoint.allocate(ids);
            ledger.allocated(pod, container, resource, PodDevices.Holding.of(ids, free.all(), answer));
        } finally {
            ledger.changeReserved(resource, reserved -> reserved.removeAll(ids));
        }
    }

    /**
     * The devices of a resource for a container: first reusable ones, then those that the plugin prefers, and then the
     * others, each group in random order. Preferred devices that are not available are ignored, and so are those beyond
     * the number. The plugin is asked even if there is no choice, as the kubelet does without a topology policy.
     */
    private List<String> choose(
            String pod,
            String container,
            ResourceName resource,
            int count,
            ResourceEntry.Free free,
            Set<String> reusable)
            throws PluginException {
        Set<String> chosen = new LinkedHashSet<>();
        if (!take(reusable, count, chosen)) {
            SortedSet<String> available = free.available();
            int needed = count - chosen.size();
            if (available.size() < needed) {
                throw new PluginException("requested number of devices unavailable for %s. Requested: %d, Available: %d"
                        .formatted(resource, needed, available.size()));
            }
            Set<String> preferred = new LinkedHashSet<>(preferred(pod, container, resource, count, available, chosen));
            preferred.retainAll(available);
            if (!take(preferred, count, chosen)) {
                take(available, count, chosen);
            }
        }
        return shuffled(chosen);
    }

    /** Returns whether that is enough. */
    private static boolean take(Collection<String> ids, int count, Set<String> chosen) {
        shuffled(ids).stream().filter(id -> chosen.size() < count).forEach(chosen::add);
        return chosen.size() == count;
    }

    private List<String> preferred(
            String pod, String container, ResourceName resource, int count, Set<String> available, Set<String> chosen)
            throws PluginException {
        Endpoint endpoint = ledger.endpoint(resource).orElseThrow(() -> noEndpoint(resource));
        if (!endpoint.preferredAllocationAvailable()) {
            return List.of();
        }
        Set<String> all = new TreeSet<>(available);
        all.addAll(chosen);
        List<String> preferred = endpoint.preferred(shuffled(all), shuffled(chosen), count);
        ledger.tell(new KubeletEvent.Preferred(pod, container, resource, preferred));
        return preferred;
    }

    static <T> List<T> shuffled(Collection<T> ids) {
        List<T> order = new ArrayList<>(ids);
        Collections.shuffle(order);
        return order;
    }

    /** The kubelet's checks, in the kubelet's order and words. */
    private ResourceEntry.Free checked(String pod, String container, ResourceName resource, int count, Set<String> held)
            throws PluginException {
        if (!held.isEmpty() && held.size() != count) {
            throw new PluginException("pod \"%s\" container \"%s\" changed request for resource \"%s\" from %d to %d"
                    .formatted(pod, container, resource, held.size(), count));
        }
        ResourceEntry.Free free = ledger.free(resource)
                .orElseThrow(() -> new PluginException("cannot allocate unregistered device " + resource));
        if (free.healthy().isEmpty()) {
            throw new PluginException("no healthy devices present; cannot allocate unhealthy devices " + resource);
        }
        if (!free.healthy().containsAll(held)) {
            throw new PluginException(
                    "previously allocated devices are no longer healthy; cannot allocate unhealthy devices "
                            + resource);
        }
        return free;
    }

    ContainerAllocation start(String pod, String container) throws ContainerStartException {
        for (Map.Entry<ResourceName, Integer> limit : limits(pod, container).entrySet()) {
            ResourceName resource = limit.getKey();
            if (ledger.isOfPlugins(resource)) {
                prepare(pod, container, resource, limit.getValue());
            }
        }
        ContainerAllocation allocation = ledger.pod(pod)
                .flatMap(holder -> holder.holder(container))
                .map(Pod.Container::allocation)
                .orElse(ContainerAllocation.NOTHING);
        ledger.tell(new KubeletEvent.Started(pod, container, allocation));
        pods.started(pod);
        return allocation;
    }

    /**
     * The devices that a container asks for. For a pod that is known only from the checkpoint, the devices that it
     * holds.
     */
    private SortedMap<ResourceName, Integer> limits(String pod, String container) {
        Optional<PodSpec> spec = pods.entry(pod).map(PodTable.Entry::spec);
        if (spec.isPresent()) {
            return spec.orElseThrow().container(container).limits();
        }
        Pod holder =
                ledger.pod(pod).orElseThrow(() -> new IllegalArgumentException(pod + ": is no pod of this kubelet"));
        SortedMap<ResourceName, Integer> held = new TreeMap<>();
        holder.container(container).devices().forEach((resource, ids) -> held.put(resource, ids.size()));
        return held;
    }

    private void prepare(String pod, String container, ResourceName resource, int count)
            throws ContainerStartException {
        try {
            preStart(pod, container, resource);
        } catch (PluginException e) {
            ledger.tell(new KubeletEvent.PreStartFailed(pod, container, resource, e.reason()));
            throw new ContainerStartException(e.reason());
        }
        if (ledger.held(pod, container, resource).isEmpty()) {
            try {
                allocateLate(pod, container, resource, count);
            } catch (PluginException e) {
                ledger.tell(new KubeletEvent.AllocationFailed(pod, container, resource, e.reason()));
                throw new ContainerStartException(e.reason());
            }
        }
    }

    private void preStart(String pod, String container, ResourceName resource) throws PluginException {
        if (!ledger.hasPlugin(resource)) {
            throw noEndpoint(resource);
        }
        Optional<Endpoint> endpoint = ledger.endpoint(resource).filter(Endpoint::preStartRequired);
        if (endpoint.isEmpty()) {
            // A restarted kubelet does not know that it should ask until the plugin registers again.
            return;
        }
        SortedSet<String> ids = ledger.held(pod, container, resource);
        if (ids.isEmpty()) {
            throw new PluginException("no devices found allocated in local cache for pod %s, container %s, resource %s"
                    .formatted(pod, container, resource));
        }
        endpoint.orElseThrow().preStart(shuffled(ids));
        ledger.tell(new KubeletEvent.PreStarted(pod, container, resource, List.copyOf(ids)));
    }

    /** For a container that was admitted before its resource was listed. */
    private synchronized void allocateLate(String pod, String container, ResourceName resource, int count)
            throws PluginException {
        allocate(pod, container, resource, count, Set.of());
    }
}
