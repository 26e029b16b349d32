package io.edgeplug.kubelet;

import io.edgeplug.supply.Resource;
import io.grpc.BindableService;
import io.grpc.Channel;
import java.time.Duration;
import java.util.List;

/** A version of the kubelet's API for device plugins: how a resource is served and announced in it. */
interface KubeletApi {

    /** A kubelet of any version dials back before it answers, for which it gives itself ten seconds. */
    Duration PATIENCE = Duration.ofSeconds(15);

    /** Whether it has all the calls that a resource needs. */
    boolean serves(Resource resource);

    /** What a resource's socket answers; {@code progress} is told of lists sent and streams ended. */
    List<BindableService> services(Resource resource, Progress progress);

    /**
     * Tells the kubelet of a socket that is served, and does not wait: {@code progress} gets the answer.
     *
     * @param kubelet a connection to the kubelet
     * @param endpoint the file name of the resource's socket, beside the kubelet's
     */
    void announce(Channel kubelet, String endpoint, Resource resource, Progress progress);
}
