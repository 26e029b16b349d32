package io.edgeplug.model.rules;

import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PfPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What the administrator says of functions that the node uses itself, against what the node shows.
 *
 * @param keeps functions that the node keeps, as if its default route were on them
 * @param spares functions that the node can do without, whatever it has on them
 * @param sparesAddresses whether addresses count for nothing, because a pod may have left them
 */
public record KeptFunctions(List<String> keeps, List<String> spares, boolean sparesAddresses) {

    /** What the node shows counts. */
    public static final KeptFunctions NONE = new KeptFunctions(List.of(), List.of(), false);

    private static final NodeUse KEPT = new NodeUse(NodeUse.Level.ROUTE, "its name under keeps of [node]");

    public KeptFunctions {
        keeps = List.copyOf(keeps);
        spares = List.copyOf(spares);
    }

    /** The same for a function that a pod has had. */
    public KeptFunctions sparingAddresses() {
        return new KeptFunctions(keeps, spares, true);
    }

    /** How the node uses a device. */
    public NodeUse use(PciDevice device) {
        List<String> names = new ArrayList<>(device.function().allNetNames());
        names.add(device.function().address().toString());
        if (device instanceof PfPart part) {
            part.physicalNames().forEach(pf -> names.add(pf + "#" + part.index()));
            names.add(part.physicalFunction() + "#" + part.index());
        }
        return use(device.function().nodeUse(), names);
    }

    /** How the node uses a function with these devices. */
    public NodeUse use(List<PciDevice> ofFunction) {
        return ofFunction.stream().map(this::use).reduce(NodeUse.NONE, NodeUse::or);
    }

    private NodeUse use(NodeUse seen, List<String> names) {
        if (isNamed(keeps, names)) {
            return KEPT;
        }
        boolean isSpared = sparesAddresses && seen.level() == NodeUse.Level.ADDRESS;
        return isSpared || isNamed(spares, names) ? NodeUse.NONE : seen;
    }

    private static boolean isNamed(List<String> texts, List<String> names) {
        return texts.stream().anyMatch(text -> names.stream().anyMatch(named(text)));
    }

    /** What is wrong with the form of a name; empty if nothing is. */
    public static Optional<String> problem(String text) {
        return (isAddress(text) ? SelectorWord.ROOT_DEVICES : SelectorWord.PF_NAMES).problem(text);
    }

    private static boolean isAddress(String text) {
        return text.indexOf(':') >= 0;
    }

    /**
     * The condition for a name, such as {@code ens1f0v0}, {@code ens1f0#0-3} or {@code 0000:3b:02.1}. A PF does not stand
     * for its VFs.
     */
    private static Predicate<String> named(String text) {
        Predicate<String> matches = isAddress(text) ? ValueForm.rootDevice(text) : ValueForm.pfName(text);
        boolean isOfVfs = text.indexOf('#') >= 0;
        return name -> name.indexOf('#') >= 0 == isOfVfs && matches.test(name);
    }
}
