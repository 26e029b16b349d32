package io.edgeplug.config;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.ResourceName;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;

/** Reads the configuration: one main file, and beside it {@code class.d/*.toml} in the order of their names. */
public final class ConfigFiles {

    private static final Map<String, Level> LEVELS =
            Map.of("error", Level.SEVERE, "warning", Level.WARNING, "info", Level.INFO, "debug", Level.FINE);

    private final Mistakes mistakes = new Mistakes();
    private final List<DeviceClass> classes = new ArrayList<>();
    private final Map<ResourceName, String> places = new HashMap<>();

    private ConfigFiles() {}

    /**
     * Reads all files.
     *
     * @throws ConfigException with every mistake in every file
     */
    public static Config read(Path mainFile) throws ConfigException {
        return new ConfigFiles().readAll(mainFile);
    }

    private Config readAll(Path mainFile) throws ConfigException {
        Path kubeletDir = Config.DEFAULTS.kubeletDir();
        Level logLevel = Config.DEFAULTS.logLevel();
        Optional<Map<String, Object>> main = TomlFile.read(mainFile, mistakes);
        if (main.isPresent()) {
            Table table = new Table(mistakes, mainFile + ": ", main.orElseThrow());
            kubeletDir = absolute(table, "kubelet_dir").orElse(kubeletDir);
            logLevel = level(table, "log_level").orElse(logLevel);
            readClasses(mainFile, table);
        }
        for (Path file : classFiles(mainFile.resolveSibling("class.d"))) {
            TomlFile.read(file, mistakes)
                    .ifPresent(values -> readClasses(file, new Table(mistakes, file + ": ", values)));
        }
        if (classes.isEmpty() && mistakes.count() == 0) {
            mistakes.add(mainFile.toString(), "defines no [[class]], and class.d beside it does not either");
        }
        mistakes.throwIfAny();
        return new Config(kubeletDir, logLevel, classes);
    }

    private void readClasses(Path file, Table table) {
        ClassReader reader = new ClassReader(mistakes);
        int number = 0;
        for (Map<String, ?> values : table.tables("class")) {
            number++;
            String place = file + ": class " + number;
            reader.read(file.toString(), number, values).ifPresent(deviceClass -> add(deviceClass, place));
        }
        table.rejectOthers();
    }

    private void add(DeviceClass deviceClass, String place) {
        String earlier = places.putIfAbsent(deviceClass.resource(), place);
        if (earlier == null) {
            classes.add(deviceClass);
        } else {
            mistakes.add(place + " (" + deviceClass.resource() + "): resource", "is that of " + earlier + " too");
        }
    }

    private List<Path> classFiles(Path directory) {
        List<Path> files = new ArrayList<>();
        if (Files.exists(directory)) {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*.toml")) {
                found.forEach(files::add);
            } catch (IOException e) {
                mistakes.add(directory.toString(), "cannot be listed: " + e.getMessage());
            }
        }
        files.sort(null);
        return files;
    }

    private static Optional<Path> absolute(Table table, String key) {
        Optional<Path> path = table.string(key).map(Path::of);
        path.filter(value -> !value.isAbsolute()).ifPresent(value -> table.mistake(key, "must be an absolute path"));
        return path;
    }

    private static Optional<Level> level(Table table, String key) {
        return table.string(key).flatMap(text -> {
            Optional<Level> level = Optional.ofNullable(LEVELS.get(text));
            if (level.isEmpty()) {
                table.mistake(key, "\"" + text + "\" is none of error, warning, info, debug");
            }
            return level;
        });
    }
}
