package io.edgeplug.api.dra;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The role with which the driver prepares devices before pods are bound, and writes the status of claims, as YAML for
 * {@code kubectl apply}. It has what {@link NodeRights} asks for, and nothing else.
 *
 * @param subject the YAML of who gets it
 * @param isNode whether the Node authorizer gives the subject all that it needs for slices
 */
public record ClaimRole(String driver, String subject, boolean isNode) {

    private static final String SLICES = """
            # The Node authorizer gives these to a node.
            - apiGroups: [""]
              resources: [nodes]
              verbs: [get]
            - apiGroups: [resource.k8s.io]
              resources: [resourceslices]
              verbs: [list, watch, create, update, delete]
            """;

    /** For all nodes, which have the identity of their kubelet. */
    public static ClaimRole ofNodes(String driver) {
        return new ClaimRole(driver, subject("Group", "system:nodes"), true);
    }

    /** For some nodes alone. */
    public static ClaimRole ofNodes(String driver, List<String> nodes) {
        return new ClaimRole(
                driver,
                nodes.stream()
                        .map(node -> subject("User", "system:node:" + node))
                        .collect(Collectors.joining()),
                true);
    }

    /** For a service account whose tokens are bound to the nodes that have them. */
    public static ClaimRole ofServiceAccount(String driver, String namespace, String name) {
        return new ClaimRole(driver, """
                - kind: ServiceAccount
                  namespace: "%s"
                  name: "%s"
                """.formatted(namespace, name), false);
    }

    private static String subject(String kind, String name) {
        return """
                - apiGroup: rbac.authorization.k8s.io
                  kind: %s
                  name: "%s"
                """.formatted(kind, name);
    }

    /** The ClusterRole, and the ClusterRoleBinding that gives it to the subject. */
    public String yaml() {
        return """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRole
                metadata:
                  name: "%1$s-claims"
                rules:
                - apiGroups: [resource.k8s.io]
                  resources: [resourceclaims]
                  verbs: [get, list, watch]
                - apiGroups: [resource.k8s.io]
                  resources: [resourceclaims/status]
                  verbs: [patch]
                # The status of this driver's devices alone
                - apiGroups: [resource.k8s.io]
                  resources: [resourceclaims/driver]
                  resourceNames: ["%1$s"]
                  verbs: ["%2$s"]
                %3$s---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRoleBinding
                metadata:
                  name: "%1$s-claims"
                roleRef:
                  apiGroup: rbac.authorization.k8s.io
                  kind: ClusterRole
                  name: "%1$s-claims"
                subjects:
                %4$s""".formatted(
                        driver, isNode ? NodeRights.ARBITRARY : NodeRights.ASSOCIATED, isNode ? "" : SLICES, subject);
    }
}
