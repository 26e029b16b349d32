/**
 * The command line: {@link io.edgeplug.cli.Main} and its commands.
 *
 * <p>Each command runs on the main thread and closes what it has opened. The daemon is in {@code cli.daemon}.
 */
package io.edgeplug.cli;
