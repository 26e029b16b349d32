package io.edgeplug.node.prepare;

import io.edgeplug.model.device.IdentifiedNode;
import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The device nodes that pods were given, with one file for each device in {@code /var/lib/edgeplug/nodes}. The kubelet
 * starts a container with the same paths again, also after a reboot. The numbers of the nodes hold until then: a note in
 * {@code /run} says that this is still the boot in which they were noted.
 */
public final class GivenNodeNotes {

    private static final String PATH = "path.";
    private static final String NUMBER = "number.";
    private static final String ORIGIN = "origin.";

    private static final String BOOT = "boot";

    private final Notes notes;
    private final Notes thisBoot;

    /** The notes on that node. */
    public GivenNodeNotes(Sysfs sysfs) {
        this.notes = new Notes(sysfs, "var/lib/edgeplug/nodes", ".nodes");
        this.thisBoot = new Notes(sysfs, "run/edgeplug/nodes");
    }

    /**
     * All notes, by device. After a boot of the node they are without numbers, also on disk.
     *
     * @param problems is told of each note that cannot be read; the others are read all the same
     */
    public Map<String, List<IdentifiedNode>> all(Consumer<String> problems) {
        boolean areNumbersValid = thisBoot.exists(BOOT);
        Map<String, List<IdentifiedNode>> all = new TreeMap<>();
        try {
            for (String device : notes.names()) {
                read(device, areNumbersValid, problems).ifPresent(nodes -> all.put(device, nodes));
            }
            if (!areNumbersValid) {
                thisBoot.write(BOOT, new Properties());
            }
        } catch (IOException e) {
            problems.accept(String.valueOf(e.getMessage()));
        }
        return all;
    }

    private Optional<List<IdentifiedNode>> read(String device, boolean areNumbersValid, Consumer<String> problems) {
        try {
            List<IdentifiedNode> nodes = nodes(notes.read(device).orElseGet(Properties::new));
            if (areNumbersValid) {
                return Optional.of(nodes);
            }
            List<IdentifiedNode> afterBoot =
                    nodes.stream().map(IdentifiedNode::afterBoot).toList();
            notes.write(device, note(afterBoot));
            return Optional.of(afterBoot);
        } catch (IOException e) {
            problems.accept(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private static List<IdentifiedNode> nodes(Properties note) {
        List<IdentifiedNode> nodes = new ArrayList<>();
        for (int i = 0; note.containsKey(PATH + i); i++) {
            nodes.add(new IdentifiedNode(
                    note.getProperty(PATH + i), note.getProperty(NUMBER + i, ""), note.getProperty(ORIGIN + i, "")));
        }
        return nodes;
    }

    /** Notes what a device is while a pod has it. Waits for the disk. */
    public void note(String device, List<IdentifiedNode> nodes) throws IOException {
        notes.writeForGood(device, note(nodes));
    }

    private static Properties note(List<IdentifiedNode> nodes) {
        Properties note = new Properties();
        for (int i = 0; i < nodes.size(); i++) {
            note.setProperty(PATH + i, nodes.get(i).path());
            note.setProperty(NUMBER + i, nodes.get(i).number());
            note.setProperty(ORIGIN + i, nodes.get(i).origin());
        }
        return note;
    }

    /** Deletes the note of a device that no pod has. */
    public void delete(String device) throws IOException {
        notes.delete(device);
    }
}
