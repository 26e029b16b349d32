package io.edgeplug.prepare;

import io.edgeplug.device.PciAddress;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * How functions were before something was begun with them, in files that outlive this process and not this boot, so
 * that the next process can put back what a killed one left.
 */
final class Unfinished {

    private static final String DIRECTORY = "run/edgeplug/prepare";
    private static final String PART = ".part";
    private static final String DRIVER = "driver";
    private static final String OVERRIDE = "driver_override";
    private static final String RESET_METHOD = "reset_method";

    private final Sysfs sysfs;

    Unfinished(Sysfs sysfs) {
        this.sysfs = sysfs;
    }

    /** How a function was. */
    record Before(Optional<String> driver, Optional<String> override, Optional<String> resetMethods) {

        static Before of(PciBinding binding) throws IOException {
            return new Before(binding.driver(), binding.override(), binding.resetMethods());
        }

        /** Puts it back to what it was; what is so already is left alone. */
        void restore(PciBinding binding) throws IOException {
            if (!binding.override().equals(override)) {
                binding.override(override);
            }
            if (resetMethods.isPresent() && !binding.resetMethods().equals(resetMethods)) {
                binding.resetMethods(resetMethods.orElseThrow());
            }
            if (binding.driver().equals(driver)) {
                return;
            }
            if (binding.driver().isPresent()) {
                binding.unbind();
            }
            if (driver.isPresent()) {
                binding.bind(driver.orElseThrow());
            }
        }
    }

    /** A directory of this process's own, for what only it may see. */
    Path directory() throws IOException {
        return Files.createDirectories(sysfs.locate(DIRECTORY));
    }

    void remember(PciAddress address, Before before) throws IOException {
        Properties properties = new Properties();
        before.driver().ifPresent(driver -> properties.setProperty(DRIVER, driver));
        before.override().ifPresent(driver -> properties.setProperty(OVERRIDE, driver));
        before.resetMethods().ifPresent(methods -> properties.setProperty(RESET_METHOD, methods));
        Path file = directory().resolve(address.toString());
        Path part = file.resolveSibling(address + PART);
        try (var out = Files.newBufferedWriter(part, StandardCharsets.UTF_8)) {
            properties.store(out, null);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }

    void forget(PciAddress address) throws IOException {
        Files.deleteIfExists(directory().resolve(address.toString()));
    }

    /** What was begun and not finished, by function; what is no such file is deleted. */
    Map<PciAddress, Before> all() throws IOException {
        Map<PciAddress, Before> found = new TreeMap<>();
        if (!Files.isDirectory(sysfs.locate(DIRECTORY))) {
            return found;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(sysfs.locate(DIRECTORY))) {
            for (Path file : files) {
                Optional<PciAddress> address = PciAddress.parse(String.valueOf(file.getFileName()));
                if (address.isPresent()) {
                    found.put(address.orElseThrow(), read(file));
                } else {
                    Files.deleteIfExists(file);
                }
            }
        }
        return found;
    }

    private static Before read(Path file) throws IOException {
        Properties properties = new Properties();
        try (var in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(in);
        }
        return new Before(
                Optional.ofNullable(properties.getProperty(DRIVER)),
                Optional.ofNullable(properties.getProperty(OVERRIDE)),
                Optional.ofNullable(properties.getProperty(RESET_METHOD)));
    }
}
