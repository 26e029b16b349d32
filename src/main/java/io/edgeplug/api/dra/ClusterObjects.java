package io.edgeplug.api.dra;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.ShortName;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * The objects that an administrator creates in the cluster for a resource, as YAML for {@code kubectl apply}. Their names
 * follow the rules of Kubernetes (RFC 1123).
 *
 * @param resources all resources whose devices the driver offers, so that no two of them get the same names
 */
public record ClusterObjects(String driver, Collection<ResourceName> resources) {

    private static final int MAX_LABEL = 63;
    private static final int HASH_BYTES = 3;

    public ClusterObjects {
        resources = List.copyOf(resources);
    }

    /** The DeviceClass for pods that claim the resource's devices, or that ask for it as an extended resource. */
    public String deviceClass(ResourceName resource) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata:
                  name: %s
                spec:
                  extendedResourceName: %s
                  selectors:
                  - cel:
                      expression: device.driver == "%s" && device.attributes["%3$s"].resource == "%2$s"
                """.formatted(quoted(className(resource)), resource, driver);
    }

    /** A ResourceClaimTemplate for this class, and a pod that uses it. The pod ends at once and frees its device. */
    public String example(ResourceName resource) {
        return """
                # An example: a claim for one device, made of this template for each pod that names it
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata:
                  name: %s
                spec:
                  spec:
                    devices:
                      requests:
                      - name: device
                        exactly:
                          deviceClassName: %s
                ---
                # An example: a pod that prints what it got, and ends
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s
                spec:
                  restartPolicy: Never
                  resourceClaims:
                  - name: device
                    resourceClaimTemplateName: %1$s
                  containers:
                  - name: main
                    image: docker.io/library/busybox:1.37
                    command: ["sh", "-c", "env; find /dev -type c"]
                    resources:
                      claims:
                      - name: device
                """.formatted(quoted(exampleName(resource)), quoted(className(resource)));
    }

    /** A DNS subdomain: {@code sriov-dpdk.example.com}. */
    private String className(ResourceName resource) {
        return first(resource) + "." + resource.prefix();
    }

    /** A DNS label: {@code sriov-dpdk-example-com}. */
    private String exampleName(ResourceName resource) {
        String label = slug(className(resource));
        return label.length() > MAX_LABEL
                ? label.substring(0, MAX_LABEL - 2 * HASH_BYTES - 1) + "-" + hash(resource)
                : label;
    }

    /**
     * Two resources such as {@code example.com/a_b} and {@code example.com/a-b} would have the same names. Theirs contain
     * a part of their hash.
     */
    private String first(ResourceName resource) {
        boolean isUnique = resources.stream()
                        .filter(other -> label(other).equals(label(resource)))
                        .distinct()
                        .count()
                <= 1;
        return slug(resource.name()) + (isUnique ? "" : "-" + hash(resource));
    }

    private static String label(ResourceName resource) {
        return slug(resource.name() + "." + resource.prefix());
    }

    /** The result begins and ends with a letter or digit, because the parts of a resource's name do. */
    private static String slug(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }

    private static String hash(ResourceName resource) {
        return ShortName.hash(resource.toString(), HASH_BYTES);
    }

    /**
     * YAML may read a name that begins with a digit as a number or a date. Other names have a dash or a dot, and are
     * texts.
     */
    private static String quoted(String name) {
        return Character.isDigit(name.charAt(0)) ? "\"" + name + "\"" : name;
    }
}
