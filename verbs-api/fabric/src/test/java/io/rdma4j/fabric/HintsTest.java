/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What can be asked for, and what cannot. */
@Timeout(60)
class HintsTest {
    @Test
    void aNewOneAsksForNothingAndOffersNothing() {
        final Hints hints = new Hints();
        assertThat(hints.apiVersion()).isEqualTo(2 << 16);
        assertThat(hints.capabilities()).isEmpty();
        assertThat(hints.mrMode()).isEmpty();
        assertThat(hints.demanded()).isEmpty();
        assertThat(hints.localMr()).isFalse();
        assertThat(hints.authKey()).isEmpty();
        assertThat(hints.atLeast()).isEqualTo(new DomainAttributes(0, 0, 0, 0, 0, 0, 0, 0, 0));
        assertThat(hints).extracting(Hints::address, Hints::context, Hints::provider, Hints::fabricName,
            Hints::domainName, Hints::endpointType, Hints::addressFormat).containsOnlyNulls();
    }

    @Test
    void keepsWhatItIsTold() {
        final Hints hints = new Hints().apiVersion(1, 22).address("emulated:").provider("p").fabricName("f")
            .domainName("d").capabilities(Capability.MSG, Capability.RMA).mrMode(MrMode.RAW, MrMode.LOCAL)
            .demand(MrMode.RAW).localMr(true).endpointType(EndpointType.RDM).addressFormat(AddressFormat.STR)
            .mrCount(5).mrIovLimit(6);
        assertThat(hints.apiVersion()).isEqualTo(1 << 16 | 22);
        assertThat(hints).extracting(Hints::address, Hints::provider, Hints::fabricName, Hints::domainName)
            .containsExactly("emulated:", "p", "f", "d");
        assertThat(hints.capabilities()).containsExactly(Capability.MSG, Capability.RMA);
        assertThat(hints.mrMode()).containsExactly(MrMode.LOCAL, MrMode.RAW);
        assertThat(hints.demanded()).containsExactly(MrMode.RAW);
        assertThat(hints.localMr()).isTrue();
        assertThat(hints.endpointType()).isEqualTo(EndpointType.RDM);
        assertThat(hints.addressFormat()).isEqualTo(AddressFormat.STR);
        assertThat(hints.atLeast()).isEqualTo(new DomainAttributes(0, 6, 5, 0, 0, 0, 0, 0, 0));
        assertThat(hints.mrModeBits(0x24).mrMode()).containsExactly(MrMode.LOCAL, MrMode.ALLOCATED);
    }

    @Test
    void whatItWasGivenAndWhatItGivesAreCopies() {
        final byte[] key = {1, 2};
        final Set<MrMode> modes = EnumSet.of(MrMode.RAW);
        final Hints hints = new Hints().authKey(key).mrMode(modes).demand(modes);
        key[0] = 9;
        modes.clear();
        hints.authKey()[1] = 9;
        hints.mrMode().clear();
        hints.demanded().clear();
        hints.capabilities().add(Capability.MSG);
        assertThat(hints.authKey()).containsExactly(1, 2);
        assertThat(hints.mrMode()).containsExactly(MrMode.RAW);
        assertThat(hints.demanded()).containsExactly(MrMode.RAW);
        assertThat(hints.capabilities()).isEmpty();
        assertThat(hints.authKey(null).authKey()).isEmpty();
    }

    static List<Executable> mistakes() {
        final Hints hints = new Hints();
        final Set<MrMode> holey = new HashSet<>();
        holey.add(null);
        return List.of(
            () -> hints.capabilities((Capability) null), () -> hints.capabilities((Set<Capability>) null),
            () -> hints.capabilities(Capability.MSG, (Capability[]) null),
            () -> hints.capabilities(Capability.MSG, (Capability) null),
            () -> hints.mrMode((MrMode) null), () -> hints.mrMode((Set<MrMode>) null), () -> hints.mrMode(holey),
            () -> hints.demand((MrMode) null), () -> hints.demand((Set<MrMode>) null), () -> hints.demand(holey),
            () -> hints.atLeast(null), () -> hints.mrCount(-1), () -> hints.mrIovLimit(Integer.MIN_VALUE),
            () -> hints.atLeast(new DomainAttributes(-1, 0, 0, 0, 0, 0, 0, 0, 0)),
            () -> hints.atLeast(new DomainAttributes(0, 0, 0, -1, 0, 0, 0, 0, 0)),
            () -> hints.atLeast(new DomainAttributes(0, 0, 0, 0, -1, 0, 0, 0, 0)),
            () -> hints.atLeast(new DomainAttributes(0, 0, 0, 0, 0, -1, 0, 0, 0)),
            () -> hints.atLeast(new DomainAttributes(0, 0, 0, 0, 0, 0, -1, 0, 0)),
            () -> hints.atLeast(new DomainAttributes(0, 0, 0, 0, 0, 0, 0, -1, 0)),
            () -> hints.atLeast(new DomainAttributes(0, 0, 0, 0, 0, 0, 0, 0, -1)));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void mistakesAreInvalid(final Executable mistake) {
        assertThatThrownBy(mistake::execute).isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_EINVAL));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "-1, 0", "1, -1", "65536, 0", "1, 65536"})
    void numbersThatAreNoVersion(final int major, final int minor) {
        assertThatThrownBy(() -> new Hints().apiVersion(major, minor)).isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_EINVAL));
    }

    @Test
    void bitsThatAreNoneAreRefused() {
        assertThatThrownBy(() -> new Hints().mrModeBits(1 << 12)).isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_EBADFLAGS));
    }

    @Test
    void attributesAreDescribedBySetsThatNobodyChanges() {
        final Set<Capability> caps = EnumSet.of(Capability.MSG);
        final Set<MessageOrder> order = EnumSet.of(MessageOrder.SAS);
        final TransmitAttributes transmit = new TransmitAttributes(caps, order, CompletionOrder.NONE, 0, 1, 1, 0);
        final ReceiveAttributes receive = new ReceiveAttributes(caps, order, CompletionOrder.NONE, 1, 1, 1);
        caps.clear();
        order.clear();
        assertThat(transmit.capabilities()).containsExactly(Capability.MSG);
        assertThat(receive.messageOrder()).containsExactly(MessageOrder.SAS);
        assertThatThrownBy(() -> transmit.capabilities().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> new TransmitAttributes(null, order, CompletionOrder.NONE, 0, 1, 1, 0))
            .isInstanceOf(FabricException.class);
        assertThatThrownBy(() -> new ReceiveAttributes(caps, null, CompletionOrder.NONE, 1, 1, 1))
            .isInstanceOf(FabricException.class);
        assertThatThrownBy(() -> new Survey(null, List.of(), false)).isInstanceOf(FabricException.class);
        assertThatThrownBy(() -> new Survey(List.of(), null, false)).isInstanceOf(FabricException.class);
    }
}
