package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Holds the table of the kubelet's contract in docs/kubelet-contract.md against the tests that it names. */
final class ContractTableTest {

    private static final Pattern NAME = Pattern.compile("`(\\w+)\\.(\\w+)`");
    private static final List<String> PACKAGES = List.of(
            "api.kubelet",
            "lab.localkubelet",
            "model.device",
            "node.inventory",
            "node.pods",
            "node.supply",
            "system.files",
            "system.rpc",
            "system.systemd");

    @Test
    void everyTestThatTheTableNamesExists() throws IOException {
        List<String> named = rows().flatMap(
                        row -> NAME.matcher(row).results().map(name -> name.group(1) + "." + name.group(2)))
                .toList();

        assertThat(named).hasSizeGreaterThan(40).allMatch(ContractTableTest::isTest);
    }

    @Test
    void everyClauseHasATestOrIsLater() throws IOException {
        assertThat(rows()).allMatch(row -> NAME.matcher(row).find() || row.contains("| later"));
    }

    private static Stream<String> rows() throws IOException {
        String text = Files.readString(Path.of("docs/kubelet-contract.md"));
        String table = text.substring(text.indexOf("| clause | test |"));
        return table.lines().skip(2).takeWhile(line -> line.startsWith("|"));
    }

    private static boolean isTest(String name) {
        int dot = name.indexOf('.');
        return PACKAGES.stream()
                .flatMap(one -> type("io.edgeplug." + one + "." + name.substring(0, dot)))
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(method -> method.getName().equals(name.substring(dot + 1)))
                .anyMatch(method ->
                        method.isAnnotationPresent(Test.class) || method.isAnnotationPresent(ParameterizedTest.class));
    }

    private static Stream<Class<?>> type(String name) {
        try {
            return Stream.of(Class.forName(name));
        } catch (ClassNotFoundException e) {
            return Stream.empty();
        }
    }
}
