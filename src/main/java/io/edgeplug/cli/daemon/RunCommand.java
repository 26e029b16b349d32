package io.edgeplug.cli.daemon;

import io.edgeplug.cli.options.NodeOptions;
import io.edgeplug.cli.options.RunOptions;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The help of {@code run}, and the command lines that {@link RunOptions#parse} left. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description =
                "Run the daemon: keep this node's devices registered with its kubelet until SIGTERM. On SIGHUP, read "
                        + "the configuration again.")
public final class RunCommand implements Callable<Integer> {

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = RunOptions.KUBELET_DIR,
            paramLabel = "DIR",
            description = "The kubelet's directory for sockets, instead of the one in the configuration.")
    private @Nullable Path kubeletDir;

    @Override
    public Integer call() throws Exception {
        return Daemon.run(new RunOptions(node.configFile(), Optional.ofNullable(kubeletDir), node.sysroot));
    }
}
