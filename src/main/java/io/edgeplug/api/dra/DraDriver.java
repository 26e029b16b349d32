package io.edgeplug.api.dra;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.container.ClaimMetadata;
import io.edgeplug.node.container.ClaimSpecs;
import io.edgeplug.node.pods.KubeletClaims;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.supply.CustodyThread;
import io.edgeplug.node.supply.Preparations;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.node.supply.Supplies;
import io.edgeplug.node.supply.Supply;
import io.edgeplug.system.flow.Follower;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Outcomes;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The node's driver for Dynamic Resource Allocation. While it is open, it serves the classes that ask for it. */
public final class DraDriver implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(DraDriver.class.getName());

    /** How long to wait until the slices have lost the devices that the device plugin offers from then on. */
    private static final Duration WITHDRAWN_WITHIN = Duration.ofSeconds(5);

    /** A pod waits in vain if nobody prepares its devices, so the scheduler is told of a longer outage. */
    private static final Duration LONGEST_OUTAGE = Duration.ofMinutes(2);

    /** How long a device is kept from other claims after its preparation has failed once. */
    private static final Duration UNFIT = Duration.ofMinutes(5);

    /** How long slices wait until it is known whether it has them. */
    private static final Duration RIGHTS_WITHIN = Duration.ofSeconds(3);

    /** The directory below that of the driver for what containers are told of their devices. */
    private static final String METADATA = "dra-device-metadata";

    private final List<Supply> supplies;
    private final Preparations preparations;
    private final Offers offers;
    private final UnixRpc rpc;
    private final ApiServer api;
    private final SlicePublisher publisher;
    private final ClaimFiles files;
    private final Claims prepared;
    private final HealthService health;
    private final ClaimStatus status;
    private final AwaitedClaims awaited;
    private final ClaimWatch watch;
    private final ForgottenClaims forgotten;

    /** Kept in a field, because the same object must be removed again. */
    private final Runnable preparationListener;

    private final DraSockets sockets;
    private final List<Follower> followers;

    /**
     * The place of a driver.
     *
     * @param driver its name
     * @param nodeName the name of the node; empty if the identity has it
     * @param kubeconfig the file with the identity; empty for the kubelet's own
     * @param kubeletDir the kubelet's directory for device plugins, where it listens
     * @param kubeletRoot the kubelet's root directory, with a directory for each driver
     * @param registry the directory that the kubelet's plugin watcher follows
     * @param cdi the directory in which the container runtime finds CDI specifications
     * @param boot a file that does not survive a boot of the node
     * @param cgroups where cgroups are mounted
     */
    public record Place(
            String driver,
            Optional<String> nodeName,
            Optional<Path> kubeconfig,
            Path kubeletDir,
            Path kubeletRoot,
            Path registry,
            Path cdi,
            Path boot,
            Path cgroups) {

        /** The directory of the driver itself, which it has from the kubelet. */
        private Path directory() {
            return kubeletRoot.toAbsolutePath().resolve("plugins").resolve(driver);
        }
    }

    /**
     * Serves the kubelet. Once the kubelet has accepted the driver, also publishes the devices.
     *
     * @param claims the claims that are prepared already
     * @param custody follows which claims hold which devices
     * @throws IOException if another process serves its sockets, or they cannot be watched
     */
    public DraDriver(Place place, Supplies all, Preparations preparations, PreparedClaims claims, CustodyThread custody)
            throws IOException {
        this.supplies = all.each().stream()
                .filter(supply -> supply.deviceClass().isClaimed())
                .toList();
        this.preparations = preparations;
        this.files = files(place, claims, all);
        List<Resource> resources = supplies.stream()
                .map(supply -> new Resource(supply, preparations, place.kubeletDir(), ids -> {}))
                .toList();
        this.rpc = UnixRpc.open(place.kubeletDir().toAbsolutePath().resolve("kubelet.sock"));
        this.api = new ApiServer(
                place.kubeconfig().orElseGet(Kubeconfig::ofKubelet),
                place.nodeName().orElse(null));
        KeptFields kept = new KeptFields(place.driver());
        this.watch = new ClaimWatch(
                api,
                place.driver(),
                () -> kept.fields().contains(SliceField.BINDING),
                isAnyPreparedBeforeBinding(),
                this::heard,
                LONGEST_OUTAGE);
        this.offers = new Offers(supplies, all, claims, kept, watch::isFollowing, UNFIT);
        this.publisher = new SlicePublisher(api, place.driver(), kept, offers::now);
        this.health = new HealthService(api, offers::health, HealthService.REPETITION);
        this.preparationListener = publisher::wake;
        files.recover();
        ClaimSource source = new ClaimSource(api, place.driver(), resources);
        KubeletClaims kubelet = new KubeletClaims(place.kubeletRoot(), place.cgroups());
        this.prepared = new Claims(source, files, custody, kubelet, preparations.failures(), this::claimsChanged);
        this.status = new ClaimStatus(source, files, offers::health, prepared::refusal, watch);
        this.awaited = new AwaitedClaims(prepared, source, files, status, offers, publisher, watch);
        this.forgotten = new ForgottenClaims(prepared, source, files, kubelet, preparations.failures());
        this.sockets = sockets(place);
        publisher.start();
        watch.start();
        // A scrub may begin and end before the stock reports it.
        preparations.addListener(preparationListener);
        this.followers = supplies.stream().map(supply -> follow(supply, all)).toList();
    }

    private boolean isAnyPreparedBeforeBinding() {
        return supplies.stream()
                .anyMatch(supply -> supply.deviceClass().claims().isPreparedBeforeBinding());
    }

    private static ClaimFiles files(Place place, PreparedClaims claims, Supplies all) throws IOException {
        return new ClaimFiles(
                claims,
                new ClaimSpecs(place.cdi()),
                new ClaimMetadata(place.directory().resolve(METADATA)),
                new ClaimInterfaces(all::podInterface),
                NodeBoot.of(place.boot()));
    }

    /**
     * Gives back what was prepared before pods were bound, where no driver is open that does so. No container has these
     * devices, and nobody releases them.
     *
     * @throws IOException if the notes of it cannot be removed
     */
    public static void giveBackAhead(Place place, PreparedClaims claims, Supplies all) throws IOException {
        ClaimFiles files = files(place, claims, all);
        files.recover();
        for (PreparedClaim claim : claims.all()) {
            if (claim.isAhead()) {
                files.remove(claim.uid());
            }
        }
    }

    private Follower follow(Supply supply, Supplies all) {
        return supply.stock()
                .follow(Front.DRA, "stock of " + supply.deviceClass().resource(), Duration.ZERO, newest -> {
                    publisher.wake();
                    health.wake();
                    status.wake();
                    prepared.look();
                    // A claim keeps its interface also if a reload takes that out of the class.
                    if (all.areInterfacesInPods()) {
                        files.followInterfaces();
                    }
                });
    }

    private void claimsChanged() {
        publisher.wake();
        status.wake();
        awaited.wake();
    }

    private void heard(ClaimNews news) {
        awaited.hear(news);
        // Most claims are of other nodes.
        if (news.areAll()
                || news.claims().stream()
                        .anyMatch(one -> files.notes().of(one.name().uid()).isPresent())) {
            forgotten.wake();
        }
    }

    /** The kubelet has accepted the driver. Slices should not say first that nobody waits for their devices. */
    private void accepted() {
        forgotten.wake();
        Front.DRA.virtual("first slices").start(() -> {
            try {
                watch.awaitKnown(RIGHTS_WITHIN);
                publisher.want();
            } catch (InterruptedException e) {
                LOG.finest("closed");
            }
        });
    }

    private DraSockets sockets(Place place) throws IOException {
        try {
            return new DraSockets(
                    rpc,
                    place.driver(),
                    place.directory().resolve("dra.sock"),
                    place.registry().toAbsolutePath().resolve(place.driver() + "-reg.sock"),
                    Stream.of(new DraService(prepared).services(), health.services())
                            .flatMap(List::stream)
                            .toList(),
                    this::accepted);
        } catch (IOException e) {
            api.close();
            rpc.close();
            throw e;
        }
    }

    /** The resources of the driver's classes. */
    public Set<ResourceName> resources() {
        return supplies.stream().map(supply -> supply.deviceClass().resource()).collect(Collectors.toSet());
    }

    public SliceStatus slices() {
        return publisher.status();
    }

    /** Why no device is prepared before a pod is bound, although a class asks for it; empty if they are. */
    public Optional<String> obstacleToEarlyPreparation() {
        return watch.obstacle();
    }

    /** How many claims were prepared, and how many could not be prepared. */
    public Outcomes.Counts preparations() {
        return prepared.preparations();
    }

    /** Whether the kubelet has accepted the driver. */
    public boolean isRegistered() {
        return sockets.isRegistered();
    }

    /** Removes devices from the slices that the device plugin offers from now on. Waits for that up to 5 s. */
    public void withdraw(Set<ResourceName> resources) throws InterruptedException {
        if (supplies.stream()
                .anyMatch(one -> resources.contains(one.deviceClass().resource()))) {
            offers.withdraw(resources);
            publisher.awaitPublished(WITHDRAWN_WITHIN);
        }
    }

    /** Removes the sockets. The slices stay, and the kubelet deletes them if no driver comes back within 30 s. */
    @Override
    public void close() throws IOException {
        preparations.removeListener(preparationListener);
        followers.forEach(Follower::close);
        watch.close();
        sockets.close();
        awaited.close();
        forgotten.close();
        files.close();
        status.close();
        publisher.close();
        api.close();
        rpc.close();
    }
}
