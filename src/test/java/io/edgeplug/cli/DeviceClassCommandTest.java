package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.edgeplug.cli.options.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What is created in the cluster for classes whose devices are claimed. */
final class DeviceClassCommandTest {

    @TempDir
    private Path directory = Path.of("");

    private final Console console = new Console();
    private Path config = Path.of("");

    @BeforeEach
    void configure() throws IOException {
        config = Files.writeString(
                directory.resolve("edgeplug.toml"),
                classes("dra", "example.com/sriov_dpdk", "example.com/vf")
                        + classes("device-plugin", "example.com/old"));
    }

    private static String classes(String api, String... resources) {
        StringBuilder text = new StringBuilder();
        for (String resource : resources) {
            text.append("""
                    [[class]]
                    resource = "%s"
                    kind = "path"
                    api = "%s"
                    match = { paths = ["/dev/ttyUSB*"] }
                    """.formatted(resource, api));
        }
        return text.toString();
    }

    private String printed(String... args) {
        console.clear();
        List<String> all = new ArrayList<>(List.of("dra", "device-class", "--config", config.toString()));
        all.addAll(List.of(args));
        assertThat(console.execute(all.toArray(String[]::new)))
                .as(console.text())
                .isZero();
        return console.text();
    }

    private static List<Map<?, ?>> documents(String yaml) {
        List<Map<?, ?>> documents = new ArrayList<>();
        new Load(LoadSettings.builder().build()).loadAllFromString(yaml).forEach(one -> documents.add((Map<?, ?>) one));
        return documents;
    }

    @Test
    void deviceClassIsPrintedWithATemplateAndAPod() {
        assertThat(printed("example.com/sriov_dpdk")).isEqualTo("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata:
                  name: sriov-dpdk.example.com
                spec:
                  extendedResourceName: example.com/sriov_dpdk
                  selectors:
                  - cel:
                      expression: device.driver == "edgeplug.io" && device.attributes["edgeplug.io"].resource == "example.com/sriov_dpdk"
                ---
                # An example: a claim for one device, made of this template for each pod that names it
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata:
                  name: sriov-dpdk-example-com
                spec:
                  spec:
                    devices:
                      requests:
                      - name: device
                        exactly:
                          deviceClassName: sriov-dpdk.example.com
                ---
                # An example: a pod that prints what it got, and ends
                apiVersion: v1
                kind: Pod
                metadata:
                  name: sriov-dpdk-example-com
                spec:
                  restartPolicy: Never
                  resourceClaims:
                  - name: device
                    resourceClaimTemplateName: sriov-dpdk-example-com
                  containers:
                  - name: main
                    image: docker.io/library/busybox:1.37
                    command: ["sh", "-c", "env; find /dev -type c"]
                    resources:
                      claims:
                      - name: device
                """);
    }

    @Test
    void allClaimedClassesAreOneStreamAndThoseOfADevicePluginAreLeftOut() {
        assertThat(documents(printed()))
                .extracting(one -> String.valueOf(one.get("kind")))
                .containsExactly(
                        "DeviceClass", "ResourceClaimTemplate", "Pod", "DeviceClass", "ResourceClaimTemplate", "Pod");
        assertThat(documents(printed("--no-example")))
                .extracting(one -> String.valueOf(one.get("kind")))
                .containsExactly("DeviceClass", "DeviceClass");
        assertThat(printed()).doesNotContain("example.com/old");
    }

    @Test
    void selectorNamesTheConfiguredDriver() throws IOException {
        Files.writeString(config, "[dra]\ndriver = \"vfs.example.com\"\n" + classes("dra", "example.com/vf"));

        assertThat(printed("--no-example"))
                .contains(
                        "device.driver == \"vfs.example.com\" && device.attributes[\"vfs.example.com\"].resource == ");
    }

    @Test
    void namesAreThoseOfKubernetesAndOfOneResourceEach() throws IOException {
        List<String> resources = List.of(
                "example.com/a_b",
                "example.com/a-b",
                "example.com/A.B",
                "b.example.com/x",
                "example.com/x.b",
                "example.com/UPPER_.-lower",
                "5/1e3",
                "example.com/" + "long-".repeat(10) + "x",
                "1.example.com/2026");
        Files.writeString(config, classes("dra", resources.toArray(String[]::new)));

        List<Map<?, ?>> documents = documents(printed());
        Set<String> names = new HashSet<>();
        for (Map<?, ?> one : documents) {
            // a name that YAML takes for a number is none
            Object name = one.get("metadata") instanceof Map<?, ?> metadata ? metadata.get("name") : "";
            assertThat(name)
                    .asInstanceOf(STRING)
                    .matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
            String kind = String.valueOf(one.get("kind"));
            if (!kind.equals("DeviceClass")) {
                assertThat(name).asInstanceOf(STRING).doesNotContain(".").hasSizeLessThan(64);
            }
            assertThat(names.add(kind + " " + name)).as("%s", name).isTrue();
        }
        assertThat(documents).hasSize(3 * resources.size());
        assertThat(printed("example.com/a_b", "--no-example"))
                .as("the name that it has among all")
                .isSubstringOf(printed());
    }

    @Test
    void resourceThatHasNoDeviceClassIsToldWithWhatToDo() throws IOException {
        assertThat(failure("example.com/old"))
                .isEqualTo("edgeplug: example.com/old: a device plugin offers it, which needs no DeviceClass; "
                        + "to have pods claim its devices, add api = \"dra\" to the class\n");
        assertThat(failure("example.com/none"))
                .isEqualTo("edgeplug: example.com/none: no class has this resource, see edgeplug check\n");

        Files.writeString(config, classes("device-plugin", "example.com/old"));
        assertThat(failure()).contains(": no class has api = \"dra\"").contains("add the line to the classes");
    }

    private String failure(String... resources) {
        console.clear();
        List<String> all = new ArrayList<>(List.of("dra", "device-class", "--config", config.toString()));
        all.addAll(List.of(resources));
        assertThat(console.execute(all.toArray(String[]::new))).isEqualTo(ExitCode.FAILURE);
        return console.text();
    }

    @Test
    void mistakeInTheConfigurationIsOneOfTheConfiguration() throws IOException {
        Files.writeString(config, "[[class]]\n");

        assertThat(console.execute("dra", "device-class", "--config", config.toString()))
                .isEqualTo(ExitCode.CONFIG);
    }
}
