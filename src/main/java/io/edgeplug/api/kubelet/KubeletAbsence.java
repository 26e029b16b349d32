package io.edgeplug.api.kubelet;

import io.edgeplug.system.kernel.PlainText;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Says what is in the place where edgeplug waits for the kubelet. */
final class KubeletAbsence {

    /** A directory that is not the kubelet's may have any number of files, and a few of many would only confuse. */
    private static final int MAX_NAMED = 4;

    /** The root directories of the kubelets of k0s, MicroK8s and all others. */
    private static final List<Path> ROOTS = List.of(
            Path.of("/var/lib/kubelet"),
            Path.of("/var/lib/k0s/kubelet"),
            Path.of("/var/snap/microk8s/common/var/lib/kubelet"));

    private KubeletAbsence() {}

    /** A reason for a person who waits for the kubelet too. It looks at files, so never call it on a shared thread. */
    static String reason(PluginDirectory directory) {
        Path wanted = directory.isRegistry() ? directory.path() : directory.kubeletSocket();
        try {
            BasicFileAttributes file =
                    Files.readAttributes(wanted, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (directory.isRegistry() || file.isOther()) {
                return UnixRpc.isListening(wanted)
                        ? wanted + ": something listens there, and does not answer as a kubelet does"
                        : "nobody listens on " + wanted;
            }
            return wanted + ": is " + (file.isDirectory() ? "a directory" : "a file") + ", not a socket";
        } catch (NoSuchFileException e) {
            return missing(wanted) + elsewhere(directory);
        } catch (IOException e) {
            return wanted + ": " + e.getMessage();
        }
    }

    /** The first part of the path that is missing, and what is beside it, if that is little. */
    private static String missing(Path wanted) {
        Path missing = wanted;
        Optional<Path> parent = Optional.ofNullable(missing.getParent());
        while (parent.isPresent() && !Files.exists(parent.orElseThrow())) {
            missing = parent.orElseThrow();
            parent = Optional.ofNullable(missing.getParent());
        }
        String there = parent.map(KubeletAbsence::names).orElse("");
        return "there is no " + missing + there;
    }

    private static String names(Path directory) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, KubeletAbsence::isOfOthers)) {
            for (Path file : files) {
                if (names.size() == MAX_NAMED) {
                    return "";
                }
                names.add(PlainText.of(String.valueOf(file.getFileName())));
            }
        } catch (IOException | DirectoryIteratorException e) {
            return "";
        }
        names.sort(null);
        return names.isEmpty() ? "; nothing is beside it" : "; beside it: " + String.join(", ", names);
    }

    private static boolean isOfOthers(Path file) {
        return !String.valueOf(file.getFileName()).equals(PluginDirectory.OWN);
    }

    /** The sockets of kubelets in other places that are known. */
    private static String elsewhere(PluginDirectory directory) {
        String key = directory.isRegistry() ? "plugins_registry_dir" : "kubelet_dir";
        return ROOTS.stream()
                .map(root -> root.resolve("device-plugins"))
                .filter(other -> !other.equals(directory.path()))
                .map(other -> other.resolve(PluginDirectory.KUBELET_SOCKET))
                .filter(UnixRpc::isListening)
                .findFirst()
                .map(socket -> "; a kubelet listens on " + socket + ", so see " + key + " in edgeplug.toml")
                .orElse("");
    }
}
