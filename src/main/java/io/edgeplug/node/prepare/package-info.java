/**
 * Prepares one device for its next container: resets, binds and programs it, and runs the administrator's programs.
 *
 * <p>The entry type is {@link io.edgeplug.node.prepare.Preparer}. Each device is prepared on a thread of its own, which the
 * kernel may block for ever. Callers wait with a deadline, on any thread.
 */
package io.edgeplug.node.prepare;
