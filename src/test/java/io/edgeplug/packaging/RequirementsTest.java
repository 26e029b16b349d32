package io.edgeplug.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a package needs of the system is read in its binaries, since it depends on who built the JDK. */
final class RequirementsTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void newestGlibcOfAllBinariesIsNeeded() throws IOException {
        Files.writeString(directory.resolve("liba.so"), "\0libc.so.6\0GLIBC_2.17\0GLIBC_2.9\0");
        Files.writeString(directory.resolve("libb.so"), "\0libz.so.1\0libstdc++.so.6\0GLIBC_2.38\0");
        Files.writeString(directory.resolve("notes"), "\0libgcc_s.so.1\0GLIBC_2.41\0");

        Requirements requirements = Requirements.of(directory);

        assertThat(requirements.debian()).isEqualTo("libc6 (>= 2.38), libstdc++6, zlib1g");
        assertThat(requirements.properties(Architecture.ARM64).lines())
                .containsExactly(
                        "arm64.libgcc_s=libc.so.6()(64bit)",
                        "arm64.libstdc++=libstdc++.so.6()(64bit)",
                        "arm64.libz=libz.so.1()(64bit)",
                        "arm64.glibc=libc.so.6(GLIBC_2.38)(64bit)");
    }

    @Test
    void olderGlibcThanThePromisedOneIsNotEnough() throws IOException {
        Files.writeString(directory.resolve("liba.so"), "\0libc.so.6\0GLIBC_2.17\0");

        assertThat(Requirements.of(directory).debian()).isEqualTo("libc6 (>= 2.28)");
    }
}
