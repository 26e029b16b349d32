package io.edgeplug.model.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ResourceNameTest {

    @Test
    void nameIsWrittenAsItWasRead() {
        assertThat(ResourceName.parse("example.com/sriov_dpdk")).hasToString("example.com/sriov_dpdk");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nodomain",
                "/x",
                "example.com/",
                "Example.com/x",
                "example.com/x/y",
                "example.com/-x",
                "example..com/x",
                "kubernetes.io/x",
                "gpu.kubernetes.io/x",
                "mykubernetes.io/x",
                "requests.example.com/x",
                "example.com/name-of-more-than-sixty-three-characters-which-the-kubelet-refuses"
            })
    void nameThatTheKubeletWouldRefuseIsRefused(String name) {
        assertThatThrownBy(() -> ResourceName.parse(name)).isInstanceOf(IllegalArgumentException.class);
    }
}
