package io.edgeplug.lab.localkubelet;

import java.time.Duration;

/** How long the kubelet waits for plugins. Tests shorten this. */
record Deadlines(Duration dial, Duration preStart) {

    /**
     * The dial of plugin/v1beta1/client.go, and KubeletPreStartContainerRPCTimeoutInSecs of
     * k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1.
     */
    static final Deadlines KUBELET = new Deadlines(Duration.ofSeconds(10), Duration.ofSeconds(30));
}
