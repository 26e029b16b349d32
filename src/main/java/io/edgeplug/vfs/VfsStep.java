package io.edgeplug.vfs;

import io.edgeplug.rules.Step;
import io.edgeplug.rules.WantedVfs.EswitchMode;
import java.util.Optional;
import java.util.OptionalInt;

/** One step on a PF or on one of its VFs. Repeating a step is harmless. */
public sealed interface VfsStep {

    /** One word for a table and for JSON. */
    String word();

    /** The action, for a person. */
    String text();

    /** The number of its VF; empty for a step on the PF. */
    default OptionalInt vf() {
        return OptionalInt.empty();
    }

    /** The whole step as a line of a log or a message, such as {@code VF 0: bind to vfio-pci}. */
    default String line() {
        String prefix = vf().isPresent() ? "VF " + vf().getAsInt() + ": " : "";
        return prefix + word() + " " + text();
    }

    /** Whether the kernel binds VFs by itself. This is off while they are made, so that no interface comes and goes. */
    record Autoprobe(boolean isOn) implements VfsStep {
        @Override
        public String word() {
            return "autoprobe";
        }

        @Override
        public String text() {
            return isOn ? "on" : "off";
        }
    }

    /** How the adapter connects its VFs. devlink sets it, because sysfs has no file for it. */
    record Eswitch(EswitchMode mode) implements VfsStep {
        @Override
        public String word() {
            return "eswitch";
        }

        @Override
        public String text() {
            return mode.word();
        }
    }

    /** The number of VFs. 0 removes all, and must come before any other number. */
    record Count(int count) implements VfsStep {
        @Override
        public String word() {
            return "count";
        }

        @Override
        public String text() {
            return count == 0 ? "0, which removes all VFs" : String.valueOf(count);
        }
    }

    /** Waits for the links to that many VFs and from each to its PF, which the kernel makes one after the other. */
    record Links(int count) implements VfsStep {
        @Override
        public String word() {
            return "links";
        }

        @Override
        public String text() {
            return "to " + count + (count == 1 ? " VF" : " VFs");
        }
    }

    /** The largest packet of the PF, and so of its VFs. */
    record Mtu(int bytes) implements VfsStep {
        @Override
        public String word() {
            return "mtu";
        }

        @Override
        public String text() {
            return String.valueOf(bytes);
        }
    }

    /** The settings that the PF has for a VF. iproute2 makes them, because only netlink has them. */
    record Settings(int index, Step.Vf settings) implements VfsStep {
        @Override
        public String word() {
            return "settings";
        }

        @Override
        public String text() {
            return settings.text();
        }

        @Override
        public OptionalInt vf() {
            return OptionalInt.of(index);
        }
    }

    /** The GUIDs of a VF's node and port. iproute2 sets them, because only netlink has them. */
    record Guid(int index, String guid) implements VfsStep {
        @Override
        public String word() {
            return "guid";
        }

        @Override
        public String text() {
            return guid;
        }

        @Override
        public OptionalInt vf() {
            return OptionalInt.of(index);
        }
    }

    /** Loads the module of a driver. */
    record Load(String driver) implements VfsStep {
        @Override
        public String word() {
            return "load";
        }

        @Override
        public String text() {
            return "the module of " + driver;
        }
    }

    /** Unbinds a VF from its driver. */
    record Unbind(int index, String driver) implements VfsStep {
        @Override
        public String word() {
            return "unbind";
        }

        @Override
        public String text() {
            return "from " + driver;
        }

        @Override
        public OptionalInt vf() {
            return OptionalInt.of(index);
        }
    }

    /**
     * Binds a VF to a driver.
     *
     * @param driver empty for the one that the kernel chooses
     */
    record Bind(int index, Optional<String> driver) implements VfsStep {
        @Override
        public String word() {
            return "bind";
        }

        @Override
        public String text() {
            return driver.map(name -> "to " + name).orElse("to the driver that the kernel chooses");
        }

        @Override
        public OptionalInt vf() {
            return OptionalInt.of(index);
        }
    }

    /** Sets the PF's interface up with iproute2. Many VFs have no link without it. */
    record Up() implements VfsStep {
        @Override
        public String word() {
            return "up";
        }

        @Override
        public String text() {
            return "the PF's interface";
        }
    }
}
