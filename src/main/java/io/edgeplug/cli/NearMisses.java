package io.edgeplug.cli;

import io.edgeplug.device.Device;
import io.edgeplug.device.Kind;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.Vfio;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.Requirement;
import io.edgeplug.rules.Selector;
import io.edgeplug.rules.SelectorWord;
import io.edgeplug.rules.Step;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Devices that a class misses for one reason only, and names that are almost those of drivers. */
final class NearMisses {

    private static final int MAX_TOLD = 3;
    private static final String DRIVERS = "sys/bus/pci/drivers/";

    private NearMisses() {}

    /** For each reason, the devices that the class would take without it. The files here are those of other classes. */
    static List<String> of(DeviceClass one, List<Device> devices) {
        if (one.kind() == Kind.PATH) {
            return List.of();
        }
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        for (Device device : devices) {
            if (device.kind() == one.kind()) {
                List<Requirement> unmet = unmet(one, device);
                if (unmet.size() == 1) {
                    byReason.computeIfAbsent(reason(device, unmet.getFirst()), none -> new ArrayList<>())
                            .add(device.id());
                }
            }
        }
        return byReason.entrySet().stream()
                .limit(MAX_TOLD)
                .map(entry -> ClassNotes.some(entry.getValue()) + " would match " + entry.getKey())
                .toList();
    }

    /** Uses the selector that comes nearest. */
    private static List<Requirement> unmet(DeviceClass one, Device device) {
        Stream<Requirement> asked = one.requirements(device).stream().filter(requirement -> !requirement.isMet());
        List<Requirement> nearest = one.selectors().stream()
                .map(selector -> selector.requirements(device).stream()
                        .filter(requirement -> !requirement.isMet())
                        .toList())
                .min(Comparator.comparingInt(List::size))
                .orElse(List.of());
        return Stream.concat(asked, nearest.stream()).toList();
    }

    private static String reason(Device device, Requirement requirement) {
        if (device instanceof PciDevice pci && pci.function().carriesDefaultRoute()) {
            return "but carries the node's default route on "
                    + String.join(", ", pci.function().netNames()) + ", which is never given to a container";
        }
        return "but for \"" + requirement.wanted() + "\": it has " + requirement.actual();
    }

    /** Driver names in the class that are names of modules or slips. */
    static List<String> ofDrivers(DeviceClass one, Sysfs sysfs) throws IOException {
        List<String> notes = new ArrayList<>();
        Stream<String> chosen = one.selectors().stream().flatMap(NearMisses::drivers);
        Stream<String> bound = one.recipe().steps().stream()
                .flatMap(step -> step instanceof Step.Driver driver ? Stream.of(driver.name()) : Stream.of());
        for (String name : Stream.concat(chosen, bound).distinct().toList()) {
            Optional<String> near = isDriver(name, sysfs) ? Optional.empty() : otherSpelling(name, sysfs);
            near.ifPresent(other -> notes.add("there is no driver \"" + name + "\", did you mean \"" + other
                    + "\"? a module and its driver may have different names"));
        }
        return notes;
    }

    private static Stream<String> drivers(Selector selector) {
        return selector.values(SelectorWord.DRIVERS).stream().filter(name -> !name.matches(".*[*?].*"));
    }

    private static Optional<String> otherSpelling(String name, Sysfs sysfs) throws IOException {
        for (String other : List.of(name.replace('_', '-'), name.replace('-', '_'))) {
            if (!other.equals(name) && isDriver(other, sysfs)) {
                return Optional.of(other);
            }
        }
        return Optional.empty();
    }

    private static boolean isDriver(String name, Sysfs sysfs) throws IOException {
        return Vfio.isDriver(name) || sysfs.exists(DRIVERS + name);
    }
}
