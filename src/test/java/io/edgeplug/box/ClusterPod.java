package io.edgeplug.box;

import com.google.gson.JsonObject;

/** What the API server is given of pods. Their containers print what they have got, and stay. */
final class ClusterPod {

    /** The last line that a container prints. */
    static final String END = "that is all";

    /** The node of these pods has no other network than its own, and may be away for minutes. */
    private static final String SPEC = """
            {hostNetwork: true, automountServiceAccountToken: false, terminationGracePeriodSeconds: 1,
              tolerations: [{operator: Exists}], resourceClaims: %s,
              containers: [{name: main, image: "localhost/busybox:1", imagePullPolicy: Never, resources: %s,
                command: [sh, -c, "env | sort; ls -d /dev/vfio/*; echo %s; exec sleep inf"]}]}""";

    private ClusterPod() {}

    /** A Deployment of one pod, which asks for one device of a resource. */
    static String deployment(String name, String resource) {
        return """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: %1$s}
                spec:
                  strategy: {type: Recreate}
                  selector: {matchLabels: {app: %1$s}}
                  template:
                    metadata: {labels: {app: %1$s}}
                    spec: %2$s
                """.formatted(
                name,
                SPEC.formatted("[]", "{limits: {" + resource + ": 1}}", END).replace("\n", " "));
    }

    /** A pod with a claim that there is. */
    static String claiming(String name, String claim) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s, labels: {app: %1$s}}
                spec: %2$s
                """.formatted(
                name,
                SPEC.formatted("[{name: own, resourceClaimName: " + claim + "}]", "{claims: [{name: own}]}", END)
                        .replace("\n", " "));
    }

    /** A claim for one device of a resource, with a condition in CEL. */
    static String claim(String name, String resource, String condition) {
        String[] words = resource.split("/", 2);
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s}
                spec:
                  devices:
                    requests:
                    - name: own
                      exactly:
                        deviceClassName: %s.%s
                        selectors:
                        - cel:
                            expression: '%s'
                """.formatted(name, words[1], words[0], condition);
    }

    static String name(JsonObject pod) {
        return pod.getAsJsonObject("metadata").get("name").getAsString();
    }
}
