package io.edgeplug.model.custody;

import static io.edgeplug.model.custody.Events.CLAIM;
import static io.edgeplug.model.custody.Events.LATER;
import static io.edgeplug.model.custody.Events.POD;
import static io.edgeplug.model.custody.Events.START;
import static io.edgeplug.model.custody.Events.after;
import static io.edgeplug.model.custody.Events.claimed;
import static io.edgeplug.model.custody.Events.noted;
import static io.edgeplug.model.custody.Events.noting;
import static io.edgeplug.model.custody.Events.traced;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.FunctionBuilder;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.VirtualFunction;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which devices a scrub of another one would change, and which are of one IOMMU group. */
final class KinTest {

    private static final PciAddress PF = new PciAddress(0, 0x3b, 0, 0);

    private final Custodian custodian = new Custodian();

    private static VirtualFunction vf(int index) {
        return new VirtualFunction(
                new FunctionBuilder(new PciAddress(0, 0x3b, 1, index)).build(),
                PF,
                index,
                List.of("ens1f0"),
                List.of(),
                Optional.empty(),
                Health.HEALTHY);
    }

    private void give(VirtualFunction vf) {
        Face face = new Face(vf.id(), "vf", true, false, false, OptionalInt.empty());
        custodian.tell(
                vf.id(), new Event.Given(Set.of(vf.id()), face, vf, User.Grant.of(vf.index(), 0, Instant.EPOCH)));
    }

    /** A reset of a PF removes or resets its VFs, which have addresses of their own. */
    @Test
    void physicalFunctionAndItsVfsAreKinAndTwoVfsAreNot() {
        give(vf(0));
        give(vf(2));

        assertThat(custodian.isKinHeld(PF.toString())).isTrue();
        assertThat(custodian.isKinHeld(vf(0).id())).isFalse();
        assertThat(custodian.isKinHeld(vf(1).id())).isFalse();
        Face pf = new Face(PF.toString(), "nic", true, false, false, OptionalInt.empty());
        assertThat(custodian.listed(pf)).as("a PF is offered beside its VFs").isEmpty();

        custodian.tell(vf(0).id(), Events.noted(Events.LATER));
        assertThat(custodian.isKinHeld(PF.toString())).isTrue();
        assertThat(custodian.isFunctionHeld(PF))
                .as("its return to its host driver would remove the VF")
                .isTrue();
        custodian.tell(vf(2).id(), Events.noted(Events.LATER));
        assertThat(custodian.isKinHeld(PF.toString())).isFalse();
        assertThat(custodian.isFunctionHeld(PF)).isFalse();
        assertThat(custodian.areAllFree()).isTrue();
    }

    /** A daemon may begin before a device has its driver, and nobody sees its IOMMU group until then. */
    @Test
    void groupOfAHoldIsLearnedOnceItIsSeenAndIsNotForgotten() {
        Event unbound = noted(START, new Event.Noting("A", POD, "nic", OptionalInt.empty(), Optional.empty(), false));
        Event bound = noted(LATER, noting("A", POD, "nic"));

        assertThat(after(unbound).group()).isEmpty();
        assertThat(after(unbound, bound).group()).hasValue(7);
        assertThat(after(unbound, bound, unbound).group()).hasValue(7);
    }

    @Test
    void groupOfAClaimIsLearnedWhenItIsPreparedAgain() {
        Event unbound = noted(START, new Event.Noting("A", CLAIM, "nic", OptionalInt.empty(), Optional.empty(), false));

        assertThat(after(unbound, new Event.Given(Set.of("A"), claimed("nic"), Events.DEVICE, CLAIM))
                        .group())
                .hasValue(7);
    }

    @Test
    void groupOfALastUserIsLearnedWithItsTraces() {
        Event seen = new Event.Traced(
                Optional.of(new Traces(Set.of("pod"), Optional.of("nic"), false).in(OptionalInt.of(7))));

        assertThat(after(traced("pod"), new Event.Unread()).group()).isEmpty();
        assertThat(after(traced("pod"), new Event.Unread(), seen).group()).hasValue(7);
    }
}
