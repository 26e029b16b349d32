/**
 * The way of news from one thread to the next, and the part of a long list that it concerns.
 *
 * <p>{@link Latest} passes a value to the threads that wait for it. {@link Difference} and {@link IncrementalMapping} limit
 * the cost of a change to the changed devices among thousands. {@link Deadline} is how long a thread waits. The package
 * knows nothing of devices. It starts threads for the work of its callers: {@link Latest} those that follow it,
 * {@link LosableThreads} those that may hang in the kernel, {@link Threads} those that wait for the disk.
 */
package io.edgeplug.system.flow;
