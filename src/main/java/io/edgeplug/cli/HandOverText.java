package io.edgeplug.cli;

import io.edgeplug.cli.demo.AllocationText;
import io.edgeplug.cli.notes.RuntimeNotes;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.container.Allocation.Node;
import io.edgeplug.node.container.DeviceInfoFiles;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The allocation of a container with one device, and the files for it, a line for each entry. */
record HandOverText(Sysfs sysfs) {

    List<String> lines(DeviceClass deviceClass, Equipment device) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.addAll(AllocationText.lines(Allocation.of(deviceClass, List.of(device))));
        if (deviceClass.container().handOver() == HandOver.CDI) {
            AllocationText.edits(Allocation.of(deviceClass, List.of(device), HandOver.DEVICE_NODES))
                    .forEach(line -> lines.add("  by name  " + line));
        }
        if (device.device() instanceof PathDevice path) {
            path.files().stream()
                    .filter(file -> file.found().isEmpty())
                    .forEach(file -> lines.add("missing    " + file.path()));
        }
        DeviceInfoFiles.content(deviceClass, device.device())
                .ifPresent(content -> lines.add(
                        "file       " + DeviceInfoFiles.fileName(deviceClass.resource(), device.id()) + " " + content));
        RuntimeNotes.of(deviceClass, sysfs).forEach(text -> lines.add("warning    " + text));
        // A captured machine does not have the numbers of its nodes, nor /dev/null.
        for (Node node : sysfs.isCaptured() ? List.<Node>of() : device.nodes()) {
            missingLink(node)
                    .ifPresent(link -> lines.add("warning    " + node.hostPath() + ": there is no /" + link
                            + ", so that a systemctl daemon-reload takes it away from the container"));
        }
        return lines;
    }

    /** With systemd's cgroup driver, the devices of a container are looked up by number at each reload of units. */
    private Optional<String> missingLink(Node node) throws IOException {
        Optional<String> link = sysfs.follow(node.hostPath().substring(1))
                .filter(there -> !there.number().isEmpty())
                .map(there -> "dev/" + (there.kind() == FileKind.BLOCK_DEVICE ? "block/" : "char/") + there.number());
        return link.isPresent() && !sysfs.exists(link.orElseThrow()) ? link : Optional.empty();
    }
}
