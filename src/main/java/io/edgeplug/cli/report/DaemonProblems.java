package io.edgeplug.cli.report;

import io.edgeplug.api.status.StatusSocket;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Shares;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.Problem;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** What only the daemon knows of devices, such as that a container started unprepared. */
public record DaemonProblems(Node node) {

    /** Asks the daemon. Without a daemon, or if it does not answer this user, nothing is known. */
    public static DaemonProblems ask(Sysroot sysroot) {
        try (StatusClient daemon = StatusClient.open(sysroot.root().resolve(StatusSocket.PATH))) {
            return new DaemonProblems(daemon.get());
        } catch (IOException e) {
            return new DaemonProblems(Node.getDefaultInstance());
        }
    }

    private static String state(Problem problem) {
        return problem.getWithheld() ? "not offered as " + problem.getResource() + ": " : "unhealthy: ";
    }

    /** A line for each problem that is not in the device's own health. */
    public List<String> of(Device device) {
        return of(device.id(), device.health().problem().orElse(""));
    }

    /** Lines for each problem of a device that a scan does not find, by its ID, and for who has it. */
    public List<String> ofGone(String id) {
        List<String> problems = of(id, "");
        Stream<String> holders = node.getHeldList().stream()
                .filter(held ->
                        !problems.isEmpty() && Shares.whole(held.getDevice()).equals(id))
                .map(held -> "held by " + StatusText.holder(held) + " as " + held.getResource());
        return Stream.concat(problems.stream(), holders).toList();
    }

    private List<String> of(String id, String known) {
        return node.getProblemsList().stream()
                .filter(one -> Shares.whole(one.getDevice()).equals(id))
                .filter(one -> !one.getText().equals(known))
                .map(one -> "the daemon reports since " + StatusText.time(one.getSince()) + ": " + state(one)
                        + one.getText())
                .distinct()
                .toList();
    }
}
