/**
 * The kubelet's side of device plugins, on this machine and without a cluster: for tests, {@code demo} and {@code
 * local-kubelet}.
 *
 * <p>Entry type: {@link io.edgeplug.localkubelet.LocalKubelet}. It follows pkg/kubelet/cm/devicemanager of
 * k8s.io/kubernetes part by part, so that what a plugin meets here it meets on a node: {@code RegistrationServer} is
 * its plugin/v1beta1 server, {@code Endpoint} its endpoint and client, {@code Ledger} and {@code PodDevices} its maps,
 * {@code Admission} its allocation. Public types are immutable but {@code LocalKubelet}, which may be called from any
 * thread; nothing runs on the gRPC loop, each plugin that registers has a virtual thread of its own.
 */
package io.edgeplug.localkubelet;
