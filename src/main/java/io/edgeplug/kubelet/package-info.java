/**
 * The device plugin API: registration, streams and versions, and nothing else.
 *
 * <p>Entry type: {@link io.edgeplug.kubelet.DevicePlugins}. gRPC runs on one loop, on which nothing may block; one thread
 * registers all resources, and each ListAndWatch stream has a virtual thread that waits for what is new and sends it.
 */
package io.edgeplug.kubelet;
