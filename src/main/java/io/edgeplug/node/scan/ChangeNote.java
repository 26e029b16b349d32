package io.edgeplug.node.scan;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.KernelReason;
import io.edgeplug.system.programs.ProcessIdentity;
import java.io.IOException;
import java.util.Optional;
import java.util.Properties;

/**
 * The note of a function that an edgeplug process is changing. While that process runs, the function keeps its last
 * known state in the inventory. If the process has ended, the function is unhealthy.
 *
 * @param goesOn whether the process lives and has not given up
 * @param problem the problem of the function otherwise
 */
public record ChangeNote(boolean goesOn, String problem) {

    /** From the node's root. The directory is missing if nothing was changed since the boot. */
    public static final String DIRECTORY = "run/edgeplug/prepare";

    /** The key for the process that changes the function, as {@link ProcessIdentity} writes it. */
    public static final String BY = "by";

    /** The key for the reason why the function could not be restored. */
    public static final String PROBLEM = "problem";

    private static final String LEFT = "was left half changed";

    /** The note of a function, if there is one; empty if this user may not read it. */
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
            return KernelReason.of(e) == KernelReason.DENIED
                    ? Optional.empty()
                    : Optional.of(unreadable(file, String.valueOf(e.getMessage())));
        }
    }

    private static ChangeNote parse(String file, String text) {
        Properties note;
        try {
            note = Notes.parse(text);
        } catch (IOException e) {
            return unreadable(file, "it " + e.getMessage());
        }
        Optional<String> problem = Optional.ofNullable(note.getProperty(PROBLEM));
        boolean goesOn = problem.isEmpty()
                && ProcessIdentity.parse(note.getProperty(BY, ""))
                        .filter(ProcessIdentity::isAlive)
                        .isPresent();
        return new ChangeNote(
                goesOn,
                problem.map(why -> LEFT + " and cannot be restored: " + why)
                        .orElse(LEFT + " by a process that has ended, and is not restored yet"));
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

    /** The file of a function's note, from the node's root. */
    public static String file(PciAddress function) {
        return DIRECTORY + "/" + function;
    }
}
