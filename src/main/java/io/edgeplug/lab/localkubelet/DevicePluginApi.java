package io.edgeplug.lab.localkubelet;

import io.edgeplug.system.flow.Worded;

/** A version of the device plugin API that a kubelet may speak. Its word names it in a plugin's messages. */
public enum DevicePluginApi implements Worded {
    /** The version of every kubelet since 1.10: {@code proto/deviceplugin.proto}. */
    V1BETA1,
    /** The first proposal: {@code proto/deviceplugin_v1alpha1.proto}. */
    V1ALPHA1
}
