package io.edgeplug.system.programs;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a program may use of the node, with everything that it starts; see systemd.resource-control(5).
 *
 * @param memoryMax in the form of {@code MemoryMax=}, such as {@code 512M}
 * @param cpuQuota in the form of {@code CPUQuota=}, in percent of one processor, such as {@code 50%}
 * @param tasksMax how many processes and threads
 */
public record ProgramLimits(Optional<String> memoryMax, Optional<String> cpuQuota, OptionalInt tasksMax) {

    /** No limits. */
    public static final ProgramLimits NONE = new ProgramLimits(Optional.empty(), Optional.empty(), OptionalInt.empty());

    /** The limits as properties of a unit. */
    List<String> properties() {
        List<String> properties = new ArrayList<>();
        memoryMax.ifPresent(text -> properties.add("MemoryMax=" + text));
        cpuQuota.ifPresent(text -> properties.add("CPUQuota=" + text));
        tasksMax.ifPresent(number -> properties.add("TasksMax=" + number));
        return properties;
    }
}
