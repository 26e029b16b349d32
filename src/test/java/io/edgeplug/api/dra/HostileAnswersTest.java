package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.PackageJvm;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers of an API server that would fill the heap, read in a JVM with half of the package's heap. */
@Timeout(120)
final class HostileAnswersTest {

    private static final List<String> HALF = List.of("-Xmx24m");
    private static final int MEGABYTE = 1 << 20;
    private static final int LONG = (System.getProperty("soak") == null ? 1 : 8) * MEGABYTE;

    private static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices";
    private static final String CLAIM = "GET /apis/resource.k8s.io/v1/namespaces/default/resourceclaims/large";

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private StrictApiServer server;

    @BeforeEach
    void open() throws Exception {
        server = StrictApiServer.open();
    }

    /** The lines that the process prints, once it has ended as it should. */
    private List<String> outcomes() throws Exception {
        Path kubeconfig = TestIdentity.write(directory, server.port(), TestIdentity.NODE1);
        PackageJvm.End end =
                PackageJvm.run(PackageJvm.command(HALF, HostileAnswersProcess.class, kubeconfig.toString()));
        assertThat(end.exit()).as(end.output()).isZero();
        return end.output().lines().toList();
    }

    private static void repeat(OutputStream out, String text, int bytes) throws IOException {
        byte[] many = text.repeat(Math.max(1, 8192 / text.length())).getBytes(StandardCharsets.UTF_8);
        for (int sent = 0; sent < bytes; sent += many.length) {
            out.write(many);
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void claimsWithMegabytesOfLabelsAreReadSeveralAtATime() throws Exception {
        JsonObject claim = TestClaims.allocated("large", "a-device");
        String text = claim.toString();
        server.answerRaw(CLAIM, out -> {
            write(out, "{\"spec\":{\"parameters\":[");
            repeat(out, "{},", MEGABYTE);
            write(out, "{}]},\"labels\":{");
            for (int i = 0; i < 100_000; i++) {
                write(out, "\"l" + i + "\":\"\",");
            }
            write(out, "\"a\":\"");
            repeat(out, "x", MEGABYTE);
            write(out, "\"}," + text.substring(1));
        });

        assertThat(outcomes().stream().filter(line -> line.startsWith("claim")))
                .hasSize(12)
                .allMatch("claim: a-device"::equals);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            {"items":[{}; ,{}; ]}
            {"items":["; x; "]}
            [; [; ]
            {"items":; [; ]
            {"items":[{"spec":{"devices":[{}; ,{}; ]}}]}
            {"items":[{"spec":{"devices":["; x; "]}}]}
            {"status":{"allocation":{"devices":{"config":[0; ,0; ]}}}}
            {"status":{"allocation":{"devices":{"config":[{}; ,{}; ]}}}}
            {"metadata":{"uid":"; x; "}}
            {"x; x; ":1}
            {"a":; {"a":; 1}
            {"a":1; 1; }
            """)
    void answerOfMegabytesIsRefusedOrSkipped(String begin, String middle, String end) throws Exception {
        StrictApiServer.RawBody body = out -> {
            write(out, begin);
            repeat(out, middle, LONG);
            write(out, end);
        };
        server.answerRaw("GET " + SLICES, body);
        server.answerRaw("GET " + SLICES + " watch", body);
        server.answerRaw("GET /api/v1/nodes/node1", body);
        server.answerRaw(CLAIM, body);

        assertThat(outcomes()).hasSize(12 + 1 + 2 + 1).noneMatch(line -> line.contains("Exception"));
    }

    @Test
    void slicesWithLongNamesAreNotKept() throws Exception {
        String name = "\u20ac" + "x".repeat(16_000);
        server.answerRaw("GET " + SLICES, out -> {
            write(out, "{\"items\":[{}");
            for (int i = 0; i < 400; i++) {
                write(out, ",{\"metadata\":{\"name\":\"" + name + "\",\"uid\":\"" + name + "\"}}");
            }
            write(out, "]}");
        });

        assertThat(outcomes()).anyMatch(line -> line.startsWith("list: refused: ") && line.contains("more slices"));
    }

    @Test
    void slicesWithMoreDevicesThanASliceCanHaveAreNotKept() throws Exception {
        server.answerRaw("GET " + SLICES, out -> {
            write(out, "{\"items\":[{}");
            for (int i = 0; i < 64; i++) {
                write(out, ",{\"spec\":{\"devices\":[{}");
                repeat(out, ",{\"name\":\"a\"}", 130_000);
                write(out, "]}}");
            }
            write(out, "]}");
        });

        assertThat(outcomes()).anyMatch(line -> line.startsWith("list: refused: ") && line.contains("128 devices"));
    }

    @Test
    void parametersAreNotAppliedToMoreDevicesThanAClaimCanHave() throws Exception {
        server.answerRaw(CLAIM, out -> {
            write(
                    out,
                    "{\"metadata\":{\"uid\":\"uid-of-large\"},\"status\":{\"allocation\":{\"devices\":{\"results\":[");
            for (int i = 0; i < 600; i++) {
                write(
                        out,
                        (i == 0 ? "" : ",")
                                + "{\"request\":\"a\",\"driver\":\"edgeplug.io\",\"pool\":\"node1\",\"device\":\"d"
                                + i + "\"}");
            }
            write(out, "],\"config\":[{}");
            for (int i = 0; i < 1100; i++) {
                write(out, ",{\"opaque\":{\"driver\":\"edgeplug.io\"}}");
            }
            write(out, "]}}}}");
        });

        assertThat(outcomes().stream().filter(line -> line.startsWith("claim")))
                .hasSize(12)
                .allMatch(line -> line.startsWith("claim: refused: ") && line.contains("more than 32 devices"));
    }

    @Test
    void eventsWithNamesOfAMegabyteAreNotKept() throws Exception {
        server.answerRaw("GET " + SLICES + " watch", out -> {
            for (int i = 0; i < 64; i++) {
                write(out, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"" + i);
                repeat(out, "x", MEGABYTE - (1 << 14));
                write(out, "\"}}}\n");
            }
        });

        assertThat(outcomes()).contains("watch: true with 0 names");
    }
}
