package io.edgeplug.cli.notes;

import io.edgeplug.api.dra.NodeIdentity;
import io.edgeplug.api.dra.NodeRights;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.system.files.Ownership;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Notes of {@code check} on classes whose devices pods claim: obstacles between this node and the API server. The server
 * is asked by the node itself only, and only if the node's files have no other obstacle.
 */
public final class DraNotes {

    private final Config config;
    private final Sysfs node;
    private final Instant now;
    private final List<String> lines = new ArrayList<>();

    private DraNotes(Config config, Sysfs node, Instant now) {
        this.config = config;
        this.node = node;
        this.now = now;
    }

    /**
     * Lines of notes and warnings. There are none if no class has claims, and on a captured node, which has no such
     * files.
     */
    public static List<String> of(Sysroot sysroot, Config config, Instant now)
            throws IOException, InterruptedException {
        if (config.claimed().isEmpty() || sysroot.sysfs().isCaptured()) {
            return List.of();
        }
        DraNotes notes = new DraNotes(config, sysroot.sysfs(), now);
        Optional<NodeIdentity> identity = notes.look();
        if (identity.isPresent() && notes.lines.isEmpty() && sysroot.isThisNode()) {
            notes.ask(identity.orElseThrow());
        }
        return notes.lines;
    }

    private void ask(NodeIdentity identity) throws InterruptedException {
        String name = config.dra().nodeName().or(identity::nodeName).orElseThrow();
        NodeRights.obstacle(identity.file(), config.dra().driver(), name)
                .ifPresent(reason -> warn("devices cannot be published: " + reason));
        if (lines.isEmpty()
                && config.claimed().stream().anyMatch(one -> one.claims().isPreparedBeforeBinding())) {
            NodeRights.obstacleToEarlyPreparation(identity.file(), config.dra().driver(), name)
                    .ifPresent(
                            reason -> lines.add("note: api = \"dra\": devices are prepared only when the kubelet asks,"
                                    + " and not before pods are bound: " + reason));
        }
    }

    private Optional<NodeIdentity> look() {
        Optional<NodeIdentity> identity = identity();
        identity.ifPresent(this::judge);
        try {
            ServiceSandbox.obstacle(node, identity.map(NodeIdentity::server).orElse(null))
                    .ifPresent(reason -> warn("the sandbox of edgeplug.service keeps it from the API server: " + reason
                            + "; /usr/share/doc/edgeplug/dra.md has the drop-in to write"));
        } catch (IOException e) {
            lines.add("note: api = \"dra\": not known whether the sandbox of edgeplug.service allows IP: "
                    + e.getMessage());
        }
        return identity;
    }

    private Optional<NodeIdentity> identity() {
        try {
            return Optional.of(NodeIdentity.read(node, config.dra().kubeconfig().orElse(null)));
        } catch (IOException e) {
            unusable(e);
            return Optional.empty();
        }
    }

    private void warn(String text) {
        lines.add("warning: api = \"dra\": " + text);
    }

    /** The kubelet's files belong to root. */
    private void unusable(IOException problem) {
        String reason = String.valueOf(problem.getMessage());
        if (KernelReason.of(problem) == KernelReason.DENIED && !Ownership.isRoot()) {
            lines.add("note: api = \"dra\": only root can check whether the API server can be spoken with: " + reason);
        } else {
            warn("cannot speak with the API server, so no device is published: " + reason
                    + (config.dra().kubeconfig().isPresent()
                            ? ""
                            : "; if the kubelet has its kubeconfig elsewhere, name it in kubeconfig of [dra]"));
        }
    }

    private void judge(NodeIdentity identity) {
        identity.validity().ifPresent(one -> {
            if (now.isAfter(one.until())) {
                warn(identity.file() + ": its certificate expired at " + one.until()
                        + ", so the API server refuses it; the kubelet renews its own: see whether it runs");
            } else if (now.isBefore(one.from())) {
                warn(identity.file() + ": its certificate is valid only from " + one.from()
                        + " on; see whether the clock of this node is right");
            }
        });
        Optional<String> configured = config.dra().nodeName();
        if (configured.isEmpty() && identity.nodeName().isEmpty()) {
            warn(identity.file() + ": is the identity of no node, so the name of this node is not known; set node_name "
                    + "in [dra]");
        }
        identity.nodeName()
                .filter(name -> configured.filter(other -> !other.equals(name)).isPresent())
                .ifPresent(
                        name -> warn(identity.file() + ": is the identity of the node " + name + ", and node_name in "
                                + "[dra] is " + configured.orElseThrow()
                                + ": the API server lets a node publish its own devices "
                                + "only"));
    }
}
