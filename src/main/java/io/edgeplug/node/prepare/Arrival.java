package io.edgeplug.node.prepare;

import io.edgeplug.model.rules.Step;
import io.edgeplug.node.prepare.InterfaceNotes.Note;
import io.edgeplug.system.kernel.OtherLinks;
import io.edgeplug.system.kernel.OtherLinks.Seen;
import java.io.IOException;
import java.util.Set;

/**
 * Whether an interface has come into its pod as it should. A container runtime moves it first, and then gives it its name and
 * addresses and brings it up. If it fails in between, the interface stays in the pod half ready, and the next start of the
 * container would succeed without it.
 */
final class Arrival {

    private Arrival() {}

    /**
     * Refuses one that is half ready. What a pod itself changes is its own affair, and its interface is not found by then.
     *
     * @param parents see {@link InterfacePlace#parents}
     */
    static void check(Note note, Step.Interface moved, Set<String> parents) throws IOException {
        String onNode = note.before().name();
        boolean hasAddresses =
                !moved.addresses().isEmpty() || moved.addressesFile().isPresent();
        for (Seen seen : OtherLinks.find(note.before().mac(), parents)) {
            if (seen.isUp()) {
                continue;
            }
            if (seen.name().equals(onNode) && !onNode.equals(note.inside())) {
                throw half("it is still called " + onNode + " there, as if the pod had another interface "
                        + note.inside());
            }
            if (seen.name().equals(note.inside()) && hasAddresses && !seen.hasAddress()) {
                throw half("it has no address there");
            }
        }
    }

    private static IOException half(String what) {
        return new IOException("the container runtime has moved its network interface into the pod and failed then: "
                + what + "; the events of the pod's first start say why. Delete the pod to get the interface back");
    }
}
