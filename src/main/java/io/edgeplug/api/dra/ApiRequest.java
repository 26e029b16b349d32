package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A request to the API server; the methods make all kinds that there are. The Node authorizer of Kubernetes allows those
 * for slices, and for one claim of a pod of its node, to a kubelet's own identity. Those for all claims and for their
 * status need a role, see {@link NodeRights}.
 *
 * @param path the path and its query
 * @param body the JSON that is sent
 * @param right the permission that the identity needs, for a person
 */
record ApiRequest(String method, String path, Optional<String> body, String right) {

    private static final String GROUP = "/apis/resource.k8s.io/v1/";
    private static final String SLICES = GROUP + "resourceslices";
    private static final String CLAIMS = GROUP + "resourceclaims";
    private static final String APPLY = "PATCH";
    private static final String IN_GROUP = " in API group resource.k8s.io";

    /** The server ends a watch after this time. So a watch does not last if its other end is gone unnoticed. */
    private static final int WATCH_SECONDS = 300;

    /** Asks for the node, because its slices name its UID. */
    static ApiRequest node(String name) {
        return get("/api/v1/nodes/" + encoded(name), "get nodes");
    }

    /** Asks for all slices of a driver on a node. */
    static ApiRequest slices(String node, String driver) {
        return get(SLICES + "?" + selector(node, driver), "list resourceslices" + IN_GROUP);
    }

    /** Asks for a watch of these slices. */
    static ApiRequest watchSlices(String node, String driver, String resourceVersion) {
        String path = SLICES + "?" + watch(resourceVersion) + "&" + selector(node, driver);
        return get(path, "watch resourceslices" + IN_GROUP);
    }

    /** Makes a slice. */
    static ApiRequest create(String slice) {
        return new ApiRequest("POST", SLICES, Optional.of(slice), "create resourceslices" + IN_GROUP);
    }

    /** The same without an effect: the server only says whether it would make the slice. */
    static ApiRequest tryCreate(String slice) {
        return new ApiRequest("POST", SLICES + "?dryRun=All", Optional.of(slice), "create resourceslices" + IN_GROUP);
    }

    /** Replaces a slice. The body names the version that is replaced. */
    static ApiRequest replace(String name, String slice) {
        return new ApiRequest(
                "PUT", SLICES + "/" + encoded(name), Optional.of(slice), "update resourceslices" + IN_GROUP);
    }

    /** Deletes a slice, but only if it has this UID. */
    static ApiRequest delete(String name, String uid) {
        JsonObject options = Json.of("kind", "DeleteOptions", "apiVersion", "v1", "preconditions", Json.of("uid", uid));
        return new ApiRequest(
                "DELETE",
                SLICES + "/" + encoded(name),
                Optional.of(options.toString()),
                "delete resourceslices" + IN_GROUP);
    }

    /** Asks for a claim. */
    static ApiRequest claim(String namespace, String name) {
        return get(path(namespace, name), "get resourceclaims" + IN_GROUP);
    }

    /**
     * Asks for some of the claims of all namespaces, because nothing selects those of one node.
     *
     * @param from what the last answer says of the next claims; empty for the first ones
     */
    static ApiRequest claims(int most, String from) {
        String path = CLAIMS + "?limit=" + most + (from.isEmpty() ? "" : "&continue=" + encoded(from));
        return get(path, "list resourceclaims" + IN_GROUP);
    }

    /** Asks for a watch of all claims. */
    static ApiRequest watchClaims(String resourceVersion) {
        return get(CLAIMS + "?" + watch(resourceVersion), "watch resourceclaims" + IN_GROUP);
    }

    /** Sets the driver's part of a claim's status. What others have written there stays. */
    static ApiRequest applyStatus(String namespace, String name, String driver, String claim) {
        return new ApiRequest(
                APPLY,
                path(namespace, name) + "/status?force=true&fieldManager=" + encoded(driver),
                Optional.of(claim),
                "patch resourceclaims/status" + IN_GROUP);
    }

    /** Asks whether the identity may do something. */
    static ApiRequest review(String attributes) {
        return new ApiRequest(
                "POST",
                "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                Optional.of(attributes),
                "create selfsubjectaccessreviews in API group authorization.k8s.io");
    }

    /** Asks who the identity is. */
    static ApiRequest whoAmI() {
        return new ApiRequest(
                "POST",
                "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                Optional.of("{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\"}"),
                "create selfsubjectreviews in API group authentication.k8s.io");
    }

    private static ApiRequest get(String path, String right) {
        return new ApiRequest("GET", path, Optional.empty(), right);
    }

    private static String path(String namespace, String claim) {
        return GROUP + "namespaces/" + encoded(namespace) + "/resourceclaims/" + encoded(claim);
    }

    private static String watch(String resourceVersion) {
        return "watch=1&allowWatchBookmarks=true&timeoutSeconds=" + WATCH_SECONDS + "&resourceVersion="
                + encoded(resourceVersion);
    }

    private static String selector(String node, String driver) {
        return "fieldSelector=" + encoded("spec.nodeName=" + node + ",spec.driver=" + driver);
    }

    /** How the API server must read the body. */
    String contentType() {
        return method.equals(APPLY) ? "application/apply-patch+yaml" : "application/json";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
