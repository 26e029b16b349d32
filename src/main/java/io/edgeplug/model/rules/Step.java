package io.edgeplug.model.rules;

import io.edgeplug.model.device.Device;
import io.edgeplug.system.flow.Worded;
import io.edgeplug.system.programs.ProgramLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One step of a recipe. */
public sealed interface Step {

    /** The key in the configuration for this step, which also names it in errors: the record's name. */
    default String word() {
        return getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /** The action, for a person, such as {@code flr}. */
    default String text() {
        return switch (this) {
            case Vf vf -> vf.settings();
            case Reset reset -> reset.method().word();
            case Driver driver -> driver.name();
            case Program program ->
                program.file()
                        + program.id().map(wanted -> " as " + wanted).orElse("")
                        + (program.always() ? ", always" : "");
            case Command command -> command.text(Template::toString);
            case Interface moved -> moved.text(Template::toString);
        };
    }

    /** The action with its templates filled in for a device. */
    default String text(Device device) {
        return switch (this) {
            case Command command -> command.text(template -> template.fill(device));
            case Interface moved -> moved.text(template -> template.fill(device));
            default -> text();
        };
    }

    /** Whether it resets the function, binds it to a driver, or takes its network interface away from the node. */
    default boolean changesFunction() {
        return this instanceof Reset || this instanceof Driver || this instanceof Interface;
    }

    /**
     * Settings of a VF on its PF. A setting that the class leaves out stays as it is.
     *
     * @param mac a MAC address, or {@code random} for a new one each time
     * @param vlan 0 for none
     * @param minRate in Mbit/s, 0 for none
     * @param maxRate in Mbit/s, 0 for no limit
     * @param linkState {@code auto}, {@code enable} or {@code disable}
     */
    record Vf(
            Optional<String> mac,
            OptionalInt vlan,
            Optional<Boolean> trust,
            Optional<Boolean> spoofCheck,
            OptionalInt minRate,
            OptionalInt maxRate,
            Optional<String> linkState)
            implements Step {

        /** Stands for a new MAC address each time, locally administered and unicast. */
        public static final String RANDOM = "random";

        /**
         * The form of a unicast MAC address. Zeros mean that there is none, so that the VF can choose its own at any
         * time.
         */
        public static final Pattern STATION = Pattern.compile("(?!00(:00){5})[0-9a-f][02468ace](:[0-9a-f]{2}){5}");

        public static final Vf NONE = new Vf(
                Optional.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty());

        private String settings() {
            List<String> settings = new ArrayList<>();
            mac.ifPresent(value -> settings.add("mac " + value));
            vlan.ifPresent(value -> settings.add("vlan " + value));
            trust.ifPresent(value -> settings.add("trust " + onOrOff(value)));
            spoofCheck.ifPresent(value -> settings.add("spoof check " + onOrOff(value)));
            minRate.ifPresent(value -> settings.add("at least " + value + " Mbit/s"));
            maxRate.ifPresent(value -> settings.add("at most " + value + " Mbit/s"));
            linkState.ifPresent(value -> settings.add("link " + value));
            return String.join(", ", settings);
        }

        /** The same settings with that MAC address, or without one. */
        public Vf withMac(@Nullable String address) {
            return new Vf(Optional.ofNullable(address), vlan, trust, spoofCheck, minRate, maxRate, linkState);
        }

        /** The settings that differ from the actual ones. A setting of unknown actual value counts as equal. */
        public Vf differingFrom(Vf actual) {
            return new Vf(
                    differing(mac, actual.mac),
                    differing(vlan, actual.vlan),
                    differing(trust, actual.trust),
                    differing(spoofCheck, actual.spoofCheck),
                    differing(minRate, actual.minRate),
                    differing(maxRate, actual.maxRate),
                    differing(linkState, actual.linkState));
        }

        public boolean isEmpty() {
            return equals(NONE);
        }

        private static <T> Optional<T> differing(Optional<T> wanted, Optional<T> actual) {
            return wanted.filter(value -> actual.isPresent() && !actual.equals(wanted));
        }

        private static OptionalInt differing(OptionalInt wanted, OptionalInt actual) {
            return actual.isPresent() && !actual.equals(wanted) ? wanted : OptionalInt.empty();
        }

        private static String onOrOff(boolean value) {
            return value ? "on" : "off";
        }
    }

    /** A reset. A driver that has made network interfaces or other devices of the function is unbound for it. */
    record Reset(Method method) implements Step {

        /** The method of a reset; see reset_method in Documentation/ABI/testing/sysfs-bus-pci. */
        public enum Method implements Worded {
            /** Function level reset. */
            FLR,
            /** A reset of the bus above it, which the kernel allows if no other function is on that bus. */
            BUS,
            /** The method that the kernel prefers. */
            FUNCTION,
            /** No reset: the driver is unbound and bound again. */
            REBIND,
            /** A reset of the port of a USB device; the only one for these. */
            USB
        }
    }

    /** The driver to which the function is bound. */
    record Driver(String name) implements Step {}

    /**
     * The image for an FPGA.
     *
     * @param file an absolute path
     * @param sha256 of the file, 64 lower-case hexadecimal digits
     * @param id the ID that the FPGA reports afterwards, 32 lower-case hexadecimal digits
     * @param idFile the file, below the root, in which it reports the ID; the port of an Intel region has its own
     * @param tool a vendor's tool that loads the image instead of the kernel
     * @param partial whether the image is for a part of the FPGA
     * @param always whether the FPGA is programmed even if it already reports this image
     */
    record Program(
            String file,
            String sha256,
            Optional<String> id,
            Optional<Template> idFile,
            Optional<Command> tool,
            boolean partial,
            boolean always)
            implements Step {

        Program with(Image image) {
            return new Program(image.file(), image.sha256(), image.id(), idFile, tool, partial, always);
        }
    }

    /**
     * A program of the administrator.
     *
     * @param argv begins with an absolute path
     * @param timeout after which the program is killed
     * @param limits what the program may use
     */
    record Command(List<Template> argv, Duration timeout, ProgramLimits limits) implements Step {

        public Command {
            argv = List.copyOf(argv);
        }

        private String text(Function<Template, String> word) {
            return argv.stream().map(word).collect(Collectors.joining(" "));
        }
    }

    /**
     * The network interface that the container runtime moves into the pod. It is the last step, because a reset or another
     * driver makes another interface.
     *
     * @param name in the pod; it ends in a number, and further interfaces of the pod get the next free numbers
     * @param addresses of each device, such as {@code 192.0.2.{vf}/24}
     * @param addressesFile the absolute path of a file that lists addresses by device
     */
    record Interface(String name, OptionalInt mtu, List<Template> addresses, Optional<String> addressesFile)
            implements Step {

        /**
         * The form of a name, which is not that of the pod's own network. The kernel has 15 bytes for a name, and the
         * numbers of further interfaces may have one digit more.
         */
        public static final Pattern NAME =
                Pattern.compile("(?=.{2,14}$)(?!eth0$)[A-Za-z](?:[A-Za-z0-9_.-]*[A-Za-z_.-])?\\d{1,3}");

        private static final Pattern NUMBER = Pattern.compile("\\d+$");

        public Interface {
            addresses = List.copyOf(addresses);
        }

        /** The first name from this one on that is not taken. */
        public String free(Set<String> taken) {
            Matcher number = NUMBER.matcher(name);
            boolean ignored = number.find();
            String prefix = name.substring(0, number.start());
            int next = Integer.parseInt(number.group());
            while (taken.contains(prefix + next)) {
                next++;
            }
            return prefix + next;
        }

        private String text(Function<Template, String> word) {
            List<String> settings = new ArrayList<>(List.of("into the pod as " + name));
            mtu.ifPresent(value -> settings.add("mtu " + value));
            addresses.forEach(address -> settings.add(word.apply(address)));
            addressesFile.ifPresent(file -> settings.add("addresses of " + file));
            return String.join(", ", settings);
        }
    }
}
