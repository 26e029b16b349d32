package io.edgeplug.model.config;

import io.edgeplug.model.rules.ContainerRules;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.model.rules.WantedVfs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Level;

/**
 * Reads the configuration: one main file, and the files {@code class.d/*.toml} beside it in the order of their names.
 * Those that are hidden by a dot are left out.
 */
public final class ConfigFiles {

    private static final Map<String, Level> LEVELS = new TreeMap<>(
            Map.of("error", Level.SEVERE, "warning", Level.WARNING, "info", Level.INFO, "debug", Level.FINE));

    private static final Map<String, Config.Registration> REGISTRATIONS = new TreeMap<>(Map.of(
            "device_plugins", Config.Registration.DEVICE_PLUGINS,
            "plugins_registry", Config.Registration.PLUGINS_REGISTRY));

    /** The path of a Unix socket has at most 107 bytes, and the file name needs some of them. */
    private static final int MAX_SOCKET_DIRECTORY = 75;

    /** After this time a device is listed, even if it was never left alone. */
    private static final Duration LONGEST_SETTLE = Duration.ofSeconds(2);

    static final String CLASS_DIRECTORY = "class.d";

    /** As in a shell, a name that begins with a dot is none: editors and Ansible write beside a file under such a name. */
    static final String CLASS_FILES = "[!.]*.toml";

    static final int MAX_CLASS_FILES = 256;

    /** Each class is served on a socket of its own. This many take half of the daemon's heap. */
    private static final int MAX_CLASSES = 256;

    private final Mistakes mistakes = new Mistakes();
    private final TomlFiles files = new TomlFiles(mistakes);
    private final List<DeviceClass> classes = new ArrayList<>();
    private final List<WantedVfs> vfs = new ArrayList<>();
    private final Map<String, String> places = new HashMap<>();
    private KeptFunctions kept = KeptFunctions.NONE;

    private ConfigFiles() {}

    /**
     * Reads all files.
     *
     * @throws ConfigException with every mistake in every file, or if they define neither a class nor VFs
     */
    public static Config read(Path mainFile) throws ConfigException {
        return new ConfigReading(mainFile).read();
    }

    /**
     * Reads all files, which may also define nothing: the devices of a node can be shown before there is a class.
     *
     * @throws ConfigException with every mistake in every file
     */
    public static Config readAny(Path mainFile) throws ConfigException {
        return new ConfigReading(mainFile).read(ConfigFiles::look);
    }

    static Config look(Path mainFile) throws ConfigException {
        return new ConfigFiles().readAll(mainFile);
    }

    private Config readAll(Path mainFile) throws ConfigException {
        Optional<Table> read = files.read(mainFile);
        // If the file has mistakes, nothing comes of the values, and those in the other files are still reported.
        Table main = read.orElseGet(() -> new Table(mistakes, mainFile.toString(), new TomlLines(), Map.of()));
        Config defaults = Config.DEFAULTS;
        Config.Registration registration =
                Words.oneOf(main, "registration", REGISTRATIONS).orElse(defaults.registration());
        Path kubeletDir = socketDir(main, "kubelet_dir").orElse(defaults.kubeletDir());
        Optional<Path> kubeletRoot = socketDir(main, "kubelet_root");
        Path registryDir = socketDir(main, "plugins_registry_dir")
                .or(() -> kubeletRoot.map(root -> root.resolve("plugins_registry")))
                .orElse(defaults.pluginsRegistryDir());
        Path cdiDir = absolute(main, "cdi_dir").orElse(defaults.cdiDir());
        Path deviceInfoDir = absolute(main, "device_info_dir").orElse(defaults.deviceInfoDir());
        Level logLevel = Words.oneOf(main, "log_level", LEVELS).orElse(defaults.logLevel());
        Duration settle = main.duration("settle", Duration.ZERO, LONGEST_SETTLE).orElse(defaults.settle());
        Config.Reports reports = ReportsReader.read(main);
        Config.Dra dra = DraReader.read(main);
        kept = kept(main);
        readClassesAndVfs(main, mainFile, read.isPresent() ? Set.copyOf(main.known()) : Set.of());
        mistakes.throwIfAny();
        return new Config(
                kubeletRoot,
                registration,
                kubeletDir,
                registryDir,
                cdiDir,
                deviceInfoDir,
                logLevel,
                settle,
                reports,
                dra,
                classes,
                vfs);
    }

    /** Reads the entries of the main file, and of the files in the directory of classes beside it. */
    private void readClassesAndVfs(Table main, Path mainFile, Set<String> ofDaemon) {
        readEntries(main, new KeyHints(ofDaemon, "before the first [[class]]"));
        KeyHints elsewhere = new KeyHints(ofDaemon, "in " + mainFile + " before the first [[class]]");
        for (Path file : classFiles(mainFile.resolveSibling(CLASS_DIRECTORY))) {
            if (files.hasRoom()) {
                files.read(file).ifPresent(some -> readEntries(some, elsewhere));
            }
        }
        if (classes.size() > MAX_CLASSES) {
            mistakes.add(
                    mainFile.toString(),
                    "defines " + classes.size() + " classes, with those in " + CLASS_DIRECTORY
                            + ", and a node may have " + MAX_CLASSES);
        }
    }

    private void readEntries(Table file, KeyHints hints) {
        readClasses(file);
        readVfs(file);
        file.rejectOthers(hints);
    }

    /** Two entries that take the same PF by different keys are found only on the node. */
    private void readVfs(Table file) {
        VfsReader reader = new VfsReader(mistakes, kept);
        for (Table table : file.tables("vfs", (number, values) -> "vfs " + (number + 1) + ": ")) {
            reader.read(table).ifPresent(one -> {
                one.match()
                        .values(SelectorWord.PCI_ADDRESSES)
                        .forEach(address ->
                                claim(table.children().getFirst(), "pci_addresses", address.toLowerCase(Locale.ROOT)));
                vfs.add(one);
            });
        }
    }

    private void readClasses(Table file) {
        ClassReader reader = new ClassReader(mistakes, kept);
        for (Table table : file.tables("class", ClassReader::label)) {
            int before = mistakes.count();
            if (table.has("resource", String.class)) {
                table.string("resource").ifPresent(resource -> claim(table, "resource", resource));
            }
            boolean isNew = mistakes.count() == before;
            reader.read(table).ifPresent(one -> {
                if (isNew) {
                    claimKeys(table, one);
                }
                classes.add(one);
            });
        }
    }

    /**
     * Finds keys that two classes must not share, because in a container with both the kubelet keeps one value at
     * random.
     */
    private void claimKeys(Table table, DeviceClass deviceClass) {
        ContainerRules container = deviceClass.container();
        deviceClass.variables().forEach(name -> claim(table, "env", name));
        container.annotations().keySet().forEach(key -> claim(table, "annotations", key));
        container
                .mounts()
                .forEach(mount -> claim(table, "mounts", mount.containerPath().text()));
    }

    private void claim(Table table, String key, String value) {
        String earlier = places.putIfAbsent(key + " " + value, table.place());
        if (earlier != null && !earlier.equals(table.place())) {
            table.mistake(key, "\"" + value + "\" is that of the " + entry(table) + " in " + earlier + " too");
        }
    }

    private static String entry(Table table) {
        return table.name().startsWith("vfs") ? "[[vfs]]" : "class";
    }

    private List<Path> classFiles(Path directory) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, CLASS_FILES)) {
            TomlFiles.checkOwner(directory);
            for (Path file : all) {
                if (found.size() == MAX_CLASS_FILES) {
                    throw new IOException("has more than the " + MAX_CLASS_FILES
                            + " files of classes that are read; put several classes into one file");
                }
                found.add(file);
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            mistakes.add(directory.toString(), TomlFiles.problem(Objects.requireNonNull(e.getCause())));
        } catch (IOException e) {
            mistakes.add(directory.toString(), TomlFiles.problem(e));
        }
        found.sort(null);
        return found;
    }

    /** Which functions the node uses itself, by {@code [node]}. */
    private static KeptFunctions kept(Table main) {
        return main.table("node")
                .map(node -> new KeptFunctions(functions(node, "keeps"), functions(node, "spares"), false))
                .orElse(KeptFunctions.NONE);
    }

    private static List<String> functions(Table node, String key) {
        List<String> names = node.strings(key);
        names.forEach(name ->
                KeptFunctions.problem(name).ifPresent(problem -> node.mistake(key, "\"" + name + "\" " + problem)));
        return names;
    }

    private static Optional<Path> socketDir(Table table, String key) {
        Optional<Path> directory = absolute(table, key);
        directory
                .filter(path -> path.toString().getBytes(StandardCharsets.UTF_8).length > MAX_SOCKET_DIRECTORY)
                .ifPresent(path -> table.mistake(
                        key, "is longer than the " + MAX_SOCKET_DIRECTORY + " bytes that leave room for a socket"));
        return directory;
    }

    static Optional<Path> absolute(Table table, String key) {
        return table.string(key).flatMap(text -> {
            try {
                Path path = Path.of(text);
                if (!path.isAbsolute()) {
                    table.mistake(key, "must be an absolute path");
                } else {
                    return Optional.of(path);
                }
            } catch (InvalidPathException e) {
                table.mistake(key, "is not a path: " + e.getReason());
            }
            return Optional.empty();
        });
    }
}
