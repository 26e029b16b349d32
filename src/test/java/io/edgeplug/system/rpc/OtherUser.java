package io.edgeplug.system.rpc;

import io.edgeplug.system.files.NeedsRoot;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** A thread of another user, as which only root can run one. Each thread that it starts is that user's too. */
public final class OtherUser {

    /** That of nobody. */
    public static final int UID = 65_534;

    private static final long SETRESUID = switch (System.getProperty("os.arch")) {
        case "amd64" -> 117;
        default -> 147;
    };

    private OtherUser() {}

    /** Calls this as that user; see {@link NeedsRoot}. */
    public static <T> T call(Callable<T> task) throws Exception {
        NeedsRoot.Condition.check();
        FutureTask<T> result = new FutureTask<>(() -> {
            becomeOther();
            return task.call();
        });
        Thread.ofPlatform().name("other user").start(result).join();
        return result.resultNow();
    }

    /** The system call is of one thread; the function of the C library would be of all. */
    @SuppressWarnings("restricted")
    private static void becomeOther() throws Exception {
        Linker linker = Linker.nativeLinker();
        ValueLayout.OfLong number = ValueLayout.JAVA_LONG;
        MethodHandle syscall = linker.downcallHandle(
                linker.defaultLookup().find("syscall").orElseThrow(),
                FunctionDescriptor.of(number, number, number, number, number),
                Linker.Option.firstVariadicArg(1));
        try {
            long failed = (long) syscall.invokeExact(SETRESUID, -1L, (long) UID, -1L);
            if (failed != 0) {
                throw new IllegalStateException("cannot become another user");
            }
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
