package io.edgeplug.packaging;

import io.edgeplug.cli.Commands;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import picocli.AutoComplete;
import picocli.CommandLine;

/** What is installed to be read: manual pages, completion for bash, licenses and the changelog. */
final class Documents {

    private static final DateTimeFormatter RFC_2822 =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss Z", Locale.ENGLISH);

    /** The pages for nodes that are far from a browser, and what Prometheus and Grafana load. */
    private static final List<String> HANDBOOK = List.of(
            "README.md",
            "alerts-edgeplug.yml",
            "commands.md",
            "containers.md",
            "dra.md",
            "edgeplug.toml.md",
            "faces.md",
            "files.md",
            "from-other-plugins.md",
            "grafana-edgeplug.json",
            "guide-distributions.md",
            "guide-dpdk.md",
            "guide-files.md",
            "guide-usb.md",
            "guide-interface.md",
            "guide-multus.md",
            "guide-rdma.md",
            "kubernetes.md",
            "metrics.md",
            "operate.md",
            "pod-to-pod.md",
            "security.md",
            "start.md",
            "troubleshooting.md",
            "vfs.md");

    private static final String NEWS = "packaging/deb/NEWS";

    private final Path root;
    private final Instant time;
    private final String version;

    Documents(Path root, Instant time, String version) {
        this.root = root;
        this.time = time;
        this.version = version;
    }

    /** Writes them; {@code bill} is Maven's bill of materials, which the licenses are checked against. */
    void write(String bill) throws IOException {
        CommandLine edgeplug = Commands.commandLine();
        String date = time.atZone(ZoneOffset.UTC).toLocalDate().toString();
        String source = "edgeplug " + version;
        compress("usr/share/man/man8/edgeplug.8.gz", CommandPage.of(edgeplug, more("edgeplug.8"), date, source));
        compress(
                "usr/share/man/man5/edgeplug.toml.5.gz",
                ReferencePage.of(
                        Files.readAllLines(Path.of("docs/edgeplug.toml.md")), more("edgeplug.toml.5"), date, source));
        write("usr/share/bash-completion/completions/edgeplug", completion(edgeplug));
        compress("usr/share/doc/edgeplug/changelog.gz", changelog());
        compress("usr/share/doc/edgeplug/NEWS.Debian.gz", news());
        write("usr/share/doc/edgeplug/copyright", copyright(bill));
        for (String document : HANDBOOK) {
            write("usr/share/doc/edgeplug/" + document, Files.readString(Path.of("docs", document)));
        }
        write("usr/share/doc/edgeplug/edgeplug.te", Files.readString(Path.of("packaging/selinux/edgeplug.te")));
        for (String license : List.of("LICENSE", "packaging/licenses/LGPL-2.txt", "packaging/licenses/LGPL-2.1.txt")) {
            Path text = Path.of(license);
            write("usr/share/licenses/edgeplug/" + text.getFileName(), Files.readString(text));
        }
    }

    private static List<String> more(String page) throws IOException {
        return Files.readAllLines(Path.of("packaging/man", page + ".md"));
    }

    /**
     * Without the line that says by what it is run, as it is sourced; and where nothing is known to complete with, bash
     * shall complete file names, which it would be told not to.
     */
    private static String completion(CommandLine edgeplug) throws IOException {
        String text = AutoComplete.bash("edgeplug", edgeplug).replaceFirst("^#!.*\n", "");
        String without = text.replaceAll("(?m)^.*compopt \\+o default\\n", "");
        if (without.equals(text)) {
            throw new IllegalStateException("completion: picocli writes it differently now");
        }
        return without + Files.readString(Path.of("packaging/completion.bash"));
    }

    /** CHANGELOG.md in the form that Debian asks for. */
    private String changelog() throws IOException {
        String signature = Files.readAllLines(Path.of("packaging/deb/control/control")).stream()
                .filter(line -> line.startsWith("Maintainer: "))
                .map(line -> line.replace("Maintainer: ", " -- ") + "  " + debianTime())
                .findFirst()
                .orElseThrow();
        String changes = Files.readAllLines(Path.of("CHANGELOG.md")).stream()
                .dropWhile(line -> !line.startsWith("## " + version))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> !line.startsWith("### "))
                .map(line -> line.strip().replace("`", "").replaceFirst("^- ", "\n"))
                .collect(Collectors.joining(" "))
                .lines()
                .filter(change -> !change.isBlank())
                .map(change -> "  * "
                        + change.strip()
                                .replaceAll("(.{1,74})( |$)", "$1\n    ")
                                .strip())
                .collect(Collectors.joining("\n"));
        if (changes.isEmpty()) {
            throw new IllegalStateException("CHANGELOG.md: nothing of version " + version);
        }
        return "edgeplug (%s) unstable; urgency=medium%n%n%s%n%n%s%n".formatted(version, changes, signature);
    }

    /** What an administrator must know before an upgrade. apt shows it. */
    private String news() throws IOException {
        String news = Files.readString(Path.of(NEWS));
        if (!news.startsWith("edgeplug (")) {
            throw new IllegalStateException(NEWS + ": does not begin with a version");
        }
        return news.replace("[[time]]", debianTime());
    }

    private String debianTime() {
        return RFC_2822.format(time.atOffset(ZoneOffset.UTC));
    }

    /** The licenses of all that is installed; a library that it does not name as the library does fails the build. */
    private String copyright(String bill) throws IOException {
        String text = Files.readString(Path.of("packaging/copyright"));
        Notices notices = new Notices(text, bill);
        List<String> mistakes = new ArrayList<>();
        try (Stream<Path> jars = Files.list(root.resolve(Image.HOME).resolve("lib"))) {
            for (Path jar : jars.sorted().toList()) {
                if (!jar.endsWith("edgeplug.jar")) {
                    mistakes.addAll(notices.lacks(jar));
                }
            }
        }
        if (!mistakes.isEmpty()) {
            throw new IllegalStateException("packaging/copyright: " + String.join("; ", mistakes));
        }
        return text;
    }

    /** A sentence that describes, as a summary begins and ends. */
    static String summary(String description) {
        return Character.toLowerCase(description.charAt(0))
                + description.substring(1).replaceFirst("\\.$", "");
    }

    private void compress(String to, String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new Best(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        byte[] compressed = bytes.toByteArray();
        // XFL of RFC 1952: compressed as well as can be, as Debian asks of documents
        compressed[8] = 2;
        write(to, compressed);
    }

    private void write(String to, String text) throws IOException {
        write(to, text.getBytes(StandardCharsets.UTF_8));
    }

    private void write(String to, byte[] content) throws IOException {
        Path file = root.resolve(to);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
    }

    private static final class Best extends GZIPOutputStream {
        Best(OutputStream out) throws IOException {
            super(out);
            def.setLevel(Deflater.BEST_COMPRESSION);
        }
    }
}
