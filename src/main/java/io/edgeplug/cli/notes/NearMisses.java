package io.edgeplug.cli.notes;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.Vfio;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Requirement;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.model.rules.Step;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Devices that a class misses for one reason only, such as another kind, and names that are almost those of drivers. */
public final class NearMisses {

    private static final int MAX_TOLD = 3;

    private NearMisses() {}

    /**
     * Why a class takes nothing: for each reason, the devices that it would take without it, or what the node does not
     * have. The files here are those of other classes.
     */
    static List<String> of(DeviceClass one, List<Device> devices) {
        if (one.kind() == Kind.PATH) {
            List<String> paths = one.files().patterns().stream()
                    .map(pattern -> pattern.path())
                    .toList();
            return paths.isEmpty() ? List.of() : List.of("there is nothing at " + ClassNotes.some(paths));
        }
        List<Device> chosen = devices.stream()
                .filter(device -> unmetKeys(one, device).isEmpty())
                .toList();
        Map<String, List<String>> otherKinds = ofOtherKinds(one, chosen);
        if (otherKinds.isEmpty() && devices.stream().noneMatch(device -> device.kind() == one.kind())) {
            return List.of("this node has no device of kind " + one.kind().word());
        }
        Map<String, List<String>> byReason = ofKind(one, chosen);
        if (otherKinds.isEmpty()) {
            ofKind(one, devices).forEach(byReason::putIfAbsent);
        }
        byReason.putAll(otherKinds);
        return byReason.entrySet().stream()
                .limit(MAX_TOLD)
                .map(entry -> ClassNotes.some(entry.getValue()) + " would match " + entry.getKey())
                .toList();
    }

    /** The devices that all keys choose, so that only the kind can be a slip. Almost any function may be a bridge. */
    private static Map<String, List<String>> ofOtherKinds(DeviceClass one, List<Device> devices) {
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        for (Device device : devices) {
            if (device.kind() != one.kind()
                    && device.kind() != Kind.PCI
                    && unmet(one, device).size() == 1) {
                String reason = "but for kind " + one.kind().word() + ": it is "
                        + device.kind().word();
                byReason.computeIfAbsent(reason, none -> new ArrayList<>()).add(device.id());
            }
        }
        return byReason;
    }

    private static Map<String, List<String>> ofKind(DeviceClass one, List<Device> devices) {
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        for (Device device : devices) {
            List<Requirement> unmet = device.kind() == one.kind() ? unmet(one, device) : List.of();
            if (unmet.size() == 1) {
                byReason.computeIfAbsent(reason(one, device, unmet.getFirst()), none -> new ArrayList<>())
                        .add(device.id());
            }
        }
        return byReason;
    }

    private static List<Requirement> unmet(DeviceClass one, Device device) {
        Stream<Requirement> asked = one.requirements(device).stream().filter(requirement -> !requirement.isMet());
        return Stream.concat(asked, unmetKeys(one, device).stream()).toList();
    }

    /** Those of the selector that comes nearest. */
    private static List<Requirement> unmetKeys(DeviceClass one, Device device) {
        return one.selectors().stream()
                .map(selector -> selector.requirements(device).stream()
                        .filter(requirement -> !requirement.isMet())
                        .toList())
                .min(Comparator.comparingInt(List::size))
                .orElse(List.of());
    }

    private static String reason(DeviceClass one, Device device, Requirement requirement) {
        if (one.offer(device) == NodeUse.Offer.NO) {
            return "but the node itself has " + one.nodeUse(device).text()
                    + (one.recipe().changesFunction() ? ", and [class.prepare] would change it" : "");
        }
        return "but for \"" + requirement.wanted() + "\": it has " + requirement.actual();
    }

    /** Driver names in the class that are names of modules or slips. */
    public static List<String> ofDrivers(DeviceClass one, Sysfs sysfs) throws IOException {
        String directory = "sys/bus/" + (one.kind() == Kind.USB ? "usb" : "pci") + "/drivers/";
        List<String> notes = new ArrayList<>();
        Stream<String> chosen = one.selectors().stream().flatMap(NearMisses::drivers);
        Stream<String> bound = one.recipe().steps().stream()
                .flatMap(step -> step instanceof Step.Driver driver ? Stream.of(driver.name()) : Stream.of());
        for (String name : Stream.concat(chosen, bound).distinct().toList()) {
            Optional<String> near =
                    isDriver(name, directory, sysfs) ? Optional.empty() : otherSpelling(name, directory, sysfs);
            near.ifPresent(other -> notes.add("there is no driver \"" + name + "\", did you mean \"" + other
                    + "\"? a module and its driver may have different names"));
        }
        return notes;
    }

    private static Stream<String> drivers(Selector selector) {
        return selector.values(SelectorWord.DRIVERS).stream().filter(name -> !name.matches(".*[*?].*"));
    }

    private static Optional<String> otherSpelling(String name, String directory, Sysfs sysfs) throws IOException {
        for (String other : List.of(name.replace('_', '-'), name.replace('-', '_'))) {
            if (!other.equals(name) && isDriver(other, directory, sysfs)) {
                return Optional.of(other);
            }
        }
        return Optional.empty();
    }

    private static boolean isDriver(String name, String directory, Sysfs sysfs) throws IOException {
        return Vfio.isDriver(name) || sysfs.exists(directory + name);
    }
}
