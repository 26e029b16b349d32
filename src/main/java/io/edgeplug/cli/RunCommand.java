package io.edgeplug.cli;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
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
final class RunCommand implements Callable<Integer> {

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = RunOptions.KUBELET_DIR,
            paramLabel = "DIR",
            description = "The kubelet's directory for sockets, instead of the one in the configuration.")
    private Optional<Path> kubeletDir = Optional.empty();

    @Override
    public Integer call() throws Exception {
        return Daemon.run(new RunOptions(node.configFile(), kubeletDir, node.sysroot));
    }
}
