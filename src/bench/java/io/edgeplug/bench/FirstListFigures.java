package io.edgeplug.bench;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.proto.v1beta1.Empty;
import io.edgeplug.proto.v1beta1.ListAndWatchResponse;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** From nothing to the kubelet's first list of a full node, and how long that list is. */
final class FirstListFigures implements Section {

    private static final int FUNCTIONS = 4096 + 17;
    private static final int VFS = 4096;
    private static final int ROUNDS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "first-list";
    }

    @Override
    public void measure(Consumer<Figure> figures) throws Exception {
        Samples samples = new Samples();
        long bytes = 0;
        String tree = BigNode.tree(FUNCTIONS);
        for (int i = 0; i < ROUNDS; i++) {
            long[] began = new long[1];
            long[] came = new long[1];
            Rig.Events events = node -> {
                // the node's files are there: from here on it is edgeplug
                began[0] = System.nanoTime();
                return node.uevents();
            };
            Consumer<KubeletEvent> listener = event ->
                    came[0] = event instanceof KubeletEvent.DeviceList && came[0] == 0 ? System.nanoTime() : came[0];
            try (Rig rig = Rig.open(tree, List.of(BigNode.allVfs()), events, Duration.ZERO, listener)) {
                Path socket = rig.socket(BigNode.allVfs().resource(), VFS);
                samples.add(came[0] - began[0]);
                bytes = bytes(socket);
            }
        }
        figures.accept(samples.millis("scan -> first list of 4,096 VFs").with(Target.p99(1000)));
        figures.accept(Figure.single("list of 4,096 VFs, of each", "B", (double) bytes / VFS));
    }

    private static long bytes(Path socket) throws IOException {
        try (UnixRpc rpc = UnixRpc.open()) {
            ListAndWatchResponse list = DevicePluginGrpc.newBlockingStub(rpc.dial(socket))
                    .withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .listAndWatch(Empty.getDefaultInstance())
                    .next();
            return list.getSerializedSize();
        }
    }
}
