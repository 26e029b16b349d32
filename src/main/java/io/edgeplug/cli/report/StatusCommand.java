package io.edgeplug.cli.report;

import io.edgeplug.api.status.StatusSocket;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.LongLines;
import io.edgeplug.cli.options.NodeOptions;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.Resource;
import io.edgeplug.system.kernel.Terminal;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the state of the daemon on one screen. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = {
            "Show the state of the daemon: its resources, the holders of devices, problems and since when they last, "
                    + "and the last lines of its log.",
            "Root and members of the group edgeplug may ask. If the daemon does not run, show the result of a scan, "
                    + "and exit with 1."
        })
public final class StatusCommand implements Callable<Integer> {

    /** Moves the cursor home, and erases everything below. */
    private static final String FROM_THE_TOP = "\033[H\033[J";

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = {"-J", "--json"},
            description = "Print JSON; with --watch, one object after the other.")
    private boolean json;

    @Option(
            names = {"-w", "--watch"},
            description = "Show it again whenever something changes, until you press Ctrl-C or the daemon ends.")
    private boolean watch;

    @Override
    public Integer call() throws Exception {
        Path socket = node.sysroot.toAbsolutePath().resolve(StatusSocket.PATH);
        try (StatusClient daemon = StatusClient.open(socket)) {
            if (watch) {
                daemon.watch(this::showAgain);
                node.err().println("edgeplug: the daemon has ended");
                return ExitCode.FAILURE;
            }
            show(daemon.get());
            return ExitCode.OK;
        } catch (StatusClient.NotRunningException e) {
            node.err().println("edgeplug: the daemon is not running: " + e.getMessage());
            show(scanned());
            return ExitCode.FAILURE;
        }
    }

    private void showAgain(Node newest) {
        if (!json && Terminal.isStdout()) {
            node.out().print(FROM_THE_TOP);
        }
        show(newest);
    }

    private void show(Node newest) {
        PrintWriter out = node.out();
        if (json) {
            out.println(StatusText.json(newest));
        } else {
            boolean isColored = Terminal.isColored();
            StatusColors colors = new StatusColors();
            StatusText.lines(newest).forEach(line -> {
                List<String> folded = LongLines.onStdout(line);
                (isColored ? colors.of(line, folded) : folded).forEach(out::println);
            });
        }
        out.flush();
    }

    /** The status without the daemon. All healthy devices count as free, and nothing is registered. */
    private Node scanned() throws Exception {
        List<DeviceClass> classes = node.readOrDefaults().classes();
        Inventory inventory;
        try (Sysroot sysroot = node.open()) {
            inventory = Inventory.scan(sysroot.sysfs(), classes);
        }
        Node.Builder found = Node.newBuilder();
        for (DeviceClass one : classes) {
            List<Device> devices = inventory.devices(one.resource());
            int healthy = Math.toIntExact(devices.stream()
                    .filter(device -> device.health().isHealthy())
                    .count());
            found.addResources(Resource.newBuilder()
                    .setName(one.resource().toString())
                    .setTotal(devices.size())
                    .setFree(healthy)
                    .setUnhealthy(devices.size() - healthy)
                    .setShares(one.sharing().shares()));
        }
        return found.build();
    }
}
