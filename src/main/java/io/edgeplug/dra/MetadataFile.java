package io.edgeplug.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.device.Device;
import io.edgeplug.dra.ClaimAllocation.Result;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The file by which a container learns which devices a request of its claim has, as in
 * {@code k8s.io/dynamic-resource-allocation/api/metadata}: the same object in each version, the newest first.
 */
final class MetadataFile {

    private static final List<String> VERSIONS =
            List.of("metadata.resource.k8s.io/v1beta1", "metadata.resource.k8s.io/v1alpha1");

    private MetadataFile() {}

    /**
     * The content of the file.
     *
     * @param podClaim the name that the pod has for a claim from a template
     * @param request all devices of one request; they are of this driver
     */
    static String content(Claims.Name claim, Optional<String> podClaim, String driver, List<GivenDevice> request) {
        JsonObject metadata = new JsonObject();
        metadata.addProperty("name", claim.name());
        metadata.addProperty("namespace", claim.namespace());
        metadata.addProperty("uid", claim.uid());
        // A program sees by this number that the file was written again with something else, which edgeplug never does.
        metadata.addProperty("generation", 1);
        JsonArray devices = new JsonArray();
        request.forEach(one -> devices.add(device(driver, one)));
        JsonObject one = new JsonObject();
        one.addProperty("name", request.getFirst().result().asked());
        one.add("devices", devices);
        JsonArray requests = new JsonArray();
        requests.add(one);
        return VERSIONS.stream()
                .map(version -> {
                    JsonObject file = new JsonObject();
                    file.addProperty("kind", "DeviceMetadata");
                    file.addProperty("apiVersion", version);
                    file.add("metadata", metadata);
                    podClaim.ifPresent(name -> file.addProperty("podClaimName", name));
                    file.add("requests", requests);
                    return file + "\n";
                })
                .collect(Collectors.joining());
    }

    private static JsonObject device(String driver, GivenDevice given) {
        Result result = given.result();
        JsonObject json = new JsonObject();
        json.addProperty("driver", driver);
        json.addProperty("pool", result.pool());
        json.addProperty("name", result.device());
        Optional<Device> now = given.now();
        now.ifPresent(device ->
                json.add("attributes", DeviceAttributes.of(given.resource().deviceClass(), device)));
        return json;
    }
}
