package io.edgeplug.packaging;

import java.util.Locale;

/** A processor that packages are built for, by the names that others have for it. */
enum Architecture {
    AMD64("x86_64", "x86_64-Linux", "linux-x86-64", "qemu-x86_64-static"),
    ARM64("aarch_64", "aarch64-Linux", "linux-aarch64", "qemu-aarch64-static");

    private final String netty;
    private final String jffi;
    private final String jna;
    private final String emulator;

    Architecture(String netty, String jffi, String jna, String emulator) {
        this.netty = netty;
        this.jffi = jffi;
        this.jna = jna;
        this.emulator = emulator;
    }

    /** The one of the machine that builds. */
    static Architecture own() {
        String arch = System.getProperty("os.arch");
        return switch (arch) {
            case "amd64" -> AMD64;
            case "aarch64" -> ARM64;
            default -> throw new IllegalStateException("no native libraries for " + arch);
        };
    }

    /** As Debian, and most of this build, names it. */
    String debian() {
        return name().toLowerCase(Locale.ROOT);
    }

    String netty() {
        return netty;
    }

    String jffi() {
        return jffi;
    }

    String jna() {
        return jna;
    }

    /** The program of QEMU that runs its programs on another processor. */
    String emulator() {
        return emulator;
    }
}
