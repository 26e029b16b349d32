/**
 * The command line: {@link io.edgeplug.cli.Main} and its subcommands, which wire the other packages together.
 *
 * <p>Each command runs on the main thread and closes what it has opened.
 */
package io.edgeplug.cli;
