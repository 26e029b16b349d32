package io.edgeplug.vfs;

import io.edgeplug.rules.Step;
import io.edgeplug.rules.WantedVfs.EswitchMode;
import java.util.Optional;
import java.util.OptionalInt;

/** One thing that is done to a PF or to one of its VFs. Each is done again without harm. */
public sealed interface VfsStep {

    /** One word for a table and for JSON. */
    String word();

    /** What is done, to a person. */
    String text();

    /** The number of the VF that it is about; empty for the PF. */
    default OptionalInt vf() {
        return OptionalInt.empty();
    }

    /** All of it, for a line of a log or a message: {@code VF 0: bind to vfio-pci}. */
    default String line() {
        String prefix = vf().isPresent() ? "VF " + vf().getAsInt() + ": " : "";
        return prefix + word() + " " + text();
    }

    /** Whether the kernel binds VFs by itself: off while they are made, so that no interface comes and goes. */
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

    /** How the adapter connects its VFs; devlink, since sysfs has no word for it. */
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

    /** How many VFs there are; 0 removes all, and must come before any other number. */
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

    /** What the PF says of a VF; iproute2, since it goes through netlink only. */
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

    /** The GUID of a VF's node and port; iproute2, since it goes through netlink only. */
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

    /** The module of a driver; modprobe. */
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

    /** Takes a VF from its driver. */
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
     * Gives a VF to a driver.
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

    /** Sets the PF's interface up, without which many VFs have no link; iproute2. */
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
