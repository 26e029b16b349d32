package io.edgeplug.model.rules;

import io.edgeplug.model.rules.Step.Vf;
import io.edgeplug.system.kernel.LinkAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What a claim has chosen of what its class leaves to claims.
 *
 * @param vf settings of its VF
 * @param image what its FPGA is programmed with
 * @param name of its interface in the pod
 * @param addresses of that interface; none if those of the class stay
 */
public record ClaimChoice(Vf vf, Optional<Image> image, Optional<String> name, List<LinkAddress> addresses) {

    /** All is as the class says. */
    public static final ClaimChoice NONE = new ClaimChoice(Vf.NONE, Optional.empty(), Optional.empty(), List.of());

    public ClaimChoice {
        addresses = List.copyOf(addresses);
    }

    /** Only an image. */
    public static ClaimChoice of(Image image) {
        return new ClaimChoice(Vf.NONE, Optional.of(image), Optional.empty(), List.of());
    }

    /** Both choices; where both say something, the later one prevails. */
    public ClaimChoice and(ClaimChoice later) {
        return new ClaimChoice(
                new Vf(
                        later.vf.mac().or(vf::mac),
                        later.vf.vlan().isPresent() ? later.vf.vlan() : vf.vlan(),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalInt.empty(),
                        later.vf.maxRate().isPresent() ? later.vf.maxRate() : vf.maxRate(),
                        Optional.empty()),
                later.image.or(() -> image),
                later.name.or(() -> name),
                later.addresses.isEmpty() ? addresses : later.addresses);
    }

    /** A step of the class's recipe with what was chosen in its place; what the step does not say stays unsaid. */
    Step in(Step step) {
        return switch (step) {
            case Vf said -> in(said);
            case Step.Program program -> image.map(program::with).orElse(program);
            case Step.Reset reset -> reset;
            case Step.Driver driver -> driver;
            case Step.Command command -> command;
            case Step.Interface moved -> in(moved);
        };
    }

    private Step.Interface in(Step.Interface moved) {
        return new Step.Interface(
                name.orElse(moved.name()),
                moved.mtu(),
                addresses.isEmpty()
                        ? moved.addresses()
                        : addresses.stream()
                                .map(address -> new Template(address.toString(), Set.of()))
                                .toList(),
                addresses.isEmpty() ? moved.addressesFile() : Optional.empty());
    }

    private Vf in(Vf said) {
        return new Vf(
                said.mac().flatMap(own -> vf.mac().or(() -> Optional.of(own))),
                said.vlan().isPresent() && vf.vlan().isPresent() ? vf.vlan() : said.vlan(),
                said.trust(),
                said.spoofCheck(),
                said.minRate(),
                said.maxRate().isPresent() && vf.maxRate().isPresent() ? vf.maxRate() : said.maxRate(),
                said.linkState());
    }
}
