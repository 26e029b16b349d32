package io.edgeplug.api.kubelet;

import io.edgeplug.node.supply.Resource;
import io.edgeplug.node.supply.Stock;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The newest list of one resource, made and encoded once for all streams that send it; thread-safe.
 *
 * @param <M> the message of a version of the API
 */
final class Lists<M> {

    private final Resource resource;
    private final Function<List<Advertised>, M> encoding;

    private final Lock lock = new ReentrantLock();

    /** Guarded by the lock, like all fields below. */
    private final Listing listing;

    private @Nullable Edition newest;
    private @Nullable Encoded<M> encoded;

    /**
     * A list at one time.
     *
     * @param stock the number of its stock
     * @param toldAgain grows if the list must be sent again although nothing differs
     */
    record Edition(long stock, List<Advertised> devices, long toldAgain) {}

    private record Encoded<M>(long stock, M message) {}

    /** The lists of a resource in these messages. One thread at a time calls the function. */
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
            // The order matters: a list that is sent again has a stock of its own.
            Stock stock = resource.supply().current();
            long toldAgain = resource.supply().toldAgain();
            if (newest == null || newest.stock() != stock.number()) {
                newest = new Edition(stock.number(), devices(stock), toldAgain);
            }
            return newest;
        } finally {
            lock.unlock();
        }
    }

    private List<Advertised> devices(Stock stock) {
        return resource.deviceClass().isClaimed()
                ? List.of()
                : listing.of(stock.devices(), stock.shares(), stock.numaNodes());
    }

    /** The message of a list. */
    M message(Edition edition) {
        lock.lock();
        try {
            if (encoded == null || encoded.stock() != edition.stock()) {
                encoded = new Encoded<>(edition.stock(), encoding.apply(edition.devices()));
            }
            return encoded.message();
        } finally {
            lock.unlock();
        }
    }
}
