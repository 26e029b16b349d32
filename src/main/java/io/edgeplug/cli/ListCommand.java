package io.edgeplug.cli;

import io.edgeplug.cli.devices.ClaimedDevices;
import io.edgeplug.cli.devices.Column;
import io.edgeplug.cli.devices.ColumnTable;
import io.edgeplug.cli.devices.DeviceHolders;
import io.edgeplug.cli.devices.ScannedNode;
import io.edgeplug.cli.notes.FpgaNotes;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.LongLines;
import io.edgeplug.cli.options.NodeOptions;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.node.supply.Candidate;
import io.edgeplug.system.files.PciIds;
import io.edgeplug.system.kernel.Terminal;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the daemon's first steps, scan and match, and shows the result. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = "Show this node's devices and the resources they back. Needs neither root nor the "
                + "daemon; explain and status also show what only the running daemon knows.",
        footerHeading = "%nColumns:%n")
final class ListCommand implements Callable<Integer> {

    private static final List<Column> USUAL =
            List.of(Column.DEVICE, Column.KIND, Column.IDS, Column.DRIVER, Column.NUMA, Column.RESOURCE, Column.HEALTH);

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = {"-J", "--json"},
            description = "Print JSON.")
    private boolean json;

    @Option(
            names = {"-n", "--noheadings"},
            description = "Print no headings.")
    private boolean noHeadings;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "COLS",
            description = "Print these columns, separated by commas. With a leading +, add them to the usual ones.")
    private String output = "+";

    @Option(names = "--advertised", description = "Show only devices that back a resource.")
    private boolean advertised;

    @Option(names = "--unhealthy", description = "Show only unhealthy devices.")
    private boolean unhealthy;

    @Parameters(
            paramLabel = ScannedNode.LABEL,
            description = "Show only these devices, and the devices of these resources. A device is named by "
                    + ScannedNode.NAMES + ".")
    private List<String> wanted = List.of();

    @Override
    public Integer call() throws Exception {
        // A wrong option is reported before the node is scanned.
        List<Column> asked = asked();
        try (Sysroot sysroot = node.open()) {
            Config config = node.readOrDefaults();
            ScannedNode scanned = ScannedNode.of(sysroot.sysfs(), config.classes());
            List<Item> items = scanned.named(wanted).stream()
                    .filter(one -> !advertised || one.item().resource().isPresent())
                    .filter(one -> !unhealthy || !one.isHealthy())
                    .map(Candidate::item)
                    .toList();
            DeviceHolders holders = asked.stream().anyMatch(Column::isOfPods) || (json && isBesideUsual())
                    ? DeviceHolders.read(
                            sysroot, config, items.stream().map(Item::device).toList())
                    : DeviceHolders.UNKNOWN;
            List<Column> columns = columns(asked, items, holders);
            ClaimedDevices claims = columns.stream().anyMatch(Column::isOfClaims)
                    ? ClaimedDevices.read(sysroot, config)
                    : ClaimedDevices.UNKNOWN;
            boolean named = columns.stream().anyMatch(Column::isOfPciIds);
            PciIds names = named ? PciIds.read(sysroot.sysfs()) : PciIds.NONE;
            print(new ColumnTable(columns, items, new Column.Sources(names, holders, claims)));
            if (!json) {
                tellNotes(items, scanned);
            }
        }
        return ExitCode.OK;
    }

    /** Tells what is missing, beside the table, so that programs that read it see nothing else. */
    private void tellNotes(List<Item> shown, ScannedNode scanned) {
        List<Device> all = scanned.devices().stream().map(Candidate::device).toList();
        PrintWriter err = node.err();
        for (Item item : shown) {
            FpgaNotes.of(item.device(), all)
                    .ifPresent(text -> err.println("note: " + item.device().id() + " " + text));
        }
        err.flush();
    }

    private void print(ColumnTable table) {
        PrintWriter out = node.out();
        if (json) {
            out.println(table.json());
        } else {
            int columns = Terminal.isStdout() ? Terminal.columns().orElse(Integer.MAX_VALUE) : Integer.MAX_VALUE;
            table.lines(!noHeadings, columns)
                    .forEach(line -> LongLines.onStdout(line).forEach(out::println));
        }
        out.flush();
    }

    /** Adds the descriptions of the columns to the help. */
    static void describeColumns(CommandLine list) {
        list.getCommandSpec()
                .usageMessage()
                .footer(Stream.of(Column.values())
                        .map(column -> "  %-11s%s".formatted(column.name(), column.help()))
                        .toArray(String[]::new));
    }

    private boolean isBesideUsual() {
        return output.startsWith("+");
    }

    /**
     * Files get a column for their path, because their ID may not show it. Programs that read JSON get every column
     * that explain shows.
     */
    private List<Column> columns(List<Column> asked, List<Item> rows, DeviceHolders holders) {
        Set<Column> columns = new LinkedHashSet<>(isBesideUsual() ? USUAL : List.of());
        if (isBesideUsual() && (json || rows.stream().anyMatch(row -> row.device() instanceof PathDevice))) {
            columns.add(Column.PATH);
        }
        if (isBesideUsual() && json) {
            columns.add(Column.NUMAFROM);
        }
        if (isBesideUsual() && json && holders.areKnown()) {
            Stream.of(Column.values()).filter(Column::isOfPods).forEach(columns::add);
        }
        if (isBesideUsual() && json && rows.stream().anyMatch(ClaimedDevices::isClaimed)) {
            Stream.of(Column.values()).filter(Column::isOfClaims).forEach(columns::add);
        }
        columns.addAll(asked);
        return List.copyOf(columns);
    }

    private List<Column> asked() {
        List<Column> columns = new ArrayList<>();
        String names = isBesideUsual() ? output.substring(1) : output;
        for (String name : names.isEmpty() ? new String[0] : names.split(",", -1)) {
            columns.add(Column.parse(name)
                    .orElseThrow(() ->
                            node.wrongUsage("unknown column \"" + name + "\", the columns are " + columnNames())));
        }
        return columns;
    }

    private static String columnNames() {
        return Stream.of(Column.values()).map(Column::name).collect(Collectors.joining(", "));
    }
}
