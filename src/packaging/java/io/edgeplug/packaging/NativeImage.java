package io.edgeplug.packaging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Makes {@code target/image-<architecture>}, the files of a package that only processors of one architecture can use:
 * runtime, native libraries and class cache, with the bill of materials.
 */
final class NativeImage {

    /** No more of the JDK than the product uses: its classes, its log, and sun.misc.Signal. */
    private static final String MODULES = "java.base,java.logging,jdk.unsupported";

    /** Paths in options, which are of files in one of two images. */
    private static final Pattern INSTALLED = Pattern.compile("/" + Image.HOME + "(/native)?");

    /** 68 s for an emulated JVM on an idle core. */
    private static final long DUMP_MINUTES = 20;

    private final Path target;
    private final Architecture architecture;
    private final Path root;
    private final Path home;
    private final Path scratch;
    private final List<String> emulator;
    private final List<String> modulePath;

    private NativeImage(Path target, Architecture architecture, List<String> emulator, List<String> modulePath)
            throws IOException {
        this.target = target;
        this.architecture = architecture;
        this.emulator = emulator;
        this.modulePath = modulePath;
        root = target.resolve("image-" + architecture.debian());
        home = root.resolve(Image.HOME);
        scratch = target.resolve("training").resolve(architecture.debian());
        Image.delete(root);
        Files.createDirectories(home);
        Files.createDirectories(scratch);
    }

    /** One for the machine that builds. */
    static NativeImage own(Path target) throws IOException {
        return new NativeImage(target, Architecture.own(), List.of(), List.of());
    }

    /** One for another architecture, whose programs an emulator runs here. */
    static NativeImage foreign(Path target, ForeignJdk jdk) throws IOException {
        return new NativeImage(
                target,
                jdk.architecture(),
                jdk.emulator(),
                List.of("--module-path", jdk.modules().toString()));
    }

    /** Puts in all that can be used before there is a class cache. */
    void install(String bill) throws IOException {
        linkRuntime();
        Jars.installNatives(target, home, architecture);
        Requirements requirements = Requirements.of(home.resolve("runtime"), home.resolve("native"));
        Files.writeString(
                target.resolve("requirements-" + architecture.debian() + ".properties"),
                requirements.properties(architecture));
        writeControl(requirements);
        Path documents = Files.createDirectories(root.resolve("usr/share/doc/edgeplug"));
        if (!bill.equals(Bill.NONE)) {
            Files.writeString(
                    documents.resolve("edgeplug.cdx.json"), Bill.of(bill, architecture, home.resolve("runtime")));
        }
    }

    /** The JVM with the installed options and class path, before they are installed. */
    List<String> jvm(Path common) throws IOException {
        List<String> command = new ArrayList<>(emulator);
        command.add(home.resolve("runtime/bin/java").toString());
        for (String file : List.of("jvm.options", "class.path")) {
            String text = INSTALLED
                    .matcher(Files.readString(common.resolve(file)))
                    .replaceAll(path -> (path.group(1) == null ? common : home.resolve("native")).toString());
            command.add("@" + Files.writeString(scratch.resolve(file), text));
        }
        return command;
    }

    /** Makes the class cache, by training in the runtime of this image. */
    void train(Path common, String cache) throws IOException, InterruptedException {
        Path output = home.resolve(cache);
        List<String> jvm = jvm(common);
        jvm.add("-XX:AOTCacheOutput=" + output);
        // not how methods ran too (JEP 515), by which they are compiled at each start: it costs more than it saves
        jvm.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTRecordTraining"));
        Training.run(jvm, output, scratch);
    }

    /** Trains again, for the list of classes that {@link #dump} makes the cache of another architecture of. */
    Path listClasses(Path common) throws IOException, InterruptedException {
        Path list = scratch.resolve("classes");
        Files.deleteIfExists(list);
        List<String> jvm = jvm(common);
        jvm.addAll(List.of("-Xshare:off", "-XX:DumpLoadedClassList=" + list));
        Training.run(jvm, list, scratch);
        return list;
    }

    /** Makes the class cache of a list of classes, since an emulated daemon would take very long to train. */
    void dump(Path common, Path classes, String cache) throws IOException, InterruptedException {
        Path output = home.resolve(cache);
        List<String> dump = jvm(common);
        // all classes are loaded at once, in more heap than a daemon has
        dump.addAll(List.of("-Xmx256m", "-Xshare:dump", "-XX:+AOTClassLinking"));
        dump.addAll(List.of("-XX:SharedClassListFile=" + classes, "-XX:SharedArchiveFile=" + output));
        run(dump);
        // its objects, 3.7 MB, must fit into the heap that a daemon begins with: else no JVM starts with this cache
        List<String> first = jvm(common);
        first.addAll(List.of("-XX:AOTMode=on", "-XX:AOTCache=" + output, "io.edgeplug.cli.Main", "--version"));
        run(first);
    }

    private void run(List<String> command) throws IOException, InterruptedException {
        Path log = scratch.resolve("log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (!process.waitFor(DUMP_MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new IOException("class cache: not made within " + DUMP_MINUTES + " minutes, see " + log);
        }
        if (process.exitValue() != 0) {
            throw new IOException("class cache: ended with " + process.exitValue() + ", see " + log);
        }
    }

    /** After this, nothing may be written. */
    void finish(FileTime time) throws IOException {
        Image.setTimes(root, time);
    }

    private void linkRuntime() throws IOException {
        Path runtime = home.resolve("runtime");
        ToolProvider jlink = ToolProvider.findFirst("jlink").orElseThrow();
        List<String> options =
                List.of("--add-modules", MODULES, "--output", runtime.toString(), "--vm", "server", "--no-man-pages");
        List<String> trims = List.of("--no-header-files", "--strip-java-debug-attributes");
        int code = jlink.run(
                System.out,
                System.err,
                Stream.of(modulePath, options, trims).flatMap(List::stream).toArray(String[]::new));
        if (code != 0) {
            throw new IOException("jlink: ended with " + code);
        }
        // a tool of administrators that the product does not have
        Files.deleteIfExists(runtime.resolve("bin/keytool"));
        followLinks(runtime);
    }

    /** A license that is a link to another module's would be missing from the .rpm, which takes no links. */
    private static void followLinks(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path link : files.filter(Files::isSymbolicLink).toList()) {
                Path target = link.toRealPath();
                Files.delete(link);
                Files.copy(target, link);
            }
        }
    }

    /** The scripts and fields of the .deb, in {@code target/control-<architecture>}. */
    private void writeControl(Requirements requirements) throws IOException {
        Path to = target.resolve("control-" + architecture.debian());
        Image.delete(to);
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(Path.of("packaging/deb/control"))) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
        Path control = to.resolve("control");
        String text = Files.readString(control)
                .replace("[[deb.arch]]", architecture.debian())
                .replace("[[libraries]]", requirements.debian());
        Files.write(control, text.getBytes(StandardCharsets.UTF_8));
    }
}
