package io.edgeplug.lab.localkubelet;

import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A kubelet from one start to the next: the ways in which plugins come to it, and its connected plugins. */
record KubeletRun(RegistrationServer server, Optional<PluginsRegistry> registry, Clients clients)
        implements AutoCloseable {

    static KubeletRun open(UnixRpc rpc, Path directory, KubeletOptions options, Deadlines deadlines, Ledger ledger)
            throws IOException {
        Clients clients = new Clients(rpc, ledger, options, deadlines);
        try {
            RegistrationServer server = new RegistrationServer(directory, options, ledger, clients);
            try {
                return new KubeletRun(server, registry(options, ledger, clients), clients);
            } catch (IOException | RuntimeException e) {
                server.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            clients.close();
            throw e;
        }
    }

    private static Optional<PluginsRegistry> registry(KubeletOptions options, Ledger ledger, Clients clients)
            throws IOException {
        if (options.pluginsRegistry().isEmpty()) {
            return Optional.empty();
        }
        Path directory = options.pluginsRegistry().orElseThrow().toAbsolutePath();
        return Optional.of(new PluginsRegistry(directory, ledger, clients));
    }

    @Override
    public void close() {
        registry.ifPresent(PluginsRegistry::close);
        server.close();
        clients.close();
    }
}
