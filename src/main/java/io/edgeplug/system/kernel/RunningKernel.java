package io.edgeplug.system.kernel;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

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
        int descriptor = (int) KernelCalls.checked(
                KernelCalls.open(node.toString(), KernelCalls.O_RDWR | KernelCalls.O_CLOEXEC | KernelCalls.O_NOFOLLOW));
        try {
            ByteBuffer argument = call.argument().duplicate().order(ByteOrder.nativeOrder());
            argument.putLong(call.addressAt(), KernelCalls.address(call.memory()));
            return (int) KernelCalls.checked(KernelCalls.ioctl(
                    descriptor, Integer.toUnsignedLong(call.request()), KernelCalls.address(call.argument())));
        } finally {
            KernelCalls.close(descriptor);
            Reference.reachabilityFence(call);
        }
    }

    @Override
    public void open(Path node) throws IOException {
        FileChannel.open(node, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)
                .close();
    }
}
