package io.edgeplug.rules;

import io.edgeplug.device.Device;
import io.edgeplug.linux.ProgramLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** One step of a recipe. */
public sealed interface Step {

    /** The key of {@code [class.prepare]} that asks for it, by which errors name it. */
    String word();

    /** What it does, for a person: {@code flr}. */
    String text();

    /** The same, with what its templates stand for on a device. */
    default String text(Device device) {
        return text();
    }

    /**
     * Settings of a VF on its PF, put back to what the class says; what it does not say stays.
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

        /** A MAC address that is made anew each time, local and of one station. */
        public static final String RANDOM = "random";

        /** What a MAC address of one station looks like; zeros are none, and let a VF choose its own at any time. */
        public static final Pattern STATION = Pattern.compile("(?!00(:00){5})[0-9a-f][02468ace](:[0-9a-f]{2}){5}");

        /** Nothing is said. */
        public static final Vf NONE = new Vf(
                Optional.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty());

        @Override
        public String word() {
            return "vf";
        }

        @Override
        public String text() {
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
        public Vf withMac(Optional<String> address) {
            return new Vf(address, vlan, trust, spoofCheck, minRate, maxRate, linkState);
        }

        /** Those of the settings that are not as these say; one of which these say nothing counts as if it were. */
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

    /** A reset; a driver that has made network interfaces or the like of the function is unbound for it. */
    record Reset(Method method) implements Step {

        /** How a function is reset; see reset_method in Documentation/ABI/testing/sysfs-bus-pci. */
        public enum Method {
            /** Function level reset. */
            FLR,
            /** The bus above it, which the kernel allows where nothing else is on it. */
            BUS,
            /** Whatever the kernel prefers. */
            FUNCTION,
            /** No reset: the driver lets go of it and starts anew. */
            REBIND;

            /** As a class says it: {@code flr}. */
            public String word() {
                return name().toLowerCase(Locale.ROOT);
            }
        }

        @Override
        public String word() {
            return "reset";
        }

        @Override
        public String text() {
            return method.word();
        }
    }

    /** A driver that the function is bound to. */
    record Driver(String name) implements Step {
        @Override
        public String word() {
            return "driver";
        }

        @Override
        public String text() {
            return name;
        }
    }

    /**
     * What an FPGA is programmed with.
     *
     * @param file an absolute path
     * @param sha256 of all its bytes, 64 lower-case hexadecimal digits
     * @param id what the FPGA says it is programmed with afterwards, 32 lower-case hexadecimal digits
     * @param idFile where it says so, below the root; an Intel region's port has its own
     * @param tool the vendor's, instead of the kernel
     * @param partial whether the image is of a part of the FPGA
     * @param always whether it is programmed although it says that it is already
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

        /** The same with another image. */
        Program with(Image image) {
            return new Program(image.file(), image.sha256(), image.id(), idFile, tool, partial, always);
        }

        @Override
        public String word() {
            return "program";
        }

        @Override
        public String text() {
            return file + id.map(wanted -> " as " + wanted).orElse("") + (always ? ", always" : "");
        }
    }

    /**
     * A program of the administrator's.
     *
     * @param argv begins with an absolute path
     * @param timeout after which it is killed
     * @param limits what it may use
     */
    record Command(List<Template> argv, Duration timeout, ProgramLimits limits) implements Step {

        public Command {
            argv = List.copyOf(argv);
        }

        @Override
        public String word() {
            return "command";
        }

        @Override
        public String text() {
            return String.join(" ", argv.stream().map(Template::toString).toList());
        }

        @Override
        public String text(Device device) {
            return String.join(
                    " ", argv.stream().map(template -> template.fill(device)).toList());
        }
    }
}
