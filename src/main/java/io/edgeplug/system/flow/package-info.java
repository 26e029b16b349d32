/**
 * The way of news from one thread to the next, and the part of a long list that it concerns.
 *
 * <p>{@link Latest} is the only way in which a thread passes news to others. {@link Difference} and
 * {@link IncrementalMapping} limit the cost of a change to the changed devices among thousands. {@link Deadline} is how
 * long a thread waits. The package knows nothing of devices, and starts no thread but those of a {@link Follower}.
 */
package io.edgeplug.system.flow;
