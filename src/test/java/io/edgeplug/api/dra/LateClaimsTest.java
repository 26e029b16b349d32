package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clusters in which devices are prepared only when the kubelet asks, although a class wants that earlier. */
@Timeout(90)
final class LateClaimsTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private DraNode open(String classes, Consumer<ApiObjects> server) throws Exception {
        DraNode node = closing.add(DraNode.open(directory, DemoNode.tree(), classes, server));
        PluginInfo ignored = node.kubelet.register();
        assertThat(node.server.await(slices -> !slices.isEmpty())).hasSize(1);
        return node;
    }

    @Test
    void nodeWithoutARolePreparesWhenTheKubeletAsksAndSaysSoOnce() throws Exception {
        try (LogLines log = LogLines.open()) {
            DraNode node = open(OnEarlyNode.CLASSES, server -> {});
            assertThat(node.server.slices().toString()).doesNotContain("bindingConditions", "bindsToNode");
            node.server.put(TestClaims.awaited("mine", VF0_NAME));

            assertThat(node.kubelet.prepare("mine").getError()).isEmpty();
            assertThat(log.with("devices are prepared only when the kubelet asks"))
                    .hasSize(1);
            assertThat(node.driver().obstacleToEarlyPreparation()).isPresent();
            assertThat(node.server.requests())
                    .noneMatch(one -> one.endsWith("/resourceclaims") || one.startsWith("PATCH"));
        }
    }

    @Test
    void roleWithoutOneRightIsNotEnoughAndTheRightIsNamed() throws Exception {
        DraNode node = open(OnEarlyNode.CLASSES, server -> {
            server.claims.rights.addAll(ClaimObjects.ROLE);
            server.claims.rights.remove("arbitrary-node:patch resourceclaims/driver edgeplug.io");
        });

        assertThat(node.driver().obstacleToEarlyPreparation())
                .contains("the identity in " + directory.resolve("kubelet.conf")
                        + " is not allowed to arbitrary-node:patch resourceclaims/driver edgeplug.io in API group"
                        + " resource.k8s.io; edgeplug dra rbac prints the role");
    }

    @Test
    void serviceAccountOfThisNodeNeedsLessThanOneOfAnother() throws Exception {
        Consumer<ApiObjects> associated = server -> {
            server.claims.rights.addAll(ClaimObjects.ROLE);
            server.claims.rights.remove("arbitrary-node:patch resourceclaims/driver edgeplug.io");
            server.claims.rights.add("associated-node:patch resourceclaims/driver edgeplug.io");
            server.claims.user = "system:serviceaccount:kube-system:edgeplug";
        };
        DraNode node = open(OnEarlyNode.CLASSES, associated);
        assertThat(node.driver().obstacleToEarlyPreparation()).isPresent();
        node.server.gate(server -> server.claims.extra.add(
                "authentication.kubernetes.io/node-name", JsonParser.parseString("[\"node1\"]")));
        node.reload();
        PluginInfo ignored = node.kubelet.register();

        assertThat(node.server.await(slices -> slices.toString().contains("bindingConditions")))
                .isNotEmpty();
    }

    @Test
    void serverThatDropsTheConditionsIsNoticed() throws Exception {
        try (LogLines log = LogLines.open()) {
            DraNode node = open(OnEarlyNode.CLASSES, server -> {
                server.claims.rights.addAll(ClaimObjects.ROLE);
                server.claims.dropsBinding = true;
            });
            assertThat(log.await("the API server drops binding conditions of devices"))
                    .hasSize(1);
            assertThat(node.server.slices().toString()).doesNotContain("bindingConditions");
            node.allocate("mine", VF0_NAME);

            assertThat(node.kubelet.prepare("mine").getError()).isEmpty();
        }
    }

    @Test
    void statusOfAClaimForWhichTheKubeletAsksIsWrittenToo() throws Exception {
        DraNode node = open(DraNode.CLASSES, server -> server.claims.rights.addAll(ClaimObjects.ROLE));
        node.allocate("mine", VF0_NAME);
        assertThat(node.kubelet.prepare("mine").getError()).isEmpty();

        JsonObject claim = node.server.awaitClaim("mine", one -> one.toString().contains("\"Ready\""));
        assertThat(Json.object(claim, "status").get("devices").toString())
                .contains("\"type\":\"Healthy\",\"status\":\"True\"", "\"type\":\"Ready\",\"status\":\"True\"");
        assertThat(node.server.requests()).noneMatch(one -> one.endsWith("/resourceclaims"));
        assertThat(node.server.slices().toString()).doesNotContain("bindingConditions");
    }

    @Test
    void statusSaysWhyAClaimIsNotReadyUntilItIs() throws Exception {
        DraNode node = open(DraNode.CLASSES, server -> server.claims.rights.addAll(ClaimObjects.ROLE));
        node.node.interfere("sys/bus/pci/drivers/vfio-pci/bind", () -> {
            throw new IOException("Cannot allocate memory");
        });
        node.allocate("mine", VF0_NAME);
        assertThat(node.kubelet.prepare("mine").getError()).contains("Cannot allocate memory");
        JsonObject claim = node.server.awaitClaim("mine", one -> one.toString().contains("\"Ready\""));
        assertThat(Json.object(claim, "status").get("devices").toString())
                .contains("\"type\":\"Ready\",\"status\":\"False\",\"reason\":\"PreparationFailed\"")
                .doesNotContain("\"type\":\"PreparationFailed\"");

        node.node.interfere("sys/bus/pci/drivers/vfio-pci/bind", () -> {});
        assertThat(node.kubelet.prepare("mine").getError()).isEmpty();
        JsonObject ignored = node.server.awaitClaim(
                "mine", one -> one.toString().contains("\"type\":\"Ready\",\"status\":\"True\""));
    }
}
