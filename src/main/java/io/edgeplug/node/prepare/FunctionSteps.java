package io.edgeplug.node.prepare;

import io.edgeplug.model.rules.Step;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.system.flow.Front;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The steps of the kernel's PCI core: resets and drivers. A step that fails halfway is undone. */
record FunctionSteps(ChangeNotes changeNotes, HostDrivers hostDrivers, PciBinding binding) {

    /**
     * Resets the function. A driver that has made something of it is unbound first: with the interface of a VF down,
     * the kernel has hung for ever in a reset under the driver. It is bound again, unless the next step binds another one.
     */
    String reset(Step.Reset.Method method, @Nullable String nextDriver) throws IOException {
        boolean rebinds = method == Step.Reset.Method.REBIND;
        boolean unbinds = unbindsForReset(method);
        FunctionSettings before = FunctionSettings.of(binding);
        String other = unbinds ? boundInstead(method, nextDriver) : null;
        FunctionSettings after = other == null ? before : before.with(other);
        changing(before, () -> {
            if (other != null) {
                hostDrivers.remember(binding, before, other);
            }
            if (unbinds) {
                binding.unbind();
            }
            if (!rebinds) {
                select(method);
                binding.reset();
            }
            after.restore(binding);
        });
        String old = before.driver().orElse("");
        if (other != null) {
            return "without " + old + ", and bound to " + other;
        }
        return unbinds ? "under " + old + ", which was bound again" : "";
    }

    /**
     * The driver of the next step, if that is another one than before the reset. One that is not loaded fails in its own
     * step, and the function then has the driver that it had.
     */
    private @Nullable String boundInstead(Step.Reset.Method method, @Nullable String nextDriver) throws IOException {
        boolean differs = nextDriver != null
                && method != Step.Reset.Method.REBIND
                && !binding.driver().equals(Optional.of(nextDriver))
                && binding.isLoaded(nextDriver);
        return differs ? nextDriver : null;
    }

    /** What a reset would do to the bound driver. */
    String planReset(Step.Reset.Method method, @Nullable String nextDriver) throws IOException {
        if (!unbindsForReset(method)) {
            return "";
        }
        String without = ", without " + binding.driver().orElse("");
        return boundInstead(method, nextDriver) != null ? without : without + ", which is bound again afterwards";
    }

    private boolean unbindsForReset(Step.Reset.Method method) throws IOException {
        boolean rebinds = method == Step.Reset.Method.REBIND;
        if (rebinds && binding.driver().isEmpty()) {
            throw new IOException("no driver is bound to it");
        }
        refuseInterfaceElsewhere();
        checkOffered(method);
        return rebinds || binding.isInUseByDriver();
    }

    /** Binds the function to a driver, unless it is bound to it already. */
    String bind(String driver) throws IOException {
        if (isBound(driver)) {
            return "is bound already";
        }
        FunctionSettings before = FunctionSettings.of(binding);
        changing(before, () -> {
            hostDrivers.remember(binding, before, driver);
            binding.override(driver);
            if (before.driver().isPresent()) {
                binding.unbind();
            }
            binding.bind(driver);
        });
        return before.driver().map(old -> "was bound to " + old).orElse("");
    }

    /** Binds the function to its host driver, or to none if it had none. */
    String giveBackDriver(FunctionSettings had) throws IOException {
        refuseInterfaceElsewhere();
        changing(FunctionSettings.of(binding), () -> had.restore(binding));
        return had.driver()
                .map(driver -> "returned to its host driver " + driver)
                .orElse("has no driver, as before");
    }

    /** What binding it to a driver would do. */
    String planBind(String driver) throws IOException {
        return isBound(driver)
                ? ", which is bound already"
                : binding.driver().map(old -> ", instead of " + old).orElse("");
    }

    /** Whether it is bound to the driver. If not, checks that it can be. */
    private boolean isBound(String driver) throws IOException {
        if (binding.driver().equals(Optional.of(driver))) {
            return true;
        }
        if (!binding.isLoaded(driver)) {
            throw new IOException("the driver " + driver + " is not loaded");
        }
        refuseInterfaceElsewhere();
        return false;
    }

    /** Unbinding would destroy an interface that a container uses. */
    private void refuseInterfaceElsewhere() throws IOException {
        if (binding.isInUseByDriver() && binding.hasInterfaceElsewhere()) {
            throw new IOException("its network interface has been moved into a network namespace, as a CNI does");
        }
    }

    /** Keeps the note with the reason if the function may be neither in its old nor in its new state. */
    private void changing(FunctionSettings before, Front.Work<IOException> change) throws IOException {
        changeNotes.remember(binding.address(), before);
        Optional<String> left = Optional.of("its preparation was interrupted");
        try {
            change.run();
            left = Optional.empty();
        } catch (IOException e) {
            left = putBack(before);
            if (left.isPresent()) {
                throw new IOException(e.getMessage() + "; and it could not be restored: " + left.orElseThrow(), e);
            }
            throw e;
        } finally {
            if (left.isPresent()) {
                changeNotes.leave(binding.address(), before, left.orElseThrow());
            } else {
                changeNotes.forget(binding.address());
            }
        }
    }

    /** Why it could not be restored. A function that is gone needs no restoring. */
    private Optional<String> putBack(FunctionSettings before) {
        try {
            before.restore(binding);
            return Optional.empty();
        } catch (IOException e) {
            return DeviceScan.isThere(binding.sysfs(), binding.address())
                    ? Optional.of(String.valueOf(e.getMessage()))
                    : Optional.empty();
        }
    }

    private void checkOffered(Step.Reset.Method method) throws IOException {
        Optional<String> offered = binding.resetMethods();
        boolean isOffered = switch (method) {
            case FLR -> offered.map(methods -> words(methods).contains("flr")).orElse(true);
            case BUS -> offered.map(methods -> words(methods).contains("bus")).orElse(false);
            case FUNCTION, REBIND, USB -> true;
        };
        if (!isOffered) {
            throw new IOException("the kernel offers no " + method.word() + " for it, only: "
                    + offered.filter(methods -> !methods.isEmpty()).orElse("nothing"));
        }
    }

    /** The kernel resets by the first method that works. To use one method, the others are left out meanwhile. */
    private void select(Step.Reset.Method method) throws IOException {
        Optional<String> offered = binding.resetMethods();
        boolean isChoice = method == Step.Reset.Method.FLR || method == Step.Reset.Method.BUS;
        if (isChoice && offered.isPresent() && !offered.orElseThrow().equals(method.word())) {
            binding.resetMethods(method.word());
        }
    }

    private static List<String> words(String text) {
        return List.of(text.split("\\s+", -1));
    }
}
