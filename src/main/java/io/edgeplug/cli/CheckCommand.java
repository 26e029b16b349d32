package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigException;
import io.edgeplug.config.ConfigFiles;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Reads the configuration and nothing else. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description = "Check the configuration: tell every mistake in every file, or the resources that it defines.")
final class CheckCommand implements Callable<Integer> {

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Override
    public Integer call() throws ConfigException {
        Config config = ConfigFiles.read(node.configFile());
        config.classes()
                .forEach(one -> System.out.println(
                        one.resource() + ": kind " + one.kind().word()));
        return ExitCode.OK;
    }
}
