package io.edgeplug.dra;

import com.google.gson.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * What is asked of the API server: all requests that there are. The Node authorizer of Kubernetes allows each of them to a
 * kubelet's own identity.
 *
 * @param path with what is asked
 * @param body what is sent
 * @param right what the identity must be allowed, for a person
 */
record ApiRequest(String method, String path, Optional<JsonObject> body, String right) {

    private static final String GROUP = "/apis/resource.k8s.io/v1/";
    private static final String SLICES = GROUP + "resourceslices";
    private static final String IN_GROUP = " in API group resource.k8s.io";

    /** After that long the server ends a watch, so that one whose other end has gone unnoticed does not last. */
    private static final int WATCH_SECONDS = 300;

    /** Asks for the node, whose UID its slices name. */
    static ApiRequest node(String name) {
        return new ApiRequest("GET", "/api/v1/nodes/" + encoded(name), Optional.empty(), "get nodes");
    }

    /** Asks for all slices of a driver on a node. */
    static ApiRequest slices(String node, String driver) {
        return new ApiRequest(
                "GET", SLICES + "?" + selector(node, driver), Optional.empty(), "list resourceslices" + IN_GROUP);
    }

    /** Asks to be told what becomes of them. */
    static ApiRequest watchSlices(String node, String driver, String resourceVersion) {
        String path = SLICES + "?watch=1&allowWatchBookmarks=true&timeoutSeconds=" + WATCH_SECONDS + "&resourceVersion="
                + encoded(resourceVersion) + "&" + selector(node, driver);
        return new ApiRequest("GET", path, Optional.empty(), "watch resourceslices" + IN_GROUP);
    }

    /** Makes a slice. */
    static ApiRequest create(JsonObject slice) {
        return new ApiRequest("POST", SLICES, Optional.of(slice), "create resourceslices" + IN_GROUP);
    }

    /** Replaces a slice, of which the body says the version that it replaces. */
    static ApiRequest replace(String name, JsonObject slice) {
        return new ApiRequest(
                "PUT", SLICES + "/" + encoded(name), Optional.of(slice), "update resourceslices" + IN_GROUP);
    }

    /** Deletes a slice, if it is the one that is meant. */
    static ApiRequest delete(String name, String uid) {
        JsonObject preconditions = new JsonObject();
        preconditions.addProperty("uid", uid);
        JsonObject options = new JsonObject();
        options.addProperty("kind", "DeleteOptions");
        options.addProperty("apiVersion", "v1");
        options.add("preconditions", preconditions);
        return new ApiRequest(
                "DELETE", SLICES + "/" + encoded(name), Optional.of(options), "delete resourceslices" + IN_GROUP);
    }

    /** Asks for a claim. */
    static ApiRequest claim(String namespace, String name) {
        return new ApiRequest(
                "GET",
                GROUP + "namespaces/" + encoded(namespace) + "/resourceclaims/" + encoded(name),
                Optional.empty(),
                "get resourceclaims" + IN_GROUP);
    }

    private static String selector(String node, String driver) {
        return "fieldSelector=" + encoded("spec.nodeName=" + node + ",spec.driver=" + driver);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
