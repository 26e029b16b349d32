package io.edgeplug.node.prepare;

import java.io.IOException;
import java.util.Optional;
import java.util.Properties;

/** The settings of a function that a preparation changes, read so that they can be restored. */
record FunctionSettings(Optional<String> driver, Optional<String> override, Optional<String> resetMethods) {

    static final String DRIVER = "driver";
    private static final String OVERRIDE = "driver_override";
    static final String RESET_METHOD = "reset_method";

    static FunctionSettings of(PciBinding binding) throws IOException {
        return new FunctionSettings(binding.driver(), binding.override(), binding.resetMethods());
    }

    static FunctionSettings of(Properties note) {
        return new FunctionSettings(
                Optional.ofNullable(note.getProperty(DRIVER)),
                Optional.ofNullable(note.getProperty(OVERRIDE)),
                Optional.ofNullable(note.getProperty(RESET_METHOD)));
    }

    /** The settings of the function once it is bound to that driver. */
    FunctionSettings with(String newDriver) {
        return new FunctionSettings(Optional.of(newDriver), Optional.of(newDriver), resetMethods);
    }

    Properties note() {
        Properties note = new Properties();
        driver.ifPresent(value -> note.setProperty(DRIVER, value));
        override.ifPresent(value -> note.setProperty(OVERRIDE, value));
        resetMethods.ifPresent(value -> note.setProperty(RESET_METHOD, value));
        return note;
    }

    /** Gives the function these settings. Settings that it already has are left alone. */
    void restore(PciBinding binding) throws IOException {
        if (!binding.override().equals(override)) {
            binding.override(override.orElse(""));
        }
        if (resetMethods.isPresent() && !binding.resetMethods().equals(resetMethods)) {
            binding.resetMethods(resetMethods.orElseThrow());
        }
        if (binding.driver().equals(driver)) {
            return;
        }
        if (binding.driver().isPresent()) {
            binding.unbind();
        }
        if (driver.isPresent()) {
            binding.bind(driver.orElseThrow());
        }
    }
}
