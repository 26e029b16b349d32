package io.edgeplug.device;

import java.util.List;
import java.util.Optional;

/**
 * A function that is an FPGA as a whole: an AMD Alveo's user function, or one that has FPGA managers and no regions.
 *
 * @param afuIds what it is programmed with, 32 hexadecimal digits; none where it does not tell
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
