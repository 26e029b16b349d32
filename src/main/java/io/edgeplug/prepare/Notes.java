package io.edgeplug.prepare;

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

/** What is noted of functions, in files that outlive this process and not this boot. */
final class Notes {

    private static final String PART = ".part";

    private final Sysfs sysfs;
    private final String path;

    /** Those in a directory of the node, as {@code run/edgeplug/prepare}. */
    Notes(Sysfs sysfs, String path) {
        this.sysfs = sysfs;
        this.path = path;
    }

    /** Where they are, and what else only root may see. */
    Path directory() throws IOException {
        return OwnDirectory.of(sysfs, path);
    }

    void write(PciAddress address, Properties note) throws IOException {
        Path part = directory().resolve(address + PART);
        try (var out = Files.newBufferedWriter(part, StandardCharsets.UTF_8)) {
            note.store(out, null);
        }
        Files.move(part, file(address), StandardCopyOption.ATOMIC_MOVE);
    }

    Optional<Properties> read(PciAddress address) throws IOException {
        if (!Files.exists(file(address))) {
            return Optional.empty();
        }
        Properties note = new Properties();
        try (var in = Files.newBufferedReader(file(address), StandardCharsets.UTF_8)) {
            note.load(in);
        }
        return Optional.of(note);
    }

    void delete(PciAddress address) throws IOException {
        Files.deleteIfExists(file(address));
    }

    /** The functions of which there is a note. */
    List<PciAddress> functions() throws IOException {
        return names().stream().flatMap(name -> PciAddress.parse(name).stream()).toList();
    }

    /** What else is in the directory, of processes that run or were killed. */
    List<Path> others() throws IOException {
        return names().stream()
                .filter(name -> PciAddress.parse(name).isEmpty())
                .map(name -> sysfs.locate(path + "/" + name))
                .toList();
    }

    /** None for who may not look: who is not root has nothing to put back either. */
    private List<String> names() throws IOException {
        return Files.isDirectory(sysfs.locate(path)) ? sysfs.names(path) : List.of();
    }

    private Path file(PciAddress address) {
        return sysfs.locate(path + "/" + address);
    }
}
