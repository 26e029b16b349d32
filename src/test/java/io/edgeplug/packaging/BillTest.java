package io.edgeplug.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A package's bill of materials names what is in this package. */
final class BillTest {

    @TempDir
    private Path runtime = Path.of("");

    @Test
    void billHasTheRuntimeAndNoLibraryOfAnotherArchitecture() throws IOException {
        Files.writeString(runtime.resolve("release"), "JAVA_VERSION=\"25.0.5\"\n");

        String bill = Bill.of("""
                {"components": [
                  {"purl": "pkg:maven/io.netty/epoll@4?classifier=linux-x86_64&type=jar"},
                  {"purl": "pkg:maven/io.netty/epoll@4?classifier=linux-aarch_64&type=jar"}],
                 "dependencies": [
                  {"ref": "pkg:maven/io.edgeplug/edgeplug@0",
                   "dependsOn": ["pkg:maven/io.netty/epoll@4?classifier=linux-x86_64&type=jar"]},
                  {"ref": "pkg:maven/io.netty/epoll@4?classifier=linux-x86_64&type=jar"}]}
                """, Architecture.ARM64, runtime);

        assertThat(bill).doesNotContain("x86_64").contains("linux-aarch_64").contains("openjdk@25.0.5");
    }
}
