package io.edgeplug.system.kernel;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/** The kernel that runs this process. */
final class RunningKernel implements Kernel {

    @Override
    public void write(Path attribute, byte[] value) throws IOException {
        // An interrupt closes channels. Half of a step would be done then, and undoing it would fail too.
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
        KernelCalls calls = KernelCalls.load();
        int descriptor = (int) KernelCalls.checked(
                calls,
                calls.open(node.toString(), KernelCalls.O_RDWR | KernelCalls.O_CLOEXEC | KernelCalls.O_NOFOLLOW));
        try {
            Runtime runtime = Runtime.getRuntime(calls);
            ByteBuffer argument = call.argument().duplicate().order(ByteOrder.nativeOrder());
            argument.putLong(
                    call.addressAt(), Pointer.wrap(runtime, call.memory()).address());
            return (int) KernelCalls.checked(
                    calls,
                    calls.ioctl(
                            descriptor,
                            Integer.toUnsignedLong(call.request()),
                            Pointer.wrap(runtime, call.argument()).address()));
        } finally {
            calls.close(descriptor);
            Reference.reachabilityFence(call);
        }
    }

    @Override
    public void open(Path node) throws IOException {
        FileChannel.open(node, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)
                .close();
    }
}
