/**
 * The device plugin API: registration, streams and versions, and nothing else.
 *
 * <p>The entry type is {@link io.edgeplug.api.kubelet.DevicePlugins}. gRPC runs on one loop, where nothing may block. One
 * thread registers all resources. Each ListAndWatch stream has a virtual thread that waits for a new list and sends it.
 */
package io.edgeplug.api.kubelet;
