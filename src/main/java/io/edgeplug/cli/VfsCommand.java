package io.edgeplug.cli;

import picocli.CommandLine.Command;

/** The VFs of this node's PFs: the wanted ones, and making them. */
@Command(
        name = "vfs",
        mixinStandardHelpOptions = true,
        description = "Make the virtual functions that [[vfs]] in the configuration asks for. At boot, "
                + "edgeplug-vfs.service does it before the kubelet starts.",
        subcommands = {VfsPlanCommand.class, VfsApplyCommand.class})
final class VfsCommand {}
