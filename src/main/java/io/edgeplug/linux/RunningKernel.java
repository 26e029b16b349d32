package io.edgeplug.linux;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/** The kernel that runs this process. */
final class RunningKernel implements Kernel {

    @Override
    public void write(Path attribute, byte[] value) throws IOException {
        // an interrupt closes channels: half of a step would be done, and the way back be closed too
        boolean interrupted = Thread.interrupted();
        try (FileChannel channel = FileChannel.open(attribute, StandardOpenOption.WRITE)) {
            int written = channel.write(ByteBuffer.wrap(value));
            if (written < value.length) {
                throw new IOException("took " + written + " of " + value.length + " bytes");
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public int ioctl(Path node, Ioctl call) throws IOException {
        Libc libc = Libc.load();
        int descriptor = checked(libc, libc.open(node.toString(), Libc.O_RDWR | Libc.O_CLOEXEC | Libc.O_NOFOLLOW));
        try {
            Runtime runtime = Runtime.getRuntime(libc);
            ByteBuffer argument = call.argument().duplicate().order(ByteOrder.nativeOrder());
            argument.putLong(
                    call.addressAt(), Pointer.wrap(runtime, call.memory()).address());
            return checked(
                    libc,
                    libc.ioctl(
                            descriptor,
                            Integer.toUnsignedLong(call.request()),
                            Pointer.wrap(runtime, call.argument()).address()));
        } finally {
            libc.close(descriptor);
            Reference.reachabilityFence(call);
        }
    }

    private static int checked(Libc libc, int result) throws IOException {
        if (result < 0) {
            throw new IOException(libc.strerror(Runtime.getRuntime(libc).getLastError()));
        }
        return result;
    }
}
