package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rights that an identity needs for claims whose pods are not bound yet, and for the status of claims. The Node
 * authorizer gives a node none of them.
 */
final class ClaimRights {

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
    private static final int FEW_NAMES = 16 << 10;
    private static final String USER = "status/userInfo/";
    private static final String NODE_NAME = "authentication.kubernetes.io/node-name";
    private static final NeededFields ALLOWED = new NeededFields("status/allowed");
    private static final NeededFields WHO = new NeededFields(USER + "username", USER + "extra/" + NODE_NAME);

    private final ApiServer api;
    private final String driver;

    ClaimRights(ApiServer api, String driver) {
        this.api = api;
        this.driver = driver;
    }

    /**
     * The rights that the identity lacks to follow all claims and to write their status, as a sentence without its end;
     * empty if it has them all.
     *
     * @param kubeconfig the file of the identity, for a person
     */
    Optional<String> missing(Path kubeconfig) throws IOException, InterruptedException {
        List<String> missing = new ArrayList<>();
        for (String verb : List.of("get", "list", "watch")) {
            if (!may(verb, "", "")) {
                missing.add(verb + " " + CLAIMS);
            }
        }
        return text(kubeconfig, missing, missingForStatus());
    }

    /** Those that it lacks to write the status of claims for which the kubelet has asked. */
    Optional<String> missingForStatus(Path kubeconfig) throws IOException, InterruptedException {
        return text(kubeconfig, List.of(), missingForStatus());
    }

    private static Optional<String> text(Path kubeconfig, List<String> first, List<String> second) {
        List<String> all = new ArrayList<>(first);
        all.addAll(second);
        return all.isEmpty()
                ? Optional.empty()
                : Optional.of("the identity in " + kubeconfig + " is not allowed to " + String.join(", ", all)
                        + " in API group " + GROUP + "; edgeplug dra rbac prints the role");
    }

    private List<String> missingForStatus() throws IOException, InterruptedException {
        List<String> missing = new ArrayList<>();
        if (!may(PATCH, STATUS, "")) {
            missing.add(PATCH + " " + CLAIMS + "/" + STATUS);
        }
        if (!may(ARBITRARY, DRIVER, driver) && !(may(ASSOCIATED, DRIVER, driver) && isAccountOfNode())) {
            missing.add((isAccountOfNode() ? ASSOCIATED : ARBITRARY) + " " + CLAIMS + "/" + DRIVER + " " + driver);
        }
        return missing;
    }

    private boolean may(String verb, String subresource, String name) throws IOException, InterruptedException {
        JsonObject attributes = Json.of("group", GROUP, "resource", CLAIMS, "verb", verb);
        if (!subresource.isEmpty()) {
            attributes.addProperty("subresource", subresource);
        }
        if (!name.isEmpty()) {
            attributes.addProperty("name", name);
        }
        JsonObject review = Json.of(
                "apiVersion",
                "authorization.k8s.io/v1",
                "kind",
                "SelfSubjectAccessReview",
                "spec",
                Json.of("resourceAttributes", attributes));
        return api.ask(
                ApiRequest.review(review.toString()),
                ApiReading.json(
                        FEW_NAMES,
                        json -> Json.text(Json.object(ALLOWED.read(json, FEW_NAMES), "status"), "allowed")
                                .equals("true")),
                PATIENCE);
    }

    /** Whether the identity is a service account whose token is bound to this node. */
    private boolean isAccountOfNode() throws IOException, InterruptedException {
        String node = api.nodeName();
        return api.ask(
                ApiRequest.whoAmI(),
                ApiReading.json(FEW_NAMES, json -> {
                    JsonObject user = Json.object(Json.object(WHO.read(json, FEW_NAMES), "status"), "userInfo");
                    return Json.text(user, "username").startsWith("system:serviceaccount:")
                            && Json.object(user, "extra").get(NODE_NAME) instanceof JsonArray names
                            && names.asList().stream()
                                    .filter(JsonElement::isJsonPrimitive)
                                    .map(JsonElement::getAsString)
                                    .toList()
                                    .equals(List.of(node));
                }),
                PATIENCE);
    }
}
