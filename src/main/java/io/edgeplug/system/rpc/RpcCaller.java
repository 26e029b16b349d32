package io.edgeplug.system.rpc;

/**
 * The process at the other end of a connection, as the kernel reports it.
 *
 * @param pid 0 if it is in another PID namespace
 * @param connection closes the connection with all its calls; does not wait
 */
public record RpcCaller(int pid, int uid, Runnable connection) {

    /** Closes the connection, even if the other end does not read. */
    public void hangUp() {
        connection.run();
    }
}
