package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.TestSlices.names;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.model.device.Device;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the devices that a {@link SlicePublisher} publishes on a {@link StrictApiServer}. */
abstract class OnApiServer {

    static final String DRIVER = "edgeplug.io";

    @TempDir
    Path directory = Path.of("");

    @AutoClose
    final Closing closing = new Closing();

    private final AtomicReference<List<Offer>> offers = new AtomicReference<>(List.of());
    StrictApiServer server;
    SlicePublisher publisher;

    @BeforeEach
    final void open() throws Exception {
        server = closing.add(StrictApiServer.open());
        ApiServer api =
                closing.add(new ApiServer(TestIdentity.write(directory, server.port(), TestIdentity.NODE1), null));
        publisher = publisher(api);
    }

    /** A publisher that is not started yet. */
    final SlicePublisher publisher(ApiServer api) {
        return closing.add(new SlicePublisher(api, DRIVER, new KeptFields(DRIVER), offers::get));
    }

    final void offer(Offer... now) {
        offers.set(List.of(now));
        publisher.wake();
    }

    /** Offers devices that are free. */
    final void offer(List<Device> devices) {
        offer(TestSlices.offer(TestSlices.vfs(false), devices, Set.of(), Set.of()));
    }

    final List<JsonObject> published(List<Device> devices) throws InterruptedException {
        offer(devices);
        return start(devices.size());
    }

    /** Starts it as if the kubelet had just accepted the driver, and returns the slices once they are as wanted. */
    final List<JsonObject> start(Predicate<List<JsonObject>> wanted) throws InterruptedException {
        publisher.start();
        publisher.want();
        return server.await(wanted);
    }

    /** The same for slices that name so many devices. */
    final List<JsonObject> start(int devices) throws InterruptedException {
        return start(slices -> names(slices).size() == devices);
    }

    /** The number of requests that begin with a text, such as {@code POST}. */
    final long count(String request) {
        return server.requests().stream().filter(one -> one.startsWith(request)).count();
    }
}
