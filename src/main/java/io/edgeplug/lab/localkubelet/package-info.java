/**
 * The kubelet's side of device plugins, on this machine and without a cluster: for tests, {@code demo} and
 * {@code local-kubelet}.
 *
 * <p>The entry type is {@link io.edgeplug.lab.localkubelet.LocalKubelet}. It follows pkg/kubelet/cm/devicemanager of
 * k8s.io/kubernetes part by part, so a plugin meets the same here as on a node. {@code RegistrationServer}
 * and {@code Clients} are its plugin/v1beta1 server, and {@code Endpoint} its endpoint and
 * client. {@code Ledger}, {@code PodDevices} and {@code Checkpoint} are its maps, and {@code Admission} its allocation,
 * as without a topology policy. {@code PluginsRegistry} is the plugin manager.
 *
 * <p>Public types are immutable, except {@code LocalKubelet}, which any thread may call. Nothing runs on the gRPC loop,
 * because each plugin that registers has a virtual thread of its own.
 */
package io.edgeplug.lab.localkubelet;
