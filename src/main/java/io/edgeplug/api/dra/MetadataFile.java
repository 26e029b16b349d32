package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.api.dra.ClaimAllocation.Result;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The file by which a container learns which devices a request of its claim has, as in
 * {@code k8s.io/dynamic-resource-allocation/api/metadata}: the same object in each version, the newest first.
 */
final class MetadataFile {

    private static final List<String> VERSIONS =
            List.of("metadata.resource.k8s.io/v1beta1", "metadata.resource.k8s.io/v1alpha1");

    private MetadataFile() {}

    /**
     * The content of the file of each request, by the name of the request.
     *
     * @param devices of all requests; they are of this driver
     */
    static Map<String, String> contents(
            Claims.Name claim, ClaimAllocation allocation, String driver, List<GivenDevice> devices) {
        return devices.stream()
                .collect(Collectors.groupingBy(
                        one -> one.result().request(),
                        Collectors.collectingAndThen(
                                Collectors.toList(), own -> content(claim, allocation, driver, own))));
    }

    private static String content(
            Claims.Name claim, ClaimAllocation allocation, String driver, List<GivenDevice> devices) {
        // A program sees by the generation that the file was written again with something else, which edgeplug never
        // does.
        JsonObject metadata =
                Json.of("name", claim.name(), "namespace", claim.namespace(), "uid", claim.uid(), "generation", 1);
        JsonArray own = Json.array(devices.stream().map(one -> device(driver, one)));
        JsonObject request = Json.of("name", devices.getFirst().result().asked(), "devices", own);
        StringBuilder text = new StringBuilder();
        for (String version : VERSIONS) {
            JsonObject file = Json.of("kind", "DeviceMetadata", "apiVersion", version, "metadata", metadata);
            allocation.podClaim().ifPresent(name -> file.addProperty("podClaimName", name));
            file.add("requests", Json.array(Stream.of(request)));
            text.append(file).append('\n');
        }
        return text.toString();
    }

    private static JsonObject device(String driver, GivenDevice given) {
        Result result = given.result();
        JsonObject json = Json.of("driver", driver, "pool", result.pool(), "name", result.device());
        given.now()
                .ifPresent(device -> json.add(
                        "attributes", DeviceAttributes.of(given.resource().deviceClass(), device)));
        return json;
    }
}
