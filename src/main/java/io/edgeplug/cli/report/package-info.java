/**
 * {@code edgeplug status}: asks the daemon ({@link io.edgeplug.cli.report.StatusClient}) and shows its answer ({@link io.edgeplug.cli.report.StatusText}).
 */
package io.edgeplug.cli.report;
