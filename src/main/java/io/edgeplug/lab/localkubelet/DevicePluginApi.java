package io.edgeplug.lab.localkubelet;

/** A version of the device plugin API that a kubelet may speak. */
public enum DevicePluginApi {
    /** The version of every kubelet since 1.10: {@code proto/deviceplugin.proto}. */
    V1BETA1("v1beta1"),
    /** The first proposal: {@code proto/deviceplugin_v1alpha1.proto}. */
    V1ALPHA1("v1alpha1");

    private final String version;

    DevicePluginApi(String version) {
        this.version = version;
    }

    /** The version's name in a plugin's messages. */
    public String version() {
        return version;
    }
}
