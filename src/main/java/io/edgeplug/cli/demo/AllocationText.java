package io.edgeplug.cli.demo;

import io.edgeplug.lab.localkubelet.ContainerAllocation;
import io.edgeplug.node.container.Allocation;
import java.util.ArrayList;
import java.util.List;

/** The allocation of a container as text, a line for each entry. */
public final class AllocationText {

    private AllocationText() {}

    /** The kubelet's answer from a plugin. */
    public static List<String> lines(ContainerAllocation allocation) {
        List<String> lines = new ArrayList<>();
        allocation.envs().forEach((key, value) -> lines.add(env(key, value)));
        allocation.devices().forEach(one -> lines.add(device(one.hostPath(), one.containerPath(), one.permissions())));
        allocation.mounts().forEach(one -> lines.add(mount(one.hostPath(), one.containerPath(), one.readOnly())));
        allocation.annotations().forEach((key, value) -> lines.add(annotation(key, value)));
        allocation.cdiDevices().forEach(name -> lines.add(cdi(name)));
        return lines;
    }

    /** The answer that the kubelet would get. */
    public static List<String> lines(Allocation allocation) {
        List<String> lines = new ArrayList<>();
        allocation.env().forEach((key, value) -> lines.add(env(key, value)));
        lines.addAll(edits(allocation));
        allocation.annotations().forEach((key, value) -> lines.add(annotation(key, value)));
        allocation.cdiDevices().forEach(name -> lines.add(cdi(name)));
        return lines;
    }

    /** Only its nodes and mounts. */
    public static List<String> edits(Allocation allocation) {
        List<String> lines = new ArrayList<>();
        allocation.nodes().forEach(one -> lines.add(device(one.hostPath(), one.containerPath(), one.permissions())));
        allocation.mounts().forEach(one -> lines.add(mount(one.hostPath(), one.containerPath(), one.readOnly())));
        return lines;
    }

    private static String annotation(String key, String value) {
        return "annotation " + key + "=" + value;
    }

    private static String cdi(String name) {
        return "cdi        " + name;
    }

    private static String env(String key, String value) {
        return "env        " + key + "=" + value;
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
