package io.edgeplug.prepare;

import io.edgeplug.device.Changing;
import io.edgeplug.device.PciAddress;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/**
 * How functions were before something was begun with them, in files that outlive this process and not this boot, so
 * that the next process can put back what a killed one left.
 */
final class Unfinished {

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

    /** A directory for what only root may see. */
    Path directory() throws IOException {
        return OwnDirectory.of(sysfs, Changing.DIRECTORY);
    }

    void remember(PciAddress address, Before before) throws IOException {
        Properties properties = new Properties();
        before.driver().ifPresent(driver -> properties.setProperty(DRIVER, driver));
        before.override().ifPresent(driver -> properties.setProperty(OVERRIDE, driver));
        before.resetMethods().ifPresent(methods -> properties.setProperty(RESET_METHOD, methods));
        Path file = file(address);
        directory();
        Path part = file.resolveSibling(address + PART);
        try (var out = Files.newBufferedWriter(part, StandardCharsets.UTF_8)) {
            properties.store(out, null);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }

    void forget(PciAddress address) throws IOException {
        Files.deleteIfExists(file(address));
    }

    /** The functions with which something was begun and not finished. */
    List<PciAddress> functions() throws IOException {
        return names().stream().flatMap(name -> PciAddress.parse(name).stream()).toList();
    }

    /** Takes away what else there is, of processes that were killed. */
    void deleteAbandoned() throws IOException {
        for (String name : names()) {
            if (PciAddress.parse(name).isEmpty()) {
                Files.deleteIfExists(directory().resolve(name));
            }
        }
    }

    /** How a function was before something was begun with it; empty if nothing was, or all was finished. */
    Optional<Before> before(PciAddress address) throws IOException {
        return Files.exists(file(address)) ? Optional.of(read(file(address))) : Optional.empty();
    }

    private List<String> names() throws IOException {
        return sysfs.names(Changing.DIRECTORY);
    }

    private Path file(PciAddress address) {
        return sysfs.locate(Changing.file(address));
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
