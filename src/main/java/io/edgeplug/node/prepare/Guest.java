package io.edgeplug.node.prepare;

import java.util.Collections;
import java.util.Set;

/**
 * Who gets a device with its network interface.
 *
 * @param users the UIDs under which the device is held: of pods, or of claims
 * @param pods the UIDs of the pods, whose interfaces have different names
 * @param sandbox the cgroups of the pod's containers, as the kubelet's runtime names them. One of them is its sandbox's,
 *     which has the network namespace. Empty if that is not known, as before a pod with a claim starts
 */
public record Guest(Set<String> users, Set<String> pods, Set<String> sandbox) {

    /** Users whose sandbox is not known. */
    public Guest(Set<String> users, Set<String> pods) {
        this(users, pods, Set.of());
    }

    public Guest {
        users = Set.copyOf(users);
        pods = Set.copyOf(pods);
        sandbox = Set.copyOf(sandbox);
    }

    Guest in(Set<String> containers) {
        return new Guest(users, pods, containers);
    }

    boolean isSame(Guest other) {
        return !Collections.disjoint(users, other.users);
    }

    boolean isInPodOf(Guest other) {
        return !Collections.disjoint(pods, other.pods);
    }

    /** Whether the pod may still have the sandbox that it had. A new one has other cgroups, and so has each container in it. */
    boolean mayBeInSandboxOf(Guest other) {
        return sandbox.isEmpty() || other.sandbox.isEmpty() || !Collections.disjoint(sandbox, other.sandbox);
    }
}
