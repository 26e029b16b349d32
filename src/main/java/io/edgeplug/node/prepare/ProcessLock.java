package io.edgeplug.node.prepare;

import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.files.WholeFile;
import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock that many share or one has exclusively. Among threads it is a lock of Java, and among processes a lock on a
 * file, which the kernel releases if the process is killed.
 *
 * <p>The file is never deleted. Otherwise two processes could have a lock each, on two files of one name.
 */
public final class ProcessLock {

    private static final String DIRECTORY = "run/edgeplug/lock";

    private final Sysfs sysfs;
    private final String name;
    private final ReadWriteLock threads = new ReentrantReadWriteLock();

    // The fields below are guarded by this.
    private int holders;
    private @Nullable FileChannel file;

    /** The lock with that name on the node, such as {@code vfs}. */
    public ProcessLock(Sysfs sysfs, String name) {
        this.sysfs = sysfs;
        this.name = name;
    }

    /**
     * Waits for the lock.
     *
     * @throws IOException if the file cannot be locked
     */
    public void take(boolean alone) throws IOException, InterruptedException {
        Lock lock = threads(alone);
        lock.lockInterruptibly();
        boolean taken = false;
        try {
            takeFile(alone);
            taken = true;
        } catch (FileLockInterruptionException | ClosedByInterruptException e) {
            // The interrupt is reported by an exception, as a lock of threads does.
            Thread.interrupted();
            throw new InterruptedException(name);
        } finally {
            if (!taken) {
                lock.unlock();
            }
        }
    }

    /** Takes it exclusively if nobody has it. */
    boolean tryAlone() throws IOException {
        if (!threads.writeLock().tryLock()) {
            return false;
        }
        boolean taken = false;
        try {
            taken = tryFile();
            return taken;
        } finally {
            if (!taken) {
                threads.writeLock().unlock();
            }
        }
    }

    /** The thread that took the lock must call this. */
    public synchronized void giveBack(boolean alone) {
        holders--;
        if (holders == 0) {
            closeFile();
        }
        threads(alone).unlock();
    }

    /** The first thread that shares the lock locks the file for all of them. */
    private synchronized void takeFile(boolean alone) throws IOException {
        if (holders == 0) {
            FileChannel channel = open();
            file = channel;
            try {
                channel.lock(0, Long.MAX_VALUE, !alone);
            } catch (FileLockInterruptionException | ClosedByInterruptException e) {
                closeFile();
                throw e;
            } catch (IOException e) {
                closeFile();
                throw KernelReason.named(sysfs.locate(DIRECTORY + "/" + name), e);
            }
        }
        holders++;
    }

    private synchronized boolean tryFile() throws IOException {
        FileChannel channel = open();
        file = channel;
        FileLock lock = channel.tryLock();
        if (lock != null) {
            holders++;
        } else {
            closeFile();
        }
        return lock != null;
    }

    private FileChannel open() throws IOException {
        try {
            Path path = WholeFile.ownDirectory(sysfs.locate(DIRECTORY)).resolve(name);
            return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (AccessDeniedException e) {
            throw new IOException("no permission for " + e.getFile() + ", which takes root", e);
        }
    }

    /** Releases the lock too. */
    private void closeFile() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot close the lock " + name, e);
        }
        file = null;
    }

    private Lock threads(boolean alone) {
        return alone ? threads.writeLock() : threads.readLock();
    }
}
