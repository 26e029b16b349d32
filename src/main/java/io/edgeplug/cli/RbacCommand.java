package io.edgeplug.cli;

import io.edgeplug.api.dra.ClaimRole;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.RunOptions;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the role that an administrator creates in the cluster, from the configuration alone. */
@Command(
        name = "rbac",
        mixinStandardHelpOptions = true,
        description =
                "Print the role with which edgeplug prepares devices before pods are bound, and writes the status "
                        + "of claims, as YAML for kubectl apply -f -. Without it, devices are prepared when the kubelet asks. "
                        + "All nodes get the role unless an option says otherwise. Reads only the configuration.")
final class RbacCommand implements Callable<Integer> {

    private static final String NAME = "[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = RunOptions.CONFIG,
            paramLabel = "FILE",
            defaultValue = RunOptions.DEFAULT_CONFIG,
            description =
                    "The configuration, which may name the driver. Defaults to " + RunOptions.DEFAULT_CONFIG + ".")
    private Path config = Path.of(RunOptions.DEFAULT_CONFIG);

    @ArgGroup
    private @Nullable Subject subject;

    static final class Subject {

        @Option(names = "--node", paramLabel = "NODE", description = "Only this node gets the role; may be repeated.")
        private List<String> nodes = List.of();

        @Option(
                names = "--service-account",
                paramLabel = "NAMESPACE/NAME",
                description = "This service account gets the role, for a kubeconfig in [dra] whose token is bound to "
                        + "the node.")
        private @Nullable String account;
    }

    @Override
    public Integer call() throws ConfigException, IOException {
        ClaimRole role = role(ConfigFiles.read(config).dra().driver());
        PrintWriter out = spec.commandLine().getOut();
        out.print(role.yaml());
        out.flush();
        return ExitCode.OK;
    }

    private ClaimRole role(String driver) throws IOException {
        if (subject == null) {
            return ClaimRole.ofNodes(driver);
        }
        String account = subject.account;
        if (account == null) {
            for (String node : subject.nodes) {
                check(node, "is no name of a node");
            }
            return ClaimRole.ofNodes(driver, subject.nodes);
        }
        String[] parts = account.split("/", -1);
        if (parts.length != 2) {
            throw new IOException(account + ": is not NAMESPACE/NAME");
        }
        check(parts[0], "is no name of a namespace");
        check(parts[1], "is no name of a service account");
        return ClaimRole.ofServiceAccount(driver, parts[0], parts[1]);
    }

    private static void check(String name, String problem) throws IOException {
        if (!name.matches(NAME)) {
            throw new IOException(name + ": " + problem);
        }
    }
}
