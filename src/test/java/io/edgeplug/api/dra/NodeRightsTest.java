package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Closing;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the API server says to a node that asks what it may do. */
@Timeout(60)
final class NodeRightsTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private StrictApiServer server;
    private Path kubeconfig = Path.of("");

    @BeforeEach
    void open() throws Exception {
        server = closing.add(StrictApiServer.open());
        kubeconfig = TestIdentity.write(directory, server.port(), TestIdentity.NODE1);
    }

    private Optional<String> obstacle(String node) throws InterruptedException {
        return NodeRights.obstacle(kubeconfig, "edgeplug.io", node);
    }

    @Test
    void nodeThatMayPublishLeavesNothingOnTheServer() throws Exception {
        assertThat(obstacle("node1")).isEmpty();
        assertThat(server.requests()).hasSize(3).last().asString().startsWith("POST ");
        assertThat(server.await(slices -> true)).isEmpty();
    }

    @Test
    void missingRightIsNamed() throws Exception {
        assertThat(obstacle("node2"))
                .get()
                .asString()
                .startsWith("the identity in " + kubeconfig
                        + " is not allowed to get nodes, by the Node authorizer or a role: ");
        server.answerNext(404, "the server could not find the requested resource", Map.of());
        assertThat(obstacle("node1")).get().asString().startsWith("the API server answers 404 to get nodes: ");
    }

    @Test
    void rightsToPrepareBeforeBindingAreAskedForWithoutAnEffect() throws Exception {
        assertThat(NodeRights.obstacleToEarlyPreparation(kubeconfig, "edgeplug.io", "node1"))
                .contains(
                        "the identity in " + kubeconfig + " is not allowed to get resourceclaims, list resourceclaims,"
                                + " watch resourceclaims, patch resourceclaims/status, arbitrary-node:patch"
                                + " resourceclaims/driver edgeplug.io in API group resource.k8s.io; edgeplug dra rbac prints the"
                                + " role");
        server.gate(objects -> objects.claims.rights.addAll(ClaimObjects.ROLE));
        assertThat(NodeRights.obstacleToEarlyPreparation(kubeconfig, "edgeplug.io", "node1"))
                .isEmpty();
        assertThat(NodeRights.obstacleToEarlyPreparation(kubeconfig, "other.example.com", "node1"))
                .get()
                .asString()
                .contains("not allowed to arbitrary-node:patch resourceclaims/driver other.example.com");
    }

    @Test
    void serverThatIsAwayIsNamed() throws Exception {
        server.close();

        assertThat(obstacle("node1")).get().asString().startsWith("API server https://127.0.0.1:");
    }
}
