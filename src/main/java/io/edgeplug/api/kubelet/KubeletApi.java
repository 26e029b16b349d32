package io.edgeplug.api.kubelet;

import io.edgeplug.node.supply.Resource;
import io.grpc.BindableService;
import io.grpc.Channel;
import java.time.Duration;
import java.util.List;

/** A version of the kubelet's API for device plugins: how a resource is served and registered in it. */
interface KubeletApi {

    /** A kubelet of any version dials back before it answers, and has ten seconds for that. */
    Duration PATIENCE = Duration.ofSeconds(15);

    /** Whether it has all calls that a resource needs. */
    boolean serves(Resource resource);

    /** The services of a resource's socket. They report sent lists and ended streams to {@code registration}. */
    List<BindableService> services(Resource resource, Registration registration);

    /**
     * Registers a served socket with the kubelet without waiting. {@code registration} gets the answer.
     *
     * @param kubelet a connection to the kubelet
     * @param endpoint the path of the resource's socket, from the directory of the kubelet's
     */
    void announce(Channel kubelet, String endpoint, Resource resource, Registration registration);
}
