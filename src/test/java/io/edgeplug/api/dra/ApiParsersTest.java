package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.api.dra.SliceWatch.SliceEvent;
import io.edgeplug.soak.SpoiltInputs;
import io.edgeplug.system.files.ForeignJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Spoilt answers of an API server and spoilt kubeconfigs are read or refused, and none is a bug. */
@Timeout(600)
final class ApiParsersTest {

    private static final String SLICE = """
            {"metadata":{"name":"node1-x","uid":"u1","resourceVersion":"12"},"spec":{"driver":"edgeplug.io",\
            "nodeName":"node1","pool":{"name":"node1","generation":3,"resourceSliceCount":1},"devices":[{"name":"a",\
            "attributes":{"numaNode":{"int":0}},"capacity":{"shares":{"value":"4"}},"taints":[]}]}}""";

    @TempDir
    private Path directory = Path.of("");

    private final SpoiltInputs inputs = new SpoiltInputs();

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void claimsAreReadOrRefused() throws Exception {
        JsonObject config = JsonParser.parseString("""
                        {"requests":["vfs"],"opaque":{"driver":"edgeplug.io","parameters":{"vf":{"vlan":7}}}}""").getAsJsonObject();
        ApiReading<ClaimAllocation> reading = ClaimAllocation.reading("uid-of-one", "edgeplug.io", "node1");

        inputs.spoil(bytes(TestClaims.configured("one", "a-device", config).toString()), 8000, input -> {
            ClaimAllocation ignored = reading.parse().read(new ByteArrayInputStream(input));
        });
    }

    @Test
    void slicesAreReadOrRefused() throws Exception {
        String list = "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[" + SLICE + "," + SLICE + "]}";

        inputs.spoil(bytes(list), 4000, input -> {
            SliceList ignored = SliceList.reading().parse().read(new ByteArrayInputStream(input));
        });
    }

    @Test
    void eventsAreReadOrRefused() throws Exception {
        inputs.spoil(bytes("{\"type\":\"MODIFIED\",\"object\":" + SLICE + "}"), 4000, input -> {
            ForeignJson json = ForeignJson.of(new ByteArrayInputStream(input), input.length, ApiReading.MAX_WORD);
            if (SliceEvent.read(json).name().isEmpty()) {
                throw new IOException("none");
            }
        });
    }

    @Test
    void kubeconfigsAreReadOrRefused() throws Exception {
        Path file = TestIdentity.write(directory, 1, TestIdentity.NODE1);

        inputs.spoil(Files.readAllBytes(file), 1000, input -> {
            Files.write(file, input);
            Object ignored = new KubeconfigReading(file, null).read().tls();
        });
    }
}
