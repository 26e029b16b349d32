/**
 * Calls of the kernel that the JDK does not have, its reasons in words, signals, and the terminal.
 *
 * <p>The entry types are {@link io.edgeplug.system.kernel.KernelCalls} and {@link io.edgeplug.system.kernel.KernelReason}. It keeps no state.
 */
package io.edgeplug.system.kernel;
