package io.edgeplug.api.dra;

import io.edgeplug.model.device.ResourceName;
import java.util.Collection;

/** The objects that an administrator creates in the cluster for a resource, as YAML for {@code kubectl apply}. */
public final class ClusterObjects {

    private final String driver;
    private final Collection<ResourceName> resources;

    /**
     * Objects of a driver.
     *
     * @param resources all resources whose devices it offers, so that no two of them get the same names
     */
    public ClusterObjects(String driver, Collection<ResourceName> resources) {
        this.driver = driver;
        this.resources = resources;
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
                """.formatted(quoted(names(resource).deviceClass()), resource, driver);
    }

    /** A ResourceClaimTemplate for this class, and a pod that uses it. The pod ends at once and frees its device. */
    public String example(ResourceName resource) {
        ClusterNames names = names(resource);
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
                """.formatted(quoted(names.example()), quoted(names.deviceClass()));
    }

    private ClusterNames names(ResourceName resource) {
        return ClusterNames.of(resource, resources);
    }

    /**
     * YAML may read a name that begins with a digit as a number or a date. Other names have a dash or a dot, and are
     * texts.
     */
    private static String quoted(String name) {
        return Character.isDigit(name.charAt(0)) ? "\"" + name + "\"" : name;
    }
}
