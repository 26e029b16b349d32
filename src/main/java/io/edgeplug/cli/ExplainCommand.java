package io.edgeplug.cli;

import io.edgeplug.cli.devices.ClaimedDevices;
import io.edgeplug.cli.devices.Column;
import io.edgeplug.cli.devices.DeviceHolders;
import io.edgeplug.cli.devices.ScannedNode;
import io.edgeplug.cli.notes.EmptyResources;
import io.edgeplug.cli.notes.FpgaNotes;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.Lines;
import io.edgeplug.cli.options.NodeOptions;
import io.edgeplug.cli.options.PlanText;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.cli.report.DaemonProblems;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Requirement;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.VfGroups;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.node.prepare.Preparer;
import io.edgeplug.node.scan.FileScan;
import io.edgeplug.node.supply.Candidate;
import io.edgeplug.system.files.PciIds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Takes devices through the classes as the daemon does, and prints each step. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        description =
                "Show why devices are advertised or not, class by class and key by key, and what their containers "
                        + "would get. Needs neither root nor the daemon. Root and members of the group edgeplug also "
                        + "see problems that only the running daemon knows, such as a container that started "
                        + "unprepared.")
final class ExplainCommand implements Callable<Integer> {

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Parameters(
            paramLabel = ScannedNode.LABEL,
            description = "Only these devices, and the devices of these resources. A device is named by "
                    + ScannedNode.NAMES + ".")
    private List<String> wanted = List.of();

    @Override
    public Integer call() throws Exception {
        Config config = node.readOrDefaults();
        try (Sysroot sysroot = node.open()) {
            ScannedNode scanned = ScannedNode.of(sysroot.sysfs(), config.classes());
            Lines out = node.lines();
            Path kubeletDir = sysroot.kubeletDir(config.kubeletDir()).orElse(config.kubeletDir());
            DaemonProblems problems = DaemonProblems.ask(sysroot);
            EmptyResources empty = EmptyResources.named(wanted, config.classes(), scanned);
            empty.print(out);
            List<String> names = empty.othersOf(wanted);
            List<String> here = here(names, scanned, problems, config.classes(), out);
            List<Candidate> devices = here.isEmpty() && !wanted.isEmpty() ? List.of() : scanned.named(here);
            List<Device> all = scanned.devices().stream().map(Candidate::device).toList();
            DeviceHolders holders = DeviceHolders.read(
                    sysroot, config, devices.stream().map(Candidate::device).toList());
            ClaimedDevices claims = ClaimedDevices.read(sysroot, config);
            try (Preparer preparer = new Preparer(sysroot.sysfs(), kubeletDir, event -> {})) {
                boolean isFirst = here.size() == names.size();
                for (List<Candidate> faces : byDevice(devices)) {
                    Candidate device = faces.getFirst();
                    if (!isFirst) {
                        out.print("");
                    }
                    isFirst = false;
                    facts(device.item(), claims, out);
                    maker(config.vfs(), device.device(), scanned).ifPresent(out::print);
                    classes(config.classes(), device.device(), out);
                    faces.forEach(face -> out.print(conclusion(face.item())));
                    FpgaNotes.of(device.device(), all).ifPresent(text -> out.print("it " + text));
                    problems.of(device.device()).forEach(out::print);
                    holders.of(device.device()).forEach(holder -> out.print(text(holder, device.item())));
                    claims.lines(device.item()).forEach(out::print);
                    for (Candidate face : faces) {
                        outlook(face, preparer, new HandOverText(sysroot.sysfs()), out);
                    }
                }
            }
            out.flush();
        }
        return ExitCode.OK;
    }

    /**
     * The names of devices that a scan finds. A device that is gone may still be on the daemon's list, because a pod has
     * it, and is printed.
     */
    private static List<String> here(
            List<String> names, ScannedNode scanned, DaemonProblems problems, List<DeviceClass> classes, Lines out)
            throws IOException {
        List<String> here = new ArrayList<>();
        for (String name : names) {
            try {
                boolean ignored = scanned.named(name).isEmpty();
                here.add(name);
            } catch (IOException e) {
                Set<String> ids = name.startsWith("/")
                        ? FileScan.ids(
                                name, classes.stream().map(DeviceClass::files).toList())
                        : Set.of(name);
                List<String> known =
                        ids.stream().flatMap(id -> problems.ofGone(id).stream()).toList();
                if (known.isEmpty()) {
                    throw e;
                }
                out.print(name);
                out.print("is not on this node any more");
                known.forEach(out::print);
            }
        }
        return here;
    }

    /** The faces of each device, which follow each other. */
    private static Collection<List<Candidate>> byDevice(List<Candidate> devices) {
        return devices.stream()
                .collect(Collectors.groupingBy(
                        one -> one.device().id() + (one.item().isFace() ? "" : " " + devices.indexOf(one)),
                        LinkedHashMap::new,
                        Collectors.toList()))
                .values();
    }

    private static String text(DeviceHolders.HeldBy holder, Item item) {
        return holder.text() + (item.isFace() ? " as " + holder.holding().resource() : "");
    }

    private static void classes(List<DeviceClass> classes, Device device, Lines out) {
        DeviceClass taker = null;
        for (DeviceClass deviceClass : classes) {
            boolean takes = deviceClass.takes(device);
            explain(deviceClass, device, verdict(deviceClass, takes, taker), out);
            taker = taker == null && takes ? deviceClass : taker;
        }
    }

    /**
     * Prints how the device would be prepared and what its container would get. Prints nothing if its class cannot hand
     * it over.
     */
    private static void outlook(Candidate device, Preparer preparer, HandOverText handOver, Lines out)
            throws IOException {
        Optional<Equipment> equipment =
                device.equipment().filter(one -> one.problem().isEmpty());
        if (equipment.isEmpty()) {
            return;
        }
        DeviceClass taker = device.item().deviceClass().orElseThrow();
        String as = device.item().isFace() ? "as " + taker.resource() + ", " : "";
        if (!taker.recipe().isEmpty()) {
            out.print(as + (taker.isClaimed() ? "for each claim" : "before each container") + " it would be prepared");
            PlanText.lines(preparer.plan(device.device(), taker.recipe())).forEach(out::print);
        }
        out.print(
                as + (device.isHealthy() ? "its container would get" : "once it is healthy, its container would get"));
        handOver.lines(taker, equipment.orElseThrow()).forEach(line -> out.print("  " + line));
        if (!taker.release().isEmpty()) {
            out.print(as + (taker.isClaimed() ? "after each claim" : "after its last pod") + " it would be scrubbed");
            PlanText.lines(preparer.plan(device.device(), taker.release())).forEach(out::print);
        }
    }

    /** Names from pci.ids and holders are left out. Holders have lines of their own. */
    private static void facts(Item item, ClaimedDevices claims, Lines out) {
        out.print(item.device().id());
        Column.Sources sources = new Column.Sources(PciIds.NONE, DeviceHolders.UNKNOWN, claims);
        for (Column column : Column.values()) {
            Optional<?> value = column.value(item, sources);
            if (column != Column.DEVICE && column != Column.CLAIM && value.isPresent()) {
                out.print("  %-10s %s".formatted(column.key(), value.orElseThrow()));
            }
        }
    }

    /** The entry of the configuration that makes a VF. */
    private static Optional<String> maker(List<WantedVfs> entries, Device device, ScannedNode scanned) {
        if (!(device instanceof VirtualFunction vf)) {
            return Optional.empty();
        }
        return scanned.devices().stream()
                .map(Candidate::device)
                .filter(one -> one instanceof PciDevice && !(one instanceof PfPart))
                .map(PciDevice.class::cast)
                .filter(one -> one.function().address().equals(vf.physicalFunction()))
                .map(pf -> new VfGroups(
                        entries.stream().filter(entry -> entry.takes(pf)).toList()))
                .findFirst()
                .flatMap(wanted -> wanted.of(vf.index()))
                .map(entry -> entry.count() > vf.index()
                        ? "made by [[vfs]] in " + entry.place() + ": " + entry.text()
                        : "not wanted by [[vfs]] in " + entry.place() + ": " + entry.text());
    }

    private static void explain(DeviceClass deviceClass, Device device, String verdict, Lines out) {
        out.print(deviceClass.resource() + ": " + verdict);
        deviceClass.requirements(device).forEach(requirement -> out.print("  " + line(requirement)));
        String indent = deviceClass.selectors().size() > 1 ? "    " : "  ";
        int number = 0;
        for (Selector selector : deviceClass.selectors()) {
            number++;
            if (deviceClass.selectors().size() > 1) {
                out.print("  match " + number + (number == 1 ? "" : ", or else"));
            }
            selector.requirements(device).forEach(requirement -> out.print(indent + line(requirement)));
        }
    }

    private static String line(Requirement requirement) {
        return (requirement.isMet() ? "yes  " : "no   ") + requirement.wanted() + ", it has " + requirement.actual();
    }

    private static String verdict(DeviceClass deviceClass, boolean takes, @Nullable DeviceClass taker) {
        if (!takes) {
            return "does not take it";
        }
        if (taker == null) {
            return "takes it";
        }
        if (taker.isFace() && deviceClass.isFace()) {
            return "takes it too, as another of its faces";
        }
        return "would take it, but an earlier class does"
                + (deviceClass.isFace() ? ", which does not say faces = \"exclusive\"" : "");
    }

    private static String conclusion(Item item) {
        String health = item.device()
                .health()
                .problem()
                .map(problem -> ", unhealthy: " + problem)
                .orElse("");
        return item.resource()
                .map(resource -> "so it is advertised as " + resource + health)
                .orElse("so it is not advertised");
    }
}
