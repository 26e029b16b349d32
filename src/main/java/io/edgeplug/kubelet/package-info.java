/**
 * Speaks device-plugin v1beta1 to the kubelet: serves each resource, registers it, and follows kubelet restarts.
 *
 * <p>Entry type: {@link io.edgeplug.kubelet.DevicePlugins}. Calls are answered on the epoll loop of {@link
 * io.edgeplug.linux.UnixRpc} and never block; each resource registers on a virtual thread of its own, and each
 * ListAndWatch stream writes on one.
 */
package io.edgeplug.kubelet;
