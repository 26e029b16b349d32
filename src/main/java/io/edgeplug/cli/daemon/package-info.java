/**
 * The daemon: {@link io.edgeplug.cli.daemon.Daemon} begins its lives in their order and ends them in the opposite one.
 */
package io.edgeplug.cli.daemon;
