package io.edgeplug.model.device;

import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The name of an extended resource, such as {@code example.com/sriov_dpdk}, by the kubelet's rules
 * (IsExtendedResourceName in k8s.io/kubernetes/pkg/apis/core/v1/helper).
 *
 * @param prefix a DNS subdomain
 * @param name at most 63 characters
 */
public record ResourceName(String prefix, String name) implements Comparable<ResourceName> {

    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");
    private static final int MAX_NAME = 63;
    private static final int MAX_PREFIX = 253 - "requests.".length();

    /**
     * Reads a name.
     *
     * @throws IllegalArgumentException if it breaks a rule; the message says which
     */
    public static ResourceName parse(String text) {
        int slash = text.indexOf('/');
        require(slash >= 0, "needs a domain before its name, as in example.com/" + text);
        String prefix = text.substring(0, slash);
        String name = text.substring(slash + 1);
        require(!text.startsWith("requests."), "must not begin with requests., which Kubernetes keeps for quotas");
        require(!prefix.endsWith("kubernetes.io"), "must not be in kubernetes.io, which belongs to Kubernetes");
        require(SUBDOMAIN.matcher(prefix).matches(), "its domain must be lower case letters, digits, dots and dashes");
        require(prefix.length() <= MAX_PREFIX, "its domain is longer than " + MAX_PREFIX + " characters");
        require(
                NAME.matcher(name).matches(),
                "its name must be letters, digits and -_. with a letter or digit at both ends");
        require(name.length() <= MAX_NAME, "its name is longer than " + MAX_NAME + " characters");
        return new ResourceName(prefix, name);
    }

    private static void require(boolean kept, String rule) {
        if (!kept) {
            throw new IllegalArgumentException(rule);
        }
    }

    /**
     * The names of the resource's variables. The SR-IOV plugin keeps a dash in them. A shell cannot read that, so a
     * second name has an underscore instead.
     *
     * @return one name, or two
     */
    public SortedSet<String> variables(String before, String after) {
        String usual =
                before + toString().toUpperCase(Locale.ROOT).replace('.', '_').replace('/', '_') + after;
        return new TreeSet<>(List.of(usual, usual.replace('-', '_')));
    }

    // The hash code that records generate is linked with method handles on its first call, which would slow down each
    // start.
    @Override
    public int hashCode() {
        return 31 * prefix.hashCode() + name.hashCode();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ResourceName that && prefix.equals(that.prefix) && name.equals(that.name);
    }

    @Override
    public int compareTo(ResourceName other) {
        return toString().compareTo(other.toString());
    }

    @Override
    public String toString() {
        return prefix + "/" + name;
    }
}
