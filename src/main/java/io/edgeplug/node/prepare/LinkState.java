package io.edgeplug.node.prepare;

import io.edgeplug.model.rules.Step;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.kernel.LinkAddress;
import io.edgeplug.system.kernel.Links;
import io.edgeplug.system.kernel.Links.Link;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Changes of the settings of one interface on the node. A setting that it already has is left alone. */
final class LinkState {

    private final int index;
    private final List<String> problems = new ArrayList<>();

    private LinkState(int index) {
        this.index = index;
    }

    /**
     * Gives an interface the settings that a pod is to find. It is down and has no routes, so the node sends no packet
     * through it. The container runtime brings it up in the pod.
     */
    static void prepare(Link link, Step.Interface wanted, List<LinkAddress> addresses) throws IOException {
        LinkState state = new LinkState(link.index());
        state.change(link.isUp(), "brought down", () -> Links.setUp(link.index(), false));
        if (wanted.mtu().isPresent()) {
            int mtu = wanted.mtu().getAsInt();
            state.change(link.mtu() != mtu, "given the MTU " + mtu, () -> Links.setMtu(link.index(), mtu));
        }
        state.address(addresses, false);
        state.refuse();
    }

    /** Gives an interface the settings that it had. All are tried, so that one that fails prevents no other. */
    static void restore(Link link, Link before) throws IOException {
        LinkState state = new LinkState(link.index());
        boolean isOther =
                !link.name().equals(before.name()) || !link.mac().equals(before.mac()) || link.mtu() != before.mtu();
        // Older kernels rename no interface that is up, and some drivers change the address of none.
        state.change(isOther && link.isUp(), "brought down", () -> Links.setUp(link.index(), false));
        // udev gives the usual ones again by itself. One that a pod has made up may be the name of another interface.
        state.change(
                !before.altNames().containsAll(link.altNames()),
                "freed of the alternative names of its pod",
                () -> Links.keepAltNames(link.index(), before.altNames()));
        state.change(
                !link.name().equals(before.name()),
                "called " + before.name() + " again",
                () -> rename(link.index(), before.name()));
        // A move to another network namespace does not end this.
        state.change(true, "kept from the packets of others", () -> Links.endPromiscuity(link.index()));
        state.change(
                !link.mac().equals(before.mac()) && !before.mac().isEmpty(),
                "given its MAC address " + before.mac() + " again",
                () -> Links.setMac(link.index(), before.mac()));
        state.change(
                link.mtu() != before.mtu(),
                "given the MTU " + before.mtu() + " again",
                () -> Links.setMtu(link.index(), before.mtu()));
        state.address(before.addresses(), true);
        state.change(
                Links.read(link.index()).isUp() != before.isUp(),
                before.isUp() ? "brought up again" : "brought down again",
                () -> Links.setUp(link.index(), before.isUp()));
        state.refuse();
    }

    /** A pod may have swapped two names. So one that has to wait for its own name must not keep another's from it. */
    private static void rename(int index, String name) throws IOException {
        try {
            Links.rename(index, name);
        } catch (IOException e) {
            // The form that the kernel uses for an interface whose name is taken.
            Links.rename(index, "dev" + index);
            throw e;
        }
    }

    private void address(List<LinkAddress> wanted, boolean hasRoute) throws IOException {
        List<LinkAddress> found = Links.read(index).addresses();
        for (LinkAddress address : found) {
            change(!wanted.contains(address), "freed of the address " + address, () -> Links.remove(index, address));
        }
        for (LinkAddress address : wanted) {
            change(!found.contains(address), "given the address " + address, () -> Links.add(index, address, hasRoute));
        }
    }

    private void change(boolean isNeeded, String what, Front.Work<IOException> change) {
        try {
            if (isNeeded) {
                change.run();
            }
        } catch (IOException e) {
            problems.add("cannot be " + what + ": " + e.getMessage());
        }
    }

    private void refuse() throws IOException {
        if (!problems.isEmpty()) {
            throw new IOException("its network interface " + String.join("; and it ", problems));
        }
    }
}
