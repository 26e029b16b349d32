package io.edgeplug.scan;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.linux.FileKind;
import io.edgeplug.linux.ProcessIdentity;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.io.StringReader;
import java.util.Optional;
import java.util.Properties;

/**
 * The note of a function that a process of ours is changing, which is neither one thing nor the other meanwhile: whoever
 * follows devices leaves it as it was as long as that process goes on, and has it as unhealthy if the process left it so.
 *
 * @param goesOn whether the process lives and has not given up
 * @param problem what to say of the function otherwise
 */
public record ChangeNote(boolean goesOn, String problem) {

    /** From the node's root; not there if nothing was ever changed since the boot. */
    public static final String DIRECTORY = "run/edgeplug/prepare";

    /** The key of the process that changes it, as {@link ProcessIdentity} writes it. */
    public static final String BY = "by";

    /** The key of why it could not be put back. */
    public static final String PROBLEM = "problem";

    private static final String LEFT = "was left half changed";

    /** The note of a function, if there is one; none for who may not read it. */
    public static Optional<ChangeNote> of(Sysfs sysfs, PciAddress function) {
        String file = file(function);
        try {
            Optional<FileKind> kind = sysfs.kind(file);
            if (kind.isEmpty()) {
                return Optional.empty();
            }
            if (kind.orElseThrow() != FileKind.FILE) {
                return Optional.of(unreadable(file, "it is " + kind.orElseThrow()));
            }
            return sysfs.read(file).map(text -> parse(file, text));
        } catch (IOException e) {
            String reason = String.valueOf(e.getMessage());
            return reason.endsWith("Permission denied") ? Optional.empty() : Optional.of(unreadable(file, reason));
        }
    }

    private static ChangeNote parse(String file, String text) {
        Properties note = new Properties();
        try {
            note.load(new StringReader(text));
        } catch (IOException | IllegalArgumentException e) {
            return unreadable(file, "it is no note");
        }
        Optional<String> problem = Optional.ofNullable(note.getProperty(PROBLEM));
        boolean goesOn = problem.isEmpty()
                && ProcessIdentity.parse(note.getProperty(BY, ""))
                        .filter(ProcessIdentity::isAlive)
                        .isPresent();
        return new ChangeNote(
                goesOn,
                problem.map(why -> LEFT + " and cannot be put back: " + why)
                        .orElse(LEFT + " by a process that has ended, and is not put back yet"));
    }

    private static ChangeNote unreadable(String file, String reason) {
        return new ChangeNote(false, LEFT + ", and its note /" + file + " cannot be read: " + reason);
    }

    /** Whether a device is a function that is being changed, or a part of one. */
    public static boolean concerns(Sysfs sysfs, Device device) {
        return device instanceof PciDevice pci
                && of(sysfs, pci.function().address())
                        .filter(ChangeNote::goesOn)
                        .isPresent();
    }

    /** The note of a function, from the node's root. */
    public static String file(PciAddress function) {
        return DIRECTORY + "/" + function;
    }
}
