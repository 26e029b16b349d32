/**
 * How news travels from one thread to the next, and what of a long list it is about.
 *
 * <p>{@link Latest} is the one way in which a thread tells others of what is new; {@link Difference} and {@link IncrementalMapping}
 * keep the cost of one device's change that of one device among thousands; {@link Deadline} is how long anyone waits. It
 * knows nothing of devices, and starts no thread.
 */
package io.edgeplug.flow;
