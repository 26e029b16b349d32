package io.edgeplug.api.dra;

import io.edgeplug.model.device.ResourceName;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The names of a resource's objects in the cluster, by the rules of Kubernetes (RFC 1123).
 *
 * @param deviceClass the name of the DeviceClass, a DNS subdomain: {@code sriov-dpdk.example.com}
 * @param example the name of objects in a namespace, a DNS label: {@code sriov-dpdk-example-com}
 */
record ClusterNames(String deviceClass, String example) {

    private static final int MAX_LABEL = 63;
    private static final int HASH_BYTES = 3;

    /**
     * The names for a resource. Two resources such as {@code example.com/a_b} and {@code example.com/a-b} would have
     * the same names. Theirs contain a part of their hash.
     *
     * @param all the resources of the node
     */
    static ClusterNames of(ResourceName resource, Collection<ResourceName> all) {
        boolean isUnique = all.stream()
                        .filter(other -> label(other).equals(label(resource)))
                        .distinct()
                        .count()
                <= 1;
        String first = slug(resource.name()) + (isUnique ? "" : "-" + hash(resource));
        String label = slug(first + "." + resource.prefix());
        if (label.length() > MAX_LABEL) {
            label = label.substring(0, MAX_LABEL - 2 * HASH_BYTES - 1) + "-" + hash(resource);
        }
        return new ClusterNames(first + "." + resource.prefix(), label);
    }

    private static String label(ResourceName resource) {
        return slug(resource.name() + "." + resource.prefix());
    }

    /** The result begins and ends with a letter or digit, because the parts of a resource's name do. */
    private static String slug(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }

    private static String hash(ResourceName resource) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(resource.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
