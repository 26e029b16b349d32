package io.edgeplug.model.device;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShareIdsTest {

    /** An LED without a colour has two colons in its name: see Documentation/leds/leds-class.rst of the kernel. */
    @ParameterizedTest
    @CsvSource({
        "camera, camera",
        "camera::0, camera",
        "camera::999, camera",
        "input3::capslock, input3::capslock",
        "input3::capslock::7, input3::capslock",
        "a::, a::",
        "::1, ::1",
        "a::1x, a::1x"
    })
    void onlyANumberAfterTheSeparatorMakesAShare(String id, String device) {
        assertThat(Shares.whole(id)).isEqualTo(device);
    }
}
