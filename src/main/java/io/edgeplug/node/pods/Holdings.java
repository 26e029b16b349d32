package io.edgeplug.node.pods;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.node.pods.HeldDevices.Holding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The devices that pods and claims hold, by the notes of the kubelet and of edgeplug's daemon. It is for whoever runs
 * beside the daemon or before it. A share of a device holds the device, however it was handed over.
 */
public final class Holdings {

    private final HeldDevices held;
    private final PreparedClaims claims;

    private Holdings(HeldDevices held, PreparedClaims claims) {
        this.held = held;
        this.claims = claims;
    }

    /**
     * Reads the notes.
     *
     * @param root the node's root directory
     * @param kubeletDir the kubelet's directory for device plugins; null if it has no notes, or none that still count
     * @throws IOException if it is not known what is held; the message says why
     */
    public static Holdings read(Path root, @Nullable Path kubeletDir) throws IOException {
        PreparedClaims claims = PreparedClaims.ofThisBoot(root);
        HeldDevices held = kubeletDir == null ? HeldDevices.nothing() : HeldDevices.read(kubeletDir);
        return new Holdings(held.with(claims.holdings()), claims);
    }

    /**
     * The first holder of a device, or of a part or a share of it; see {@link HeldDevices#all(Device)}.
     *
     * @throws IOException if nobody is known to hold it, but the note of a claim cannot be read
     */
    public Optional<Holding> of(Device device) throws IOException {
        return certain(held.all(device).stream());
    }

    /** The same for a device that may be gone, by its ID. */
    public Optional<Holding> of(String device) throws IOException {
        return certain(held.all(any -> true).filter(holding -> holding.isOf(device)));
    }

    /** The same for a function and all that belongs to it, among some holders. */
    public Optional<Holding> ofFunction(PciAddress address, Predicate<Holding> wanted) throws IOException {
        return certain(held.ofFunction(address).stream().filter(wanted));
    }

    private Optional<Holding> certain(Stream<Holding> holders) throws IOException {
        Optional<Holding> holder = holders.findFirst();
        if (holder.isEmpty()) {
            claims.refuseIfUnread();
        }
        return holder;
    }

    /** The claim by which it is held; empty if the device plugin has handed it over. */
    public Optional<PreparedClaim> claim(Holding holding) {
        return holding.claim().flatMap(claims::of);
    }
}
