/**
 * Makes one device fit for its next container: resets, binds, programs, runs what its administrator says.
 *
 * <p>Entry type: {@link io.edgeplug.prepare.Preparer}. Each device is prepared on a thread of its own, which the kernel
 * may keep for ever; who waits for it does so with a deadline, on any thread.
 */
package io.edgeplug.prepare;
