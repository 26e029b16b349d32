package io.edgeplug.cli;

import io.edgeplug.api.dra.ClusterObjects;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.RunOptions;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the objects that an administrator creates in the cluster, from the configuration alone. */
@Command(
        name = "device-class",
        mixinStandardHelpOptions = true,
        description = "Print the DeviceClass of each resource whose class has api = \"dra\", as YAML for kubectl apply "
                + "-f -, with an example of a ResourceClaimTemplate and of a pod. A cluster needs each DeviceClass "
                + "once, whichever nodes have the devices. Reads only the configuration.")
final class DeviceClassCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = RunOptions.CONFIG,
            paramLabel = "FILE",
            defaultValue = RunOptions.DEFAULT_CONFIG,
            description = "The configuration; class.d/*.toml beside it is read too. Defaults to "
                    + RunOptions.DEFAULT_CONFIG + ".")
    private Path config = Path.of(RunOptions.DEFAULT_CONFIG);

    @Option(
            names = "--no-example",
            description = "Print only the DeviceClass, without the pod, which would start and take a device.")
    private boolean noExample;

    @Parameters(paramLabel = "RESOURCE", description = "Only these resources.")
    private List<String> wanted = List.of();

    @Override
    public Integer call() throws ConfigException, IOException {
        Config read = ConfigFiles.read(config);
        List<ResourceName> resources =
                read.claimed().stream().map(DeviceClass::resource).toList();
        ClusterObjects objects = new ClusterObjects(read.dra().driver(), resources);
        List<String> documents = new ArrayList<>();
        for (ResourceName resource : wanted.isEmpty() ? all(resources) : named(read)) {
            documents.add(objects.deviceClass(resource));
            if (!noExample) {
                documents.add(objects.example(resource));
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(String.join("---\n", documents));
        out.flush();
        return ExitCode.OK;
    }

    private List<ResourceName> all(List<ResourceName> resources) throws IOException {
        if (resources.isEmpty()) {
            throw new IOException(config + ": no class has api = \"dra\", so nothing is claimed and no DeviceClass is "
                    + "needed; add the line to the classes whose devices pods are to claim");
        }
        return resources;
    }

    private List<ResourceName> named(Config read) throws IOException {
        List<ResourceName> found = new ArrayList<>();
        for (String name : wanted) {
            DeviceClass named = read.classes().stream()
                    .filter(one -> one.resource().toString().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IOException(name + ": no class has this resource, see edgeplug check"));
            if (!named.isClaimed()) {
                throw new IOException(name + ": a device plugin offers it, which needs no DeviceClass; to have pods "
                        + "claim its devices, add api = \"dra\" to the class");
            }
            found.add(named.resource());
        }
        return found.stream().distinct().toList();
    }
}
