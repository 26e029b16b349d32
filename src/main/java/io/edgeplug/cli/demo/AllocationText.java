package io.edgeplug.cli.demo;

import io.edgeplug.lab.localkubelet.ContainerAllocation;
import io.edgeplug.node.container.Allocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The allocation of a container as text, a line for each entry. */
public final class AllocationText {

    private AllocationText() {}

    /** The kubelet's answer from a plugin. */
    public static List<String> lines(ContainerAllocation got) {
        List<String> edits = new ArrayList<>();
        got.devices().forEach(one -> edits.add(device(one.hostPath(), one.containerPath(), one.permissions())));
        got.mounts().forEach(one -> edits.add(mount(one.hostPath(), one.containerPath(), one.readOnly())));
        return lines(got.envs(), edits, got.annotations(), got.cdiDevices());
    }

    /** The answer that the kubelet would get. */
    public static List<String> lines(Allocation allocation) {
        return lines(allocation.env(), edits(allocation), allocation.annotations(), allocation.cdiDevices());
    }

    /** Only its nodes and mounts. */
    public static List<String> edits(Allocation allocation) {
        List<String> lines = new ArrayList<>();
        allocation.nodes().forEach(one -> lines.add(device(one.hostPath(), one.containerPath(), one.permissions())));
        allocation.mounts().forEach(one -> lines.add(mount(one.hostPath(), one.containerPath(), one.readOnly())));
        return lines;
    }

    private static List<String> lines(
            Map<String, String> env, List<String> edits, Map<String, String> annotations, List<String> cdiDevices) {
        List<String> lines = new ArrayList<>();
        env.forEach((key, value) -> lines.add("env        " + key + "=" + value));
        lines.addAll(edits);
        annotations.forEach((key, value) -> lines.add("annotation " + key + "=" + value));
        cdiDevices.forEach(name -> lines.add("cdi        " + name));
        return lines;
    }

    private static String device(String hostPath, String path, String permissions) {
        return "device     " + place(hostPath, path) + " (" + permissions + ")";
    }

    private static String mount(String hostPath, String path, boolean readOnly) {
        return "mount      " + place(hostPath, path) + (readOnly ? " (ro)" : "");
    }

    private static String place(String hostPath, String path) {
        return hostPath.equals(path) ? path : hostPath + " as " + path;
    }
}
