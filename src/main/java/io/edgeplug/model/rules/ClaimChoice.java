package io.edgeplug.model.rules;

import io.edgeplug.model.rules.Step.Vf;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a claim has chosen of what its class leaves to claims.
 *
 * @param vf settings of its VF
 * @param image what its FPGA is programmed with
 */
public record ClaimChoice(Vf vf, Optional<Image> image) {

    /** All is as the class says. */
    public static final ClaimChoice NONE = new ClaimChoice(Vf.NONE, Optional.empty());

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
                later.image.or(() -> image));
    }

    /** A step of the class's recipe with what was chosen in its place; what the step does not say stays unsaid. */
    Step in(Step step) {
        return switch (step) {
            case Vf said -> in(said);
            case Step.Program program -> image.map(program::with).orElse(program);
            case Step.Reset reset -> reset;
            case Step.Driver driver -> driver;
            case Step.Command command -> command;
            case Step.Interface moved -> moved;
        };
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
