package io.edgeplug.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.kernel.PlainText;
import io.edgeplug.system.kernel.Signals;
import io.edgeplug.system.systemd.Journal;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import jnr.unixsocket.UnixSocketAddress;
import jnr.unixsocket.UnixSocketChannel;
import jnr.unixsocket.UnixSocketOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the kubelet's side of device plugins as a process of its own. */
@Command(
        name = "local-kubelet",
        mixinStandardHelpOptions = true,
        description = "Act as the kubelet for device plugins, in a directory of your own, and print what plugins "
                + "report. Like the kubelet, it deletes every socket in that directory when it starts.")
final class LocalKubeletCommand implements Callable<Integer> {

    @Option(names = "--dir", paramLabel = "DIR", required = true, description = "The directory for kubelet.sock.")
    private Path directory = Path.of("");

    @Option(names = "--minor", paramLabel = "N", description = "Behave as Kubernetes 1.N does. Defaults to 37.")
    private int minor = KubeletOptions.DEFAULTS.minorVersion();

    @Option(
            names = "--registry",
            paramLabel = "DIR",
            description = "Also look for plugins' sockets here, as the kubelet does in plugins_registry.")
    private @Nullable Path registry;

    @Option(
            names = "--root",
            paramLabel = "DIR",
            description = "Report pods here, as the kubelet does in its root directory: on pod-resources, and from "
                    + "Kubernetes 1.37 on also on the Pods API.")
    private @Nullable Path root;

    @Option(
            names = {"-J", "--json"},
            description = "Print one JSON object on each line.")
    private boolean json;

    @Option(
            names = "--pods",
            description = "Follow lines of standard input. run POD RESOURCE=N|ID,ID... admits a pod and starts its "
                    + "container. start POD starts it again. delete POD ends it, and the checkpoint drops it "
                    + "with the next pod. remove POD ends it, and the checkpoint drops it at once. restart "
                    + "restarts the kubelet.")
    private boolean pods;

    private final Gson gson = new GsonBuilder()
            .registerTypeAdapter(ResourceName.class, (JsonSerializer<ResourceName>)
                    (name, type, context) -> new JsonPrimitive(name.toString()))
            .registerTypeHierarchyAdapter(
                    Path.class, (JsonSerializer<Path>) (path, type, context) -> new JsonPrimitive(path.toString()))
            .disableHtmlEscaping()
            .create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Journal.toStderr(Level.INFO);
        Signals signals = Signals.ofCommand();
        Optional<String> other = server(directory.resolve("kubelet.sock"));
        if (other.isPresent()) {
            throw new IOException(directory + ": has a kubelet already, " + other.orElseThrow());
        }
        try (LocalKubelet kubelet = LocalKubelet.open(directory, options(), this::print)) {
            if (pods) {
                Thread.ofPlatform().name("pods").daemon().start(() -> followPods(kubelet));
            }
            signals.awaitEnd();
        }
        return ExitCode.OK;
    }

    private static void followPods(LocalKubelet kubelet) {
        // System.in asks how much there is to read. Some devices do not support that, such as the serial ports of a
        // virtual machine.
        InputStream in = new FileInputStream(FileDescriptor.in);
        try {
            new PodLines(kubelet, mistake -> System.err.println("edgeplug: " + PlainText.of(mistake)))
                    .follow(new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            System.err.println("edgeplug: cannot read standard input: " + e.getMessage());
        }
    }

    private KubeletOptions options() {
        KubeletOptions options = KubeletOptions.DEFAULTS.withMinorVersion(minor);
        options = registry == null ? options : options.withPluginsRegistry(registry);
        return root == null ? options : options.withRoot(root);
    }

    private void print(KubeletEvent event) {
        System.out.println(json ? PlainText.ofJson(gson.toJson(object(event))) : PlainText.of(event.text()));
    }

    private JsonObject object(KubeletEvent event) {
        JsonObject object = new JsonObject();
        object.addProperty("event", event.getClass().getSimpleName());
        JsonElement fields = gson.toJsonTree(event);
        fields.getAsJsonObject().entrySet().forEach(field -> object.add(field.getKey(), field.getValue()));
        return object;
    }

    /**
     * The server of a socket; empty if there is none. It prevents the sockets of a real kubelet from being deleted by
     * mistake.
     */
    private static Optional<String> server(Path socket) {
        if (!Files.exists(socket)) {
            return Optional.empty();
        }
        try (UnixSocketChannel channel = UnixSocketChannel.open(new UnixSocketAddress(socket.toFile()))) {
            return Optional.of("process "
                    + channel.getOption(UnixSocketOptions.SO_PEERCRED).getPid());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
