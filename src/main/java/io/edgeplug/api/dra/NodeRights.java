package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Whether a node may do on the API server what the driver does there. The requests are the driver's own, and change
 * nothing. Claims of pods cannot be tried, because a node may read only those that there are.
 */
public final class NodeRights {

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** The content does not matter, because the server only says whether it would take it. */
    private static final SliceContent NO_DEVICES = SliceContent.of(SliceContent.DEVICES, new JsonArray());

    private NodeRights() {}

    /**
     * Why devices are prepared only when the kubelet asks, and not before pods are bound, as {@link #obstacle} says it;
     * empty if the identity may do what that needs.
     */
    public static Optional<String> obstacleToEarlyPreparation(Path kubeconfig, String driver, String node)
            throws InterruptedException {
        try (ApiServer api = new ApiServer(kubeconfig, node)) {
            return new ClaimRights(api, driver).missing(kubeconfig);
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Why the node could not publish its devices: the first reason, as a sentence without its end; empty if it could.
     *
     * @param kubeconfig the file of the identity
     * @param node the name of the node
     */
    public static Optional<String> obstacle(Path kubeconfig, String driver, String node) throws InterruptedException {
        try (ApiServer api = new ApiServer(kubeconfig, node)) {
            String uid = api.ask(ApiRequest.node(node), ApiReading.uid(), PATIENCE);
            Slice.Place place = new Slice.Place(driver, node, uid);
            for (ApiRequest request : List.of(
                    ApiRequest.slices(node, driver),
                    ApiRequest.tryCreate(Slice.json(place, 0, 1, 1, NO_DEVICES, null)))) {
                boolean ignored = api.ask(request, ApiReading.nothing(), PATIENCE);
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
