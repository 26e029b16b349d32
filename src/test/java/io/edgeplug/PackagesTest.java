package io.edgeplug;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Holds the compiled classes against the table of packages in CONTRIBUTING.md. They are read once. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PackagesTest {

    private static final String ROOT = "io.edgeplug.";
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([\\w.]+)` \\| ([^|\\n]*)\\|[^|\\n]*\\|$");
    private static final Pattern CLASS = Pattern.compile("`([A-Z]\\w+)`");
    private static final Pattern NAME = Pattern.compile("`([a-z][\\w.]*)`");

    private final JavaClasses compiled = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.edgeplug");

    @Test
    void packagesUseOnlyWhatTheTableAllows() throws IOException {
        table().forEach((name, allowed) -> {
            String[] may = Stream.concat(Stream.of(name), allowed.stream())
                    .map(one -> ROOT + one + "..")
                    .toArray(String[]::new);
            classes()
                    .that()
                    .resideInAPackage(ROOT + name + (name.equals("proto") ? ".." : ""))
                    .should()
                    .onlyDependOnClassesThat(
                            not(resideInAPackage("io.edgeplug..")).or(resideInAnyPackage(may)))
                    .check(compiled);
        });
    }

    @Test
    void everyPackageHasItsRow() throws IOException {
        List<String> packages = compiled.stream()
                .map(type -> type.getPackageName().substring(ROOT.length()))
                .map(name -> name.startsWith("proto.") ? "proto" : name)
                .distinct()
                .toList();

        assertThat(table().keySet()).containsExactlyInAnyOrderElementsOf(packages);
    }

    @Test
    void classesThatTheArchitectureNamesAreThere() throws IOException {
        List<String> classes =
                compiled.stream().map(type -> type.getSimpleName()).toList();

        assertThat(CLASS.matcher(Files.readString(Path.of("docs/architecture.md")))
                        .results()
                        .map(name -> name.group(1))
                        .distinct())
                .isNotEmpty()
                .isSubsetOf(classes);
    }

    /** Else a reader, a search and a sentence must say which of two is meant. */
    @Test
    void noTwoTypesHaveOneName() {
        List<String> names = compiled.stream()
                .filter(type -> type.isTopLevelClass() && !type.getPackageName().startsWith(ROOT + "proto"))
                .map(type -> type.getSimpleName())
                .filter(name -> !name.equals("package-info"))
                .toList();

        assertThat(names).isNotEmpty().doesNotHaveDuplicates();
    }

    private static Map<String, List<String>> table() throws IOException {
        Map<String, List<String>> table = new TreeMap<>();
        ROW.matcher(Files.readString(Path.of("CONTRIBUTING.md")))
                .results()
                .forEach(row -> table.put(row.group(1), names(row.group(2))));
        return table;
    }

    private static List<String> names(String cell) {
        return NAME.matcher(cell)
                .results()
                .map((MatchResult name) -> name.group(1))
                .toList();
    }
}
