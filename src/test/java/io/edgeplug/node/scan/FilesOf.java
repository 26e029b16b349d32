package io.edgeplug.node.scan;

import io.edgeplug.model.device.PathGroup;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.FileRules;
import io.edgeplug.system.files.PathGlob;
import io.edgeplug.system.files.Sysfs;
import java.util.List;

/** A scan of the files of one class. */
public final class FilesOf {

    private FilesOf() {}

    public static FileScan.Found scan(Sysfs sysfs, List<PathGlob> patterns, List<PathGroup> groups) {
        return new FileScan(sysfs).paths(List.of(rules("example.com/files", patterns, groups)));
    }

    public static FileRules rules(String resource, List<PathGlob> patterns, List<PathGroup> groups) {
        return new FileRules(ResourceName.parse(resource), patterns, groups, FileRules.Identity.USUAL);
    }
}
