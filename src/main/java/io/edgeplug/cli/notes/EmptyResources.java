package io.edgeplug.cli.notes;

import io.edgeplug.cli.devices.ScannedNode;
import io.edgeplug.cli.options.Lines;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.supply.Candidate;
import java.util.List;

/** Says why resources of the configuration have no devices here. */
public record EmptyResources(List<DeviceClass> classes, List<Device> devices) {

    /** Those among the names that a command was given. */
    public static EmptyResources named(List<String> names, List<DeviceClass> classes, ScannedNode node) {
        List<DeviceClass> empty = classes.stream()
                .filter(one -> names.contains(one.resource().toString()))
                .filter(one -> node.devices().stream()
                        .noneMatch(candidate -> candidate
                                .item()
                                .resource()
                                .filter(one.resource()::equals)
                                .isPresent()))
                .toList();
        return new EmptyResources(
                empty, node.devices().stream().map(Candidate::device).toList());
    }

    public List<String> othersOf(List<String> names) {
        return names.stream()
                .filter(name -> classes.stream()
                        .noneMatch(one -> one.resource().toString().equals(name)))
                .toList();
    }

    public void print(Lines out) {
        for (DeviceClass one : classes) {
            out.print(one.resource() + ": kind " + one.kind().word() + ", no devices here");
            List<String> earlier = devices.stream()
                    .filter(one::takes)
                    .map(Device::id)
                    .distinct()
                    .toList();
            if (!earlier.isEmpty()) {
                out.print("  earlier classes take what it would take: " + ClassNotes.some(earlier));
                continue;
            }
            out.print("  no device of this node matches");
            NearMisses.of(one, devices).forEach(text -> out.print("  " + text));
        }
    }
}
