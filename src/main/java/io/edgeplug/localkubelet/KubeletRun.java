package io.edgeplug.localkubelet;

import io.edgeplug.linux.UnixRpc;
import java.io.IOException;
import java.nio.file.Path;

/** A kubelet from one start to the next: what plugins reach, and those it has reached. */
record KubeletRun(RegistrationServer server, Clients clients) implements AutoCloseable {

    static KubeletRun open(UnixRpc rpc, Path directory, KubeletOptions options, Deadlines deadlines, Ledger ledger)
            throws IOException {
        Clients clients = new Clients(rpc, ledger, options, deadlines);
        try {
            return new KubeletRun(RegistrationServer.open(directory, options, ledger, clients), clients);
        } catch (IOException | RuntimeException e) {
            clients.close();
            throw e;
        }
    }

    @Override
    public void close() {
        server.close();
        clients.close();
    }
}
