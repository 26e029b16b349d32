/**
 * Other programs: run with limits, ended with all that they started, and not mistaken for another process.
 *
 * <p>The entry type is {@link io.edgeplug.system.programs.Supervisor}.
 */
package io.edgeplug.system.programs;
