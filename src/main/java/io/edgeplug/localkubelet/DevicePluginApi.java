package io.edgeplug.localkubelet;

/** A version of the device plugin API, as a kubelet may speak it. */
public enum DevicePluginApi {
    /** What every kubelet since 1.10 speaks: {@code proto/deviceplugin.proto}. */
    V1BETA1("v1beta1"),
    /** The first proposal: {@code proto/deviceplugin_v1alpha1.proto}. */
    V1ALPHA1("v1alpha1");

    private final String version;

    DevicePluginApi(String version) {
        this.version = version;
    }

    /** What a plugin sends as its version. */
    public String version() {
        return version;
    }
}
