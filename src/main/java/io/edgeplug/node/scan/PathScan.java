package io.edgeplug.node.scan;

import io.edgeplug.model.device.PathDevice;
import java.util.List;

/**
 * The files that were found.
 *
 * @param problems a line for each pattern that could not be followed
 * @param excess the problems of patterns that name too many files for any node, which are mistakes in the
 *     configuration
 */
public record PathScan(List<PathDevice> devices, List<String> problems, List<String> excess) {

    /** The daemon's heap has room for this many devices. */
    public static final int MAX_FILES = 4096;

    public PathScan {
        devices = List.copyOf(devices);
        problems = List.copyOf(problems);
        excess = List.copyOf(excess);
    }
}
