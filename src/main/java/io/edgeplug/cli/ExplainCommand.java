package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.container.Equipment;
import io.edgeplug.container.IommuGroups;
import io.edgeplug.device.Condition;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.Selector;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.prepare.Preparer;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Goes the way of one device through the classes, as the daemon does, and tells each step. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        description = "Tell why a device is advertised or not, class by class and key by key, and what its container "
                + "would get. Needs neither root nor the daemon.")
final class ExplainCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Parameters(paramLabel = "BDF", description = "The device's address, or its ID as list shows it.")
    private String id = "";

    @Override
    public Integer call() throws Exception {
        Config config = node.readOrDefaults();
        try (Sysroot sysroot = node.open()) {
            explain(sysroot.sysfs(), config);
        }
        return ExitCode.OK;
    }

    private void explain(Sysfs sysfs, Config config) throws IOException {
        List<DeviceClass> classes = config.classes();
        Inventory inventory = Inventory.scan(sysfs, classes);
        Item item = inventory.items().stream()
                .filter(one -> one.device().id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IOException(id + ": no such device here"));
        Lines out = new Lines(spec.commandLine().getOut());
        facts(item, out);
        boolean isTaken = false;
        for (DeviceClass deviceClass : classes) {
            boolean takes = deviceClass.takes(item.device());
            explain(deviceClass, item.device(), verdict(takes, isTaken), out);
            isTaken |= takes;
        }
        out.print(conclusion(item));
        if (item.deviceClass().isPresent()) {
            DeviceClass taker = item.deviceClass().orElseThrow();
            if (!taker.recipe().isEmpty()) {
                out.print("before each container it would be prepared");
                try (Preparer preparer = new Preparer(sysfs, config.kubeletDir(), event -> {})) {
                    PlanText.lines(preparer.plan(item.device(), taker.recipe())).forEach(out::print);
                }
            }
            out.print("its container would get");
            new HandOverText(sysfs)
                    .lines(taker, Equipment.of(taker, item.device(), IommuGroups.of(inventory.devices())))
                    .forEach(line -> out.print("  " + line));
        }
        out.flush();
    }

    private static void facts(Item item, Lines out) {
        out.print(item.device().id());
        for (Column column : Column.values()) {
            Optional<?> value = column.value(item);
            if (column != Column.DEVICE && value.isPresent()) {
                out.print("  %-10s %s".formatted(column.key(), value.orElseThrow()));
            }
        }
    }

    private static void explain(DeviceClass deviceClass, Device device, String verdict, Lines out) {
        out.print(deviceClass.resource() + ": " + verdict);
        deviceClass.conditions(device).forEach(condition -> out.print("  " + line(condition)));
        String indent = deviceClass.selectors().size() > 1 ? "    " : "  ";
        int number = 0;
        for (Selector selector : deviceClass.selectors()) {
            number++;
            if (deviceClass.selectors().size() > 1) {
                out.print("  match " + number + (number == 1 ? "" : ", or else"));
            }
            selector.conditions(device).forEach(condition -> out.print(indent + line(condition)));
        }
    }

    private static String line(Condition condition) {
        return (condition.isMet() ? "yes  " : "no   ") + condition.wanted() + ", it has " + condition.actual();
    }

    private static String verdict(boolean takes, boolean isTaken) {
        if (!takes) {
            return "does not take it";
        }
        return isTaken ? "would take it, but an earlier class does" : "takes it";
    }

    private static String conclusion(Item item) {
        String problem = item.device()
                .health()
                .problem()
                .map(text -> ", as unhealthy: it " + text)
                .orElse("");
        return item.resource()
                .map(resource -> "so it is advertised as " + resource + problem)
                .orElse("so it is not advertised" + problem.replace(", as unhealthy:", ":"));
    }
}
