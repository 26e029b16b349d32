package io.edgeplug.cli.notes;

import io.edgeplug.api.status.LabelPublisher;
import io.edgeplug.model.config.Config;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Warnings of {@code check} on registrations, files, metrics and labels that would not come about. */
public final class ReportNotes {

    private ReportNotes() {}

    /** A line for each obstacle. There are none on a captured node, which has no such directories. */
    public static List<String> of(Sysfs node, Config config) throws IOException {
        List<String> lines = new ArrayList<>();
        if (node.isCaptured()) {
            return lines;
        }
        if (!config.kubeletDir().equals(Config.DEFAULTS.kubeletDir()) && isMissing(node, config.kubeletDir())) {
            lines.add("warning: kubelet_dir: there is no directory " + config.kubeletDir()
                    + ", so no kubelet is found; for one in " + Config.DEFAULTS.kubeletDir() + ", remove the key");
        }
        for (Map.Entry<String, Path> written : written(config).entrySet()) {
            ServiceSandbox.outside(node, written.getValue())
                    .ifPresent(real -> lines.add("warning: " + written.getKey() + ": edgeplug.service cannot write in "
                            + real
                            + ", because that is read-only in its sandbox; make that directory if it is missing, run "
                            + "\"systemctl edit edgeplug\", write \"[Service]\" and \"ReadWritePaths=-" + real
                            + "\" there, and restart edgeplug"));
        }
        Config.Reports reports = config.reports();
        Optional<Path> directory = reports.metricsTextfile().map(file -> file.resolveSibling(""));
        if (directory.isPresent() && isMissing(node, directory.orElseThrow())) {
            lines.add("warning: metrics.textfile: there is no directory " + directory.orElseThrow()
                    + ", so no file is written; see whether node_exporter is installed");
        }
        if (reports.nfdLabels() && isMissing(node, LabelPublisher.DIRECTORY)) {
            lines.add("warning: labels.nfd: there is no directory " + LabelPublisher.DIRECTORY
                    + ", so the node gets no labels; make it, and restart edgeplug");
        }
        if (reports.metricsListen().isPresent()) {
            ServiceSandbox.obstacle(node, null)
                    .ifPresent(reason -> lines.add(
                            "warning: metrics.listen: the sandbox of edgeplug.service keeps it from answering: "
                                    + reason + "; /usr/share/doc/edgeplug/metrics.md has the drop-in to write"));
        }
        return lines;
    }

    /** By key, the directories in which the daemon writes. */
    private static Map<String, Path> written(Config config) {
        Map<String, Path> written = new LinkedHashMap<>();
        if (config.registration() == Config.Registration.PLUGINS_REGISTRY) {
            written.put("plugins_registry_dir", config.pluginsRegistryDir());
        } else {
            written.put("kubelet_dir", config.kubeletDir());
        }
        written.put("cdi_dir", config.cdiDir());
        written.put("device_info_dir", config.deviceInfoDir());
        if (!config.claimed().isEmpty()) {
            written.put("kubelet_root", config.kubeletRoot(config.registeredIn()));
        }
        config.reports().metricsTextfile().ifPresent(file -> written.put("metrics.textfile", file.resolveSibling("")));
        return written;
    }

    private static boolean isMissing(Sysfs node, Path directory) throws IOException {
        return !node.exists(directory.toString().substring(1));
    }
}
