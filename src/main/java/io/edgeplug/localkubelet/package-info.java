/**
 * The kubelet's side of device plugins, on this machine and without a cluster: for tests, {@code demo} and {@code
 * local-kubelet}.
 *
 * <p>Entry type: {@link io.edgeplug.localkubelet.LocalKubelet}. It follows pkg/kubelet/cm/devicemanager of
 * k8s.io/kubernetes part by part, so that what a plugin meets here it meets on a node: {@code RegistrationServer},
 * {@code Registrations} and {@code Clients} are its plugin/v1beta1 server, {@code Endpoint} its endpoint and client,
 * {@code Ledger}, {@code PodDevices} and {@code Checkpoint} its maps, {@code Admission} and {@code Choice} its
 * allocation; {@code TopologyHint} and {@code HintMerge} are the topology manager, {@code PluginsRegistry} is the plugin
 * manager. What a kubelet has from one start to the next is a {@code KubeletRun}; the ledger outlives it.
 *
 * <p>Public types are immutable but {@code LocalKubelet}, which may be called from any thread; nothing runs on the gRPC
 * loop, each plugin that registers has a virtual thread of its own.
 */
package io.edgeplug.localkubelet;
