package io.edgeplug.cli;

import io.edgeplug.device.Device;
import io.edgeplug.device.Shares;
import io.edgeplug.proto.status.Problem;
import io.edgeplug.status.StatusSocket;
import java.io.IOException;
import java.util.List;

/** The problems of devices that only the daemon knows, such as a container that started unprepared. */
final class DaemonProblems {

    private final List<Problem> problems;

    private DaemonProblems(List<Problem> problems) {
        this.problems = problems;
    }

    /** Asks the daemon. Without a daemon, or if it does not answer this user, nothing is known. */
    static DaemonProblems ask(Sysroot sysroot) {
        try (StatusClient daemon = StatusClient.open(sysroot.root().resolve(StatusSocket.PATH))) {
            return new DaemonProblems(daemon.get().getProblemsList());
        } catch (IOException e) {
            return new DaemonProblems(List.of());
        }
    }

    private static String state(Problem problem) {
        return problem.getWithheld() ? "not offered as " + problem.getResource() + ": " : "unhealthy: ";
    }

    /** A line for each problem that is not in the device's own health. */
    List<String> of(Device device) {
        return of(device.id(), device.health().problem().orElse(""));
    }

    /** A line for each problem of a device that a scan does not find, by its ID. */
    List<String> ofGone(String id) {
        return of(id, "");
    }

    private List<String> of(String id, String known) {
        return problems.stream()
                .filter(one -> one.getDevice().split(Shares.SEPARATOR, 2)[0].equals(id))
                .filter(one -> !one.getText().equals(known))
                .map(one -> "the daemon reports since " + StatusText.time(one.getSince()) + ": " + state(one)
                        + one.getText())
                .distinct()
                .toList();
    }
}
