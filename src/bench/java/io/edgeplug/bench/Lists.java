package io.edgeplug.bench;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.ListedDevice;
import io.edgeplug.model.device.ResourceName;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The lists of a resource that came to the kubelet, each with the time. */
final class Lists {

    private static final long PATIENCE_SECONDS = 30;

    private record Came(int healthy, long when) {}

    private final BlockingQueue<Came> came = new LinkedBlockingQueue<>();
    private final ResourceName resource;

    Lists(ResourceName resource) {
        this.resource = resource;
    }

    void note(KubeletEvent event) {
        long now = System.nanoTime();
        if (event instanceof KubeletEvent.DeviceList list && list.resource().equals(resource)) {
            int healthy =
                    (int) list.devices().stream().filter(ListedDevice::healthy).count();
            came.add(new Came(healthy, now));
        }
    }

    /** When the list came that has so many. */
    long await(int healthy) throws InterruptedException, TimeoutException {
        while (true) {
            Came next = came.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new TimeoutException("no list of " + healthy + " devices");
            }
            if (next.healthy() == healthy) {
                return next.when();
            }
        }
    }
}
