package io.edgeplug.node.vfs;

import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.WantedVfs.EswitchMode;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** One step on a PF or on one of its VFs. Repeating a step is harmless. */
public sealed interface VfsStep {

    /** A step on one VF. */
    sealed interface OnVf extends VfsStep {
        int index();
    }

    /** The number of its VF; empty for a step on the PF. */
    default OptionalInt vf() {
        return this instanceof OnVf one ? OptionalInt.of(one.index()) : OptionalInt.empty();
    }

    /** The record's name, for a table and for JSON. */
    default String word() {
        return getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /** The action, for a person. */
    default String text() {
        return switch (this) {
            case Autoprobe autoprobe -> autoprobe.isOn() ? "on" : "off";
            case Eswitch eswitch -> eswitch.mode().word();
            case Count count -> count.count() == 0 ? "0, which removes all VFs" : String.valueOf(count.count());
            case Links links -> "to " + links.count() + (links.count() == 1 ? " VF" : " VFs");
            case Mtu mtu -> String.valueOf(mtu.bytes());
            case Settings settings -> settings.settings().text();
            case Guid guid -> guid.guid();
            case Load load -> "the module of " + load.driver();
            case Unbind unbind -> "from " + unbind.driver();
            case Bind bind -> bind.driver().map(name -> "to " + name).orElse("to the driver that the kernel chooses");
            case Up up -> "the PF's interface";
        };
    }

    /** The whole step as a line of a log or a message, such as {@code VF 0: bind to vfio-pci}. */
    default String line() {
        String prefix = vf().isPresent() ? "VF " + vf().getAsInt() + ": " : "";
        return prefix + word() + " " + text();
    }

    /** Whether the kernel binds VFs by itself. This is off while they are made, so that no interface comes and goes. */
    record Autoprobe(boolean isOn) implements VfsStep {}

    /** How the adapter connects its VFs. devlink sets it, because sysfs has no file for it. */
    record Eswitch(EswitchMode mode) implements VfsStep {}

    /** The number of VFs. 0 removes all, and must come before any other number. */
    record Count(int count) implements VfsStep {}

    /** Waits for the links to that many VFs and from each to its PF, which the kernel makes one after the other. */
    record Links(int count) implements VfsStep {}

    /** The largest packet of the PF, and so of its VFs. */
    record Mtu(int bytes) implements VfsStep {}

    /** The settings that the PF has for a VF. iproute2 makes them, because only netlink has them. */
    record Settings(int index, Step.Vf settings) implements OnVf {}

    /** The GUIDs of a VF's node and port. iproute2 sets them, because only netlink has them. */
    record Guid(int index, String guid) implements OnVf {}

    /** Loads the module of a driver. */
    record Load(String driver) implements VfsStep {}

    /** Unbinds a VF from its driver. */
    record Unbind(int index, String driver) implements OnVf {}

    /**
     * Binds a VF to a driver.
     *
     * @param driver empty for the one that the kernel chooses
     */
    record Bind(int index, Optional<String> driver) implements OnVf {}

    /** Sets the PF's interface up with iproute2. Many VFs have no link without it. */
    record Up() implements VfsStep {}
}
