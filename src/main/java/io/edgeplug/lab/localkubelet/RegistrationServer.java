package io.edgeplug.lab.localkubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.files.FileKind;
import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;

/**
 * {@code kubelet.sock} from one start of the kubelet to the next, with Register in each version of the API that the
 * kubelet speaks. It follows plugin/v1beta1/server.go, and CleanupPluginDirectory in manager.go.
 *
 * <p>Each plugin has a virtual thread that dials it back, answers its Register and then reads its lists to the end.
 * Errors have the status UNKNOWN, like plain Go errors.
 */
final class RegistrationServer implements AutoCloseable {

    private static final String SOCKET = "kubelet.sock";

    private final Path directory;
    private final Ledger ledger;
    private final Clients clients;
    private final boolean inCallersContext;
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private final Server server;

    /** Serves in a directory that has been cleared. Callers that come before the event have waited. */
    RegistrationServer(Path directory, KubeletOptions options, Ledger ledger, Clients clients) throws IOException {
        this.directory = directory;
        this.ledger = ledger;
        this.clients = clients;
        this.inCallersContext = options.dialsWithinRegister();
        Path socket = directory.resolve(SOCKET);
        this.server = clients.rpc()
                .serve(socket, options.apis().stream().map(this::service).toArray(BindableService[]::new));
        ledger.tell(new KubeletEvent.Serving(socket));
        begun.complete(null);
    }

    /** Makes the directory if it is missing, and deletes every socket in it, in the order of their names. */
    static void clear(Path directory) throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
        List<Path> files;
        try (Stream<Path> entries = Files.list(directory)) {
            files = entries.sorted().toList();
        }
        for (Path file : files) {
            if (isSocket(file)) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Follows links, as the kubelet does: a link to a socket counts as one. */
    static boolean isSocket(Path file) throws IOException {
        try {
            return FileKind.ofMode((int) Files.getAttribute(file, "unix:mode")) == FileKind.SOCKET;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * The parameters of a plugin's Register.
     *
     * @param caller ends the dialling back when it ends
     */
    private record Call(DevicePluginApi api, String version, String endpoint, String resource, Context caller) {}

    private BindableService service(DevicePluginApi api) {
        return switch (api) {
            case V1BETA1 -> new V1beta1();
            case V1ALPHA1 -> new V1alpha1();
        };
    }

    private final class V1beta1 extends io.edgeplug.proto.v1beta1.RegistrationGrpc.RegistrationImplBase {
        @Override
        public void register(
                io.edgeplug.proto.v1beta1.RegisterRequest request,
                StreamObserver<io.edgeplug.proto.v1beta1.Empty> caller) {
            accept(
                    new Call(
                            DevicePluginApi.V1BETA1,
                            request.getVersion(),
                            request.getEndpoint(),
                            request.getResourceName(),
                            inCallersContext ? Context.current() : Context.ROOT),
                    caller,
                    io.edgeplug.proto.v1beta1.Empty.getDefaultInstance());
        }
    }

    private final class V1alpha1 extends io.edgeplug.proto.v1alpha1.RegistrationGrpc.RegistrationImplBase {
        @Override
        public void register(
                io.edgeplug.proto.v1alpha1.RegisterRequest request,
                StreamObserver<io.edgeplug.proto.v1alpha1.Empty> caller) {
            accept(
                    new Call(
                            DevicePluginApi.V1ALPHA1,
                            request.getVersion(),
                            request.getEndpoint(),
                            request.getResourceName(),
                            // This context ends with the answer, which comes before the plugin is dialled.
                            Context.ROOT),
                    caller,
                    io.edgeplug.proto.v1alpha1.Empty.getDefaultInstance());
        }
    }

    private <T> void accept(Call call, StreamObserver<T> caller, T empty) {
        // Without this handler, answering a caller who gave up would throw.
        ((ServerCallStreamObserver<T>) caller).setOnCancelHandler(() -> {});
        try {
            clients.execute(() -> serve(call, caller, empty));
        } catch (RejectedExecutionException e) {
            caller.onError(Status.UNAVAILABLE
                    .withDescription("the kubelet is stopping")
                    .withCause(e)
                    .asRuntimeException());
        }
    }

    private <T> void serve(Call call, StreamObserver<T> caller, T empty) {
        begun.join();
        boolean answered = false;
        Endpoint endpoint;
        try {
            checkVersion(call);
            ResourceName resource = resource(call.resource());
            Path socket = socket(call.endpoint());
            // By the proposal, a plugin of v1alpha1 serves only once it has its answer.
            answered = call.api() == DevicePluginApi.V1ALPHA1;
            if (answered) {
                answer(caller, empty);
            }
            endpoint = clients.connect(call.api(), resource, socket, call.caller());
        } catch (PluginException e) {
            ledger.tell(new KubeletEvent.RegistrationRefused(call.resource(), e.reason()));
            if (!answered) {
                caller.onError(Status.UNKNOWN.withDescription(e.reason()).asRuntimeException());
            }
            return;
        }
        if (!answered) {
            answer(caller, empty);
        }
        clients.follow(endpoint);
    }

    static <T> void answer(StreamObserver<T> caller, T empty) {
        caller.onNext(empty);
        caller.onCompleted();
    }

    private static void checkVersion(Call call) throws PluginException {
        if (!call.version().equals(call.api().word())) {
            throw new PluginException(
                    "requested API version \"%s\" is not supported by kubelet. Supported version is [\"%s\"]"
                            .formatted(call.version(), call.api().word()));
        }
    }

    static ResourceName resource(String name) throws PluginException {
        try {
            return ResourceName.parse(name);
        } catch (IllegalArgumentException e) {
            throw new PluginException("the ResourceName \"" + name + "\" is invalid");
        }
    }

    /**
     * The endpoint is joined to the directory as it is. So it may be a path, and an empty one is the directory itself.
     */
    private Path socket(String endpoint) throws PluginException {
        try {
            return Path.of(directory.toString(), endpoint).normalize();
        } catch (InvalidPathException e) {
            throw new PluginException("failed to dial device plugin: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        LocalKubelet.end(server);
    }
}
