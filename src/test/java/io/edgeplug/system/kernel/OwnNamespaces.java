package io.edgeplug.system.kernel;

import io.edgeplug.system.files.NeedsRoot;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Runs each test in network and mount namespaces of its own, with an empty {@code /run/udev} and its own {@code /sys}:
 * network interfaces and uevents of udevd stay in the test, and a udevd that runs outside is not seen.
 *
 * <p>Threads and processes that the test starts are in them too. Uevents of devices that are no network interfaces come
 * from outside as well, since they belong to all namespaces.
 */
public final class OwnNamespaces implements InvocationInterceptor {

    @Override
    public void interceptTestMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        run(test);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        run(test);
    }

    private static void run(Invocation<Void> test) throws Throwable {
        beginCarriers();
        Throwable[] thrown = new Throwable[1];
        Thread thread = Thread.ofPlatform().name("namespaces").daemon().start(() -> {
            try {
                enter();
                test.proceed();
            } catch (Throwable e) {
                thrown[0] = e;
            }
        });
        thread.join();
        if (thrown[0] != null) {
            throw thrown[0];
        }
    }

    /**
     * Begins all carriers of virtual threads, which the whole process shares: the test would begin them in its
     * namespaces, and later tests would run there. An idle one ends after half a minute.
     */
    private static void beginCarriers() throws InterruptedException {
        CountDownLatch left = new CountDownLatch(Runtime.getRuntime().availableProcessors());
        for (long i = left.getCount(); i > 0; i--) {
            Thread ignored = Thread.startVirtualThread(() -> {
                left.countDown();
                while (left.getCount() > 0) {
                    Thread.onSpinWait();
                }
            });
        }
        left.await();
    }

    private static void enter() throws Exception {
        TestCalls libc = TestCalls.load();
        NeedsRoot.Condition.check();
        Assumptions.assumeTrue(
                libc.unshare(TestCalls.CLONE_NEWNET | TestCalls.CLONE_NEWNS) == 0,
                "this machine gives nobody namespaces of its own");
        mount(libc, "none", "/", "none", TestCalls.MS_REC_PRIVATE);
        mount(libc, "sysfs", "/sys", "sysfs", 0);
        Files.createDirectories(Path.of("/run/udev"));
        mount(libc, "tmpfs", "/run/udev", "tmpfs", 0);
    }

    private static void mount(TestCalls libc, String source, String target, String type, long flags) {
        if (libc.mount(source, target, type, flags, 0) != 0) {
            throw new IllegalStateException("cannot mount " + target);
        }
    }
}
