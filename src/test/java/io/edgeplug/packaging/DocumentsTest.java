package io.edgeplug.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.cli.Commands;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The documents of the packages, made of this checkout's own help, reference and changelog. */
final class DocumentsTest {

    private static final String BILL = """
            {"components": [{"name": "gson", "version": "2.14.0", "licenses": [{"license": {"id": "Apache-2.0"}}]},
              {"name": "picocli", "version": "4.7.7", "licenses": [{"license": {"id": "MIT"}}]}]}
            """;

    @TempDir
    private Path root = Path.of("");

    @BeforeEach
    void makeLibraries() throws IOException {
        Files.createDirectories(root.resolve("usr/lib/edgeplug/lib"));
    }

    @Test
    void manualPageHasEveryCommand() throws IOException {
        write();

        String page = page("usr/share/man/man8/edgeplug.8.gz");
        assertThat(page).startsWith("'\\\" t\n.TH \"EDGEPLUG\" 8 2026-11-20 \"edgeplug 0.2.0\"\n");
        assertThat(Commands.commandLine().getSubcommands().keySet())
                .isNotEmpty()
                .allSatisfy(
                        command -> assertThat(page).contains("\n.SS edgeplug " + command.replace("-", "\\-") + "\n"));
    }

    @Test
    void manualPageHasEverySectionOfTheReference() throws IOException {
        write();

        String page = page("usr/share/man/man5/edgeplug.toml.5.gz");
        assertThat(Files.readAllLines(Path.of("docs/edgeplug.toml.md")).stream()
                        .filter(line -> line.startsWith("### ")))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(page)
                        .contains("\n.SS "
                                + line.substring("### ".length())
                                        .replace("`", "")
                                        .replace("-", "\\-")));
    }

    @Test
    void changelogIsOfTheVersionAndInDebiansForm() throws IOException {
        write();

        assertThat(page("usr/share/doc/edgeplug/changelog.gz"))
                .startsWith("edgeplug (0.2.0) unstable; urgency=medium\n\n  * ")
                .endsWith("  Fri, 20 Nov 2026 00:00:00 +0000\n");
    }

    /** As apt reads it: no entry without the version that it came with, and its time. */
    @Test
    void newsAreInDebiansForm() throws IOException {
        write();

        String news = page("usr/share/doc/edgeplug/NEWS.Debian.gz");
        assertThat(news).startsWith("edgeplug (0.2.0) unstable; urgency=medium\n\n  ");
        assertThat(news.lines().filter(line -> line.startsWith(" -- ")))
                .containsExactly(
                        " -- The edgeplug authors <maintainers@edgeplug.example>  Fri, 20 Nov 2026 00:00:00 +0000");
        assertThat(news.lines().filter(line -> !line.startsWith(" -- "))).allMatch(line -> line.length() <= 80);
    }

    @Test
    void libraryWhoseLicenseIsNotNamedFailsTheBuild() throws IOException {
        Path libraries = root.resolve("usr/lib/edgeplug/lib");
        Files.createFile(libraries.resolve("stranger-1.0.jar"));
        jar(libraries.resolve("picocli-4.7.7.jar"), "META-INF/LICENSE", "Copyright: text of a license");
        jar(libraries.resolve("gson-2.14.0.jar"), "META-INF/NOTICE", "Gson\nCopyright (c) 2008-2011 Some Body.\n");

        assertThatThrownBy(this::write)
                .hasMessage("packaging/copyright: gson-2.14.0.jar: does not name its holder Some Body; "
                        + "picocli-4.7.7.jar: is under Apache-2.0, and its pom says [MIT]; "
                        + "does not name stranger-1.0.jar");
    }

    @Test
    void withoutABillLicensesAreNotCompared() throws IOException {
        jar(root.resolve("usr/lib/edgeplug/lib/picocli-4.7.7.jar"), "META-INF/LICENSE", "Copyright: text of a license");

        new Documents(root, Instant.parse("2026-11-20T00:00:00Z"), "0.2.0").write(Bill.NONE);

        assertThat(root.resolve("usr/share/doc/edgeplug/copyright")).exists();
    }

    @Test
    void markdownThatNoPageCanShowFailsTheBuild() {
        assertThatThrownBy(() -> ReferencePage.of(
                        List.of("# edgeplug.toml", "Configures it.", "> quoted"), List.of(), "2026-11-20", "0.2.0"))
                .hasMessageEndingWith("not known how to set this: > quoted");
    }

    @Test
    void lineThatBeginsWithADotIsNoMacro() {
        assertThat(new Roff("x", 5, "2026-11-20", "0.2.0", "x")
                        .example(List.of(".so /etc/passwd"))
                        .toString())
                .contains("\n\\&.so /etc/passwd\n");
    }

    private static void jar(Path file, String entry, String text) throws IOException {
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
            jar.putNextEntry(new JarEntry(entry));
            jar.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private void write() throws IOException {
        new Documents(root, Instant.parse("2026-11-20T00:00:00Z"), "0.2.0").write(BILL);
    }

    private String page(String file) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(root.resolve(file)))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
