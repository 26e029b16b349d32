package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The role that an administrator gives to nodes or to a service account. */
final class RbacCommandTest {

    @TempDir
    private Path directory = Path.of("");

    private final Console console = new Console();

    @BeforeEach
    void configure() throws Exception {
        Files.writeString(directory.resolve("edgeplug.toml"), """
                [dra]
                driver = "fpga.example.com"
                [[class]]
                resource = "example.com/fpga"
                kind = "fpga"
                match = { vendors = ["10ee"] }
                """);
    }

    private int run(String... args) {
        console.clear();
        List<String> all = new ArrayList<>(List.of(
                "dra", "rbac", "--config", directory.resolve("edgeplug.toml").toString()));
        all.addAll(List.of(args));
        return console.execute(all.toArray(String[]::new));
    }

    private List<Map<?, ?>> printed(String... args) {
        assertThat(run(args)).as(console.text()).isZero();
        Load load = new Load(LoadSettings.builder().build());
        return StreamSupport.stream(load.loadAllFromString(console.text()).spliterator(), false)
                .<Map<?, ?>>map(document -> (Map<?, ?>) document)
                .toList();
    }

    private static List<?> rules(Map<?, ?> role) {
        return (List<?>) Objects.requireNonNull(role.get("rules"));
    }

    @Test
    void nodesMayFollowClaimsAndWriteTheStatusOfThisDriverAlone() {
        List<Map<?, ?>> both = printed();

        assertThat(both).extracting(one -> one.get("kind")).isEqualTo(List.of("ClusterRole", "ClusterRoleBinding"));
        assertThat(rules(both.getFirst()))
                .hasToString("[{apiGroups=[resource.k8s.io], resources=[resourceclaims], verbs=[get, list, watch]},"
                        + " {apiGroups=[resource.k8s.io], resources=[resourceclaims/status], verbs=[patch]},"
                        + " {apiGroups=[resource.k8s.io], resources=[resourceclaims/driver],"
                        + " resourceNames=[fpga.example.com], verbs=[arbitrary-node:patch]}]");
        assertThat(both.getLast().get("subjects"))
                .hasToString("[{apiGroup=rbac.authorization.k8s.io, kind=Group, name=system:nodes}]");
    }

    @Test
    void someNodesGetTheRoleByName() {
        assertThat(printed("--node", "edge-1", "--node", "edge-2").getLast().get("subjects"))
                .hasToString("[{apiGroup=rbac.authorization.k8s.io, kind=User, name=system:node:edge-1},"
                        + " {apiGroup=rbac.authorization.k8s.io, kind=User, name=system:node:edge-2}]");
    }

    @Test
    void serviceAccountMayWriteOnItsOwnNodeAloneAndAlsoNeedsSlices() {
        List<Map<?, ?>> both = printed("--service-account", "kube-system/edgeplug");

        assertThat(rules(both.getFirst()).toString())
                .contains(
                        "verbs=[associated-node:patch]", "resources=[nodes], verbs=[get]", "resources=[resourceslices]")
                .doesNotContain("arbitrary-node");
        assertThat(both.getLast().get("subjects"))
                .hasToString("[{kind=ServiceAccount, namespace=kube-system, name=edgeplug}]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--node=Edge", "--service-account=edgeplug", "--service-account=a/b/c", "--service-account=a/B"})
    void whatIsNoNameIsRefused(String option) {
        assertThat(run(option)).isNotZero();
        assertThat(console.text()).contains(": is no");
    }
}
