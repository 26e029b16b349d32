package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.proto.dra.v1.Claim;
import io.edgeplug.proto.dra.v1.DRAPluginGrpc;
import io.edgeplug.proto.dra.v1.NodePrepareResourceResponse;
import io.edgeplug.proto.dra.v1.NodePrepareResourcesRequest;
import io.edgeplug.proto.dra.v1.NodeUnprepareResourceResponse;
import io.edgeplug.proto.dra.v1.NodeUnprepareResourcesRequest;
import io.edgeplug.proto.pluginregistration.InfoRequest;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import io.edgeplug.proto.pluginregistration.RegistrationGrpc;
import io.edgeplug.proto.pluginregistration.RegistrationStatus;
import io.edgeplug.system.files.DirectoryWatch;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The kubelet's side of the driver's sockets. */
final class DraKubelet implements AutoCloseable {

    private final Path directory;
    private final UnixRpc rpc;

    /** The UIDs of the claims for which it has asked, until they are released. Guarded by this. */
    private final Set<String> noted = new TreeSet<>();

    private DraKubelet(Path directory, UnixRpc rpc) {
        this.directory = directory;
        this.rpc = rpc;
    }

    /** A kubelet with that root directory. */
    static DraKubelet open(Path directory) throws IOException {
        DraKubelet kubelet = new DraKubelet(directory, UnixRpc.open());
        kubelet.lose();
        return kubelet;
    }

    /** Loses its notes of claims, as if somebody had deleted them before it was started. */
    void lose() throws IOException {
        note(noted::clear);
    }

    /** Changes the file that every kubelet has that knows claims. It is there at each moment, as with a kubelet. */
    private synchronized void note(Runnable change) throws IOException {
        change.run();
        Path file = Files.writeString(directory.resolve("dra_manager_state.new"), "{\"Data\":\"" + noted + "\"}");
        Path ignored = Files.move(file, directory.resolve("dra_manager_state"), StandardCopyOption.ATOMIC_MOVE);
    }

    private void noteOrFail(Runnable change) {
        try {
            note(change);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Treats the driver's socket like the plugin watcher of a kubelet. */
    PluginInfo register() throws Exception {
        Path socket = directory.resolve("plugins_registry/edgeplug.io-reg.sock");
        Deadline patience = Deadline.in(DraNode.PATIENCE);
        try (DirectoryWatch watch = DirectoryWatch.open(directory.resolve("plugins_registry"))) {
            while (!UnixRpc.isListening(socket)) {
                assertThat(patience.isOver()).as("%s", socket).isFalse();
                Object ignored = watch.await(Duration.ofSeconds(1));
            }
        }
        var channel = rpc.dial(socket);
        try {
            var stub = RegistrationGrpc.newBlockingStub(channel);
            PluginInfo info = stub.getInfo(InfoRequest.getDefaultInstance());
            Object ignored = stub.notifyRegistrationStatus(
                    RegistrationStatus.newBuilder().setPluginRegistered(true).build());
            return info;
        } finally {
            channel.shutdownNow();
        }
    }

    private interface Call<T> {
        T of(DRAPluginGrpc.DRAPluginBlockingStub stub);
    }

    private <T> T call(Call<T> call) {
        var channel = rpc.dial(directory.resolve("plugins/edgeplug.io/dra.sock"));
        try {
            return call.of(DRAPluginGrpc.newBlockingStub(channel));
        } finally {
            channel.shutdownNow();
        }
    }

    static Claim claim(String name) {
        return Claim.newBuilder()
                .setNamespace("default")
                .setName(name)
                .setUid("uid-of-" + name)
                .build();
    }

    Map<String, NodePrepareResourceResponse> prepare(Claim... claims) {
        NodePrepareResourcesRequest request = NodePrepareResourcesRequest.newBuilder()
                .addAllClaims(List.of(claims))
                .build();
        // It notes them first.
        noteOrFail(() -> List.of(claims).forEach(claim -> noted.add(claim.getUid())));
        return call(stub -> stub.nodePrepareResources(request)).getClaimsMap();
    }

    /** The outcome of one claim. */
    NodePrepareResourceResponse prepare(String name) {
        Claim claim = claim(name);
        return Optional.ofNullable(prepare(claim).get(claim.getUid())).orElseThrow();
    }

    NodeUnprepareResourceResponse unprepare(String name) {
        NodeUnprepareResourcesRequest request = NodeUnprepareResourcesRequest.newBuilder()
                .addClaims(claim(name))
                .build();
        NodeUnprepareResourceResponse answer = Optional.ofNullable(call(stub -> stub.nodeUnprepareResources(request))
                        .getClaimsMap()
                        .get(claim(name).getUid()))
                .orElseThrow();
        if (answer.getError().isEmpty()) {
            noteOrFail(() -> noted.remove(claim(name).getUid()));
        }
        return answer;
    }

    @Override
    public void close() {
        rpc.close();
    }
}
