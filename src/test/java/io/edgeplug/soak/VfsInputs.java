package io.edgeplug.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** VFs at boot with an {@code ip} that never ends and a file of the kernel that never answers. */
final class VfsInputs {

    private static final int RELOADS = 20;
    private static final long PAUSE_MILLIS = 1_000;
    private static final int MOST_THREADS = 100;

    /** As in the unit. */
    private static final long END_SECONDS = 30;

    @SuppressWarnings("InlineFormatString") // in its place it would hide what it is filled with
    private static final String CONFIG = """
            kubelet_dir = "%s"
            cdi_dir = "%s"
            device_info_dir = "%s"
            settle = "1ms"
            [[class]]
            resource = "%s"
            kind = "path"
            match = { paths = ["%s/*"] }
            """;

    /** The settings of the first are set by {@code ip}; the number of the second cannot be read. */
    @SuppressWarnings("InlineFormatString") // as above
    private static final String WANTED = """
            [[vfs]]
            count = 248
            max_tx_rate = %d
            match = { pf_names = ["ens2f0"] }
            [[vfs]]
            count = 2
            match = { pf_names = ["ens3f0"] }
            """;

    private VfsInputs() {}

    static List<Production> all() {
        return List.of(new Production("vfs-tools-hang", 1, VfsInputs::toolsHang));
    }

    private static int toolsHang(Attack attack, Random random) throws Exception {
        Ground ground = Ground.lay();
        Path ip = ground.program("ip", "touch " + runs(ground) + "; exec sleep 1000");
        Files.writeString(ground.function("0000:3c:00.0").resolve("sriov_totalvfs"), "256\n");
        Files.writeString(ground.function("0000:3e:00.0").resolve("sriov_totalvfs"), "256\n");
        Path number = ground.function("0000:3e:00.0").resolve("sriov_numvfs");
        Files.delete(number);
        Libc.INSTANCE.mkfifo(number.toString(), 0600);
        Files.writeString(
                ground.config(),
                CONFIG.formatted(
                        ground.kubeletDir(),
                        ground.cdiDir(),
                        ground.deviceInfoDir(),
                        Ground.PROBE,
                        ground.sysroot().resolve("etc/probe")));
        wish(ground, 0);
        try (KubeletSide kubelet = new KubeletSide(attack.rpc(), ground.kubeletDir());
                Target target = Target.startOnNode(ground, ip)) {
            kubelet.come(KubeletSide::follow);
            if (!target.awaitReady(60)
                    || !kubelet.await(lists -> lists.containsKey(Ground.PROBE), Attack.PATIENCE_MILLIS)) {
                attack.found("does not start: " + Cleanliness.visible(target.lastWords()));
            } else {
                change(attack, ground, target);
            }
        }
        ground.delete();
        return RELOADS;
    }

    private static void change(Attack attack, Ground ground, Target target) throws IOException {
        try (Probe probe = Probe.start(attack.rpc(), () -> Attack.socket(ground, target, Ground.PROBE), target)) {
            for (int i = 1; i <= RELOADS && target.isAlive(); i++) {
                wish(ground, i);
                target.reload();
                attack.pass(PAUSE_MILLIS);
            }
            Probe.Result result = probe.result();
            if (result.longestMillis() > Verdict.LONGEST_MILLIS) {
                attack.found("tools of VFs hang, and Allocate took " + result.longestMillis() + " ms");
            }
            result.refused().ifPresent(text -> attack.found("tools of VFs hang, and Allocate was refused: " + text));
            if (result.threads() > MOST_THREADS) {
                attack.found("tools of VFs hang, and there were up to " + result.threads() + " threads");
            }
        }
        if (!Files.exists(runs(ground))) {
            attack.found("no tool of VFs has hung: " + Cleanliness.visible(target.lastWords()));
        }
        if (!target.end(END_SECONDS)) {
            attack.found("tools of VFs hang, and the daemon does not end within " + END_SECONDS + " s");
        }
    }

    /** Is made when the tool runs. */
    private static Path runs(Ground ground) {
        return ground.root().resolve("ip-runs");
    }

    private static void wish(Ground ground, int rate) throws IOException {
        ground.classes("many", WANTED.formatted(100 + rate));
    }
}
