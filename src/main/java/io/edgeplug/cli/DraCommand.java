package io.edgeplug.cli;

import picocli.CommandLine.Command;

/** Commands for claims of this node's devices. */
@Command(
        name = "dra",
        mixinStandardHelpOptions = true,
        description =
                "Set up Dynamic Resource Allocation, with which pods claim the devices of classes with api = \"dra\".",
        subcommands = {DeviceClassCommand.class, RbacCommand.class})
final class DraCommand {}
