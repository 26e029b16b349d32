package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether a node may do on the API server what the driver does there. Publishing is tried with the driver's own requests,
 * which change nothing. Claims of pods cannot be tried, because a node may read only those that there are. So the server
 * is asked for the rights that are needed for claims whose pods are not bound yet, and for the status of claims. The Node
 * authorizer gives a node none of these.
 */
public final class NodeRights {

    static final String GROUP = "resource.k8s.io";
    static final String CLAIMS = "resourceclaims";

    /** The API server asks for this beside the right to patch the status, with the name of the driver. */
    static final String DRIVER = "driver";

    static final String STATUS = "status";
    static final String PATCH = "patch";

    /** For a service account whose token is bound to the node to which the claim is allocated. */
    static final String ASSOCIATED = "associated-node:" + PATCH;

    /** For everybody else, such as the node itself. */
    static final String ARBITRARY = "arbitrary-node:" + PATCH;

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** The content does not matter, because the server only says whether it would take it. */
    private static final SliceContent NO_DEVICES = SliceContent.of(SliceContent.DEVICES, new JsonArray());

    private static final String USER = "status/userInfo/";
    private static final String NODE_NAME = "authentication.kubernetes.io/node-name";
    private static final NeededFields ALLOWED = new NeededFields("status/allowed");
    private static final NeededFields WHO = new NeededFields(USER + "username", USER + "extra/" + NODE_NAME);

    private final ApiServer api;
    private final String driver;

    NodeRights(ApiServer api, String driver) {
        this.api = api;
        this.driver = driver;
    }

    /**
     * Why devices are prepared only when the kubelet asks, and not before pods are bound, as {@link #obstacle} says it;
     * empty if the identity may do what that needs.
     */
    public static Optional<String> obstacleToEarlyPreparation(Path kubeconfig, String driver, String node)
            throws InterruptedException {
        try (ApiServer api = new ApiServer(kubeconfig, node)) {
            return new NodeRights(api, driver).missing(true);
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

    /**
     * The rights that the identity lacks to write the status of claims, as a sentence without its end; empty if it has
     * them all.
     *
     * @param follows whether it also needs those to follow all claims
     */
    Optional<String> missing(boolean follows) throws IOException, InterruptedException {
        List<String> missing = new ArrayList<>();
        for (String verb : follows ? List.of("get", "list", "watch") : List.<String>of()) {
            if (!may(verb, "", "")) {
                missing.add(verb + " " + CLAIMS);
            }
        }
        if (!may(PATCH, STATUS, "")) {
            missing.add(PATCH + " " + CLAIMS + "/" + STATUS);
        }
        if (!may(ARBITRARY, DRIVER, driver) && !(may(ASSOCIATED, DRIVER, driver) && isAccountOfNode())) {
            missing.add((isAccountOfNode() ? ASSOCIATED : ARBITRARY) + " " + CLAIMS + "/" + DRIVER + " " + driver);
        }
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of("the identity in " + api.file() + " is not allowed to " + String.join(", ", missing)
                        + " in API group " + GROUP + "; edgeplug dra rbac prints the role");
    }

    private boolean may(String verb, String subresource, String name) throws IOException, InterruptedException {
        JsonObject attributes =
                Json.of("group", GROUP, "resource", CLAIMS, "subresource", subresource, "name", name, "verb", verb);
        JsonObject spec = Json.of("resourceAttributes", attributes);
        JsonObject review =
                Json.of("apiVersion", "authorization.k8s.io/v1", "kind", "SelfSubjectAccessReview", "spec", spec);
        return api.ask(
                ApiRequest.review(review.toString()),
                ApiReading.fields(
                        ALLOWED,
                        answer -> Json.text(Json.object(answer, "status"), "allowed")
                                .equals("true")),
                PATIENCE);
    }

    /** Whether the identity is a service account whose token is bound to this node. */
    private boolean isAccountOfNode() throws IOException, InterruptedException {
        String node = api.nodeName();
        return api.ask(
                ApiRequest.whoAmI(),
                ApiReading.fields(WHO, answer -> {
                    JsonObject user = Json.object(Json.object(answer, "status"), "userInfo");
                    return Json.text(user, "username").startsWith("system:serviceaccount:")
                            && Json.texts(Json.object(user, "extra"), NODE_NAME)
                                    .toList()
                                    .equals(List.of(node));
                }),
                PATIENCE);
    }
}
