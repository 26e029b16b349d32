/**
 * What a container gets with its devices.
 *
 * <p>Entry type: {@link io.edgeplug.container.Allocation}, a pure function of a class and its devices; any thread.
 */
package io.edgeplug.container;
