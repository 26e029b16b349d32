package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Chooses the devices of one resource for a container: first reusable ones, then aligned ones, then those that the
 * plugin prefers, and then the others, each group in random order. It follows devicesToAllocate and filterByAffinity in
 * manager.go.
 *
 * <p>Preferred devices that are not available are ignored, and so are those beyond the number. If the answer is too
 * short, its devices still count. Without a policy, the plugin is asked even if there is no choice, as the kubelet
 * does.
 */
final class Choice {

    private final Ledger ledger;
    private final String pod;
    private final String container;
    private final ResourceName resource;
    private final int count;
    private final Set<String> chosen = new LinkedHashSet<>();

    Choice(Ledger ledger, String pod, String container, ResourceName resource, int count) {
        this.ledger = ledger;
        this.pod = pod;
        this.container = container;
        this.resource = resource;
        this.count = count;
    }

    /**
     * Chooses.
     *
     * @param affinity the NUMA nodes to align on, as a mask
     */
    List<String> make(FreeDevices free, Set<String> reusable, long affinity) throws PluginException {
        if (take(reusable)) {
            return shuffled(chosen);
        }
        SortedSet<String> available = free.available();
        int needed = count - chosen.size();
        if (available.size() < needed) {
            throw new PluginException("requested number of devices unavailable for %s. Requested: %d, Available: %d"
                    .formatted(resource, needed, available.size()));
        }
        boolean aligns = free.hasTopology() && affinity != TopologyHint.ANY;
        Set<String> aligned = new TreeSet<>(available);
        aligned.removeIf(id -> !aligns || (free.mask(id) & affinity) == 0);
        if (needed < aligned.size()) {
            if (!take(common(preferred(aligned), aligned))) {
                take(aligned);
            }
            return shuffled(chosen);
        }
        if (take(aligned) || take(common(preferred(available), available))) {
            return shuffled(chosen);
        }
        Set<String> unaligned = new TreeSet<>(available);
        unaligned.removeIf(id -> !aligns || !free.hasTopology(id));
        if (!take(unaligned)) {
            take(available);
        }
        return shuffled(chosen);
    }

    /** Returns whether that is enough. */
    private boolean take(Collection<String> ids) {
        for (String id : shuffled(ids)) {
            if (chosen.size() == count) {
                break;
            }
            chosen.add(id);
        }
        return chosen.size() == count;
    }

    private List<String> preferred(Set<String> available) throws PluginException {
        Endpoint endpoint = ledger.endpoint(resource).orElseThrow(() -> Admission.noEndpoint(resource));
        if (!endpoint.preferredAllocationAvailable()) {
            return List.of();
        }
        Set<String> all = new TreeSet<>(available);
        all.addAll(chosen);
        List<String> preferred = endpoint.preferred(shuffled(all), shuffled(chosen), count);
        ledger.tell(new KubeletEvent.Preferred(pod, container, resource, preferred));
        return preferred;
    }

    private static Set<String> common(List<String> ids, Set<String> allowed) {
        Set<String> common = new LinkedHashSet<>(ids);
        common.retainAll(allowed);
        return common;
    }

    static <T> List<T> shuffled(Collection<T> ids) {
        List<T> order = new ArrayList<>(ids);
        Collections.shuffle(order);
        return order;
    }
}
