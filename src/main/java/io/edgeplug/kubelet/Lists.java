package io.edgeplug.kubelet;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The newest list of one resource, worked out and encoded once for all streams that send it; thread-safe.
 *
 * @param <M> the message of a version of the API
 */
final class Lists<M> {

    private final Resource resource;
    private final Function<List<Advertised>, M> encoding;

    private final Lock lock = new ReentrantLock();

    /** Guarded by the lock, as all below. */
    private final Listing listing;

    private Optional<Edition> newest = Optional.empty();
    private Optional<Encoded<M>> encoded = Optional.empty();

    /**
     * A list at one time.
     *
     * @param offer the number of the offer that it was made of
     */
    record Edition(long offer, List<Advertised> devices) {}

    private record Encoded<M>(long offer, M message) {}

    /** Of a resource, in these messages; the function is called by one thread at a time. */
    Lists(Resource resource, Function<List<Advertised>, M> encoding) {
        this.resource = resource;
        this.encoding = encoding;
        this.listing = new Listing(resource.deviceClass());
    }

    Resource resource() {
        return resource;
    }

    /** The newest list. */
    Edition newest() {
        lock.lock();
        try {
            Offer offer = resource.supply().current();
            if (newest.filter(one -> one.offer() == offer.number()).isEmpty()) {
                newest = Optional.of(
                        new Edition(offer.number(), listing.of(offer.devices(), offer.shares(), offer.numaNodes())));
            }
            return newest.orElseThrow();
        } finally {
            lock.unlock();
        }
    }

    /** A list as it is sent. */
    M message(Edition edition) {
        lock.lock();
        try {
            if (encoded.filter(one -> one.offer() == edition.offer()).isEmpty()) {
                encoded = Optional.of(new Encoded<>(edition.offer(), encoding.apply(edition.devices())));
            }
            return encoded.orElseThrow().message();
        } finally {
            lock.unlock();
        }
    }
}
