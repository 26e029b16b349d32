package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;

/**
 * A function that is an FPGA as a whole: a user function of an AMD Alveo, or a function that has FPGA managers but no
 * regions.
 *
 * @param afuIds the image it is programmed with, 32 hexadecimal digits; none if it does not report it
 */
public record FpgaFunction(PciFunction function, List<String> afuIds, Health health) implements Fpga {

    public FpgaFunction {
        afuIds = List.copyOf(afuIds);
    }

    @Override
    public Optional<String> compatId() {
        return Optional.empty();
    }

    @Override
    public Kind kind() {
        return Kind.FPGA;
    }

    @Override
    public FpgaFunction withHealth(Health other) {
        return new FpgaFunction(function, afuIds, other);
    }
}
