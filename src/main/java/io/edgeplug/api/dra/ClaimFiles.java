package io.edgeplug.api.dra;

import io.edgeplug.model.device.Shares;
import io.edgeplug.node.container.Allocation.Mount;
import io.edgeplug.node.container.ClaimMetadata;
import io.edgeplug.node.container.ClaimSpecs;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.system.flow.Front;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The files of claims: a note of the devices of each claim, its CDI specification for the container runtime, and what
 * containers are told of its devices. Nothing is written after this is closed, even if a claim is still being prepared
 * or released. Somebody else may have released the claim meanwhile, and a late note would bring it back for ever.
 * Thread-safe, with one thread for each claim.
 */
final class ClaimFiles implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ClaimFiles.class.getName());

    private final PreparedClaims notes;
    private final ClaimSpecs specifications;
    private final ClaimMetadata metadata;
    private final ClaimInterfaces interfaces;
    private final String boot;
    private final ReadWriteLock closing = new ReentrantReadWriteLock();

    /** Guarded by {@link #closing}. */
    private boolean isClosed;

    /**
     * The files of a node's claims.
     *
     * @param boot identifies this boot of the node
     */
    ClaimFiles(
            PreparedClaims notes,
            ClaimSpecs specifications,
            ClaimMetadata metadata,
            ClaimInterfaces interfaces,
            String boot) {
        this.notes = notes;
        this.specifications = specifications;
        this.metadata = metadata;
        this.interfaces = interfaces;
        this.boot = boot;
    }

    /** Writes the files of all claims that are ready again, and removes all others. */
    void recover() {
        List<PreparedClaim> ready = notes.all().stream().filter(this::isReady).toList();
        metadata.keep(ready.stream().collect(Collectors.toMap(PreparedClaim::uid, PreparedClaim::metadata)))
                .forEach(LOG::warning);
        specifications
                .keep(ready.stream().collect(Collectors.toMap(PreparedClaim::uid, interfaces::specification)))
                .forEach(LOG::warning);
    }

    /** The mount of what containers are told of the devices of one request. */
    Mount mount(Claims.Name claim, @Nullable String podClaim, String request, String driver) {
        return metadata.mount(claim.uid(), claim.name(), podClaim, request, driver);
    }

    /** The claims that are noted, for whoever only reads. */
    PreparedClaims notes() {
        return notes;
    }

    /** Identifies this boot of the node. */
    String boot() {
        return boot;
    }

    /** Whether a claim was completely prepared since the node was booted. */
    boolean isReady(PreparedClaim claim) {
        return claim.isReady(boot);
    }

    /** Where the network interfaces of claims are, and how they are called. */
    ClaimInterfaces interfaces() {
        return interfaces;
    }

    /**
     * Whether a claim has a device or a share of it. False once this is closed, because others may have released it.
     */
    boolean has(String uid, String device) {
        closing.readLock().lock();
        try {
            return !isClosed
                    && notes.of(uid).stream()
                            .flatMap(claim -> claim.devices().stream())
                            .anyMatch(one -> Shares.whole(one.id()).equals(device));
        } finally {
            closing.readLock().unlock();
        }
    }

    /** Refuses if this is closed, because others have the claims then. */
    void checkOpen() throws IOException {
        whileOpen(() -> {});
    }

    /** Refuses a new claim if it is not known which devices another one has. */
    void refuseIfUnread(String uid) throws IOException {
        if (notes.of(uid).isEmpty()) {
            notes.refuseIfUnread();
        }
    }

    /** Notes the devices of a claim that is not ready yet. */
    void note(PreparedClaim claim) throws IOException {
        whileOpen(() -> notes.note(claim));
    }

    /** Notes that a claim is ready, after its other files were written. */
    void noteReady(PreparedClaim claim) throws IOException {
        whileOpen(() -> {
            write(claim);
            notes.note(claim);
        });
    }

    /** Writes the files of a ready claim again. */
    void restore(PreparedClaim claim) throws IOException {
        whileOpen(() -> write(claim));
    }

    /** Writes where the network interfaces of ready claims are now. A claim that was just released is left alone. */
    void followInterfaces() {
        for (PreparedClaim claim : notes.all()) {
            if (isReady(claim) && interfaces.hasAny(claim)) {
                ifUnchanged(claim, () -> write(claim));
            }
        }
    }

    /** Notes that what was done for a claim is lost, unless the claim has changed meanwhile. */
    void noteUndone(PreparedClaim claim) {
        ifUnchanged(claim, () -> notes.note(claim.undone()));
    }

    /** Writes something of a claim, unless it was released or changed meanwhile. */
    private void ifUnchanged(PreparedClaim claim, Front.Work<IOException> work) {
        closing.writeLock().lock();
        try {
            if (!isClosed && notes.of(claim.uid()).equals(Optional.of(claim))) {
                work.run();
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, claim + ": " + e.getMessage(), e);
        } finally {
            closing.writeLock().unlock();
        }
    }

    void remove(String uid) throws IOException {
        whileOpen(() -> {
            specifications.remove(uid);
            metadata.remove(uid);
            notes.forget(uid);
        });
    }

    private void write(PreparedClaim claim) throws IOException {
        if (claim.devices().stream().anyMatch(device -> device.cdi().isPresent())) {
            // The specification mounts the other files.
            Optional<String> problem = metadata.write(claim.uid(), claim.metadata())
                    .or(() -> specifications.write(claim.uid(), interfaces.specification(claim)));
            if (problem.isPresent()) {
                throw new IOException(problem.orElseThrow());
            }
        }
    }

    private void whileOpen(Front.Work<IOException> writing) throws IOException {
        closing.readLock().lock();
        try {
            if (isClosed) {
                throw new IOException("edgeplug has read its configuration again meanwhile");
            }
            writing.run();
        } finally {
            closing.readLock().unlock();
        }
    }

    /** Waits until nothing is being written. */
    @Override
    public void close() {
        closing.writeLock().lock();
        try {
            isClosed = true;
        } finally {
            closing.writeLock().unlock();
        }
    }
}
