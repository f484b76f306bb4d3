/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionOrder;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MessageOrder;
import io.rdma4j.fabric.MrMode;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What kinds of endpoints differ in. */
@Timeout(60)
class KindsTest {
    private static final Set<MrMode> ALL_BITS = EnumSet.range(MrMode.LOCAL, MrMode.COLLECTIVE);

    private static FabricInfo info(final DeviceTraits device, final EndpointType type, final Capability... asked)
        throws Unfit {
        final Set<Capability> set = EnumSet.noneOf(Capability.class);
        set.addAll(Set.of(asked));
        return Discovery.negotiate(
            device, new Hints().endpointType(type).capabilities(set).mrMode(ALL_BITS), true);
    }

    @Test
    void datagramsCarryMessagesAlone() throws Unfit {
        for (final DeviceTraits device : Profiles.NAMED) {
            final FabricInfo info = info(device, EndpointType.DGRAM);
            assertThat(info.capabilities()).as(device.address()).containsExactlyInAnyOrder(Capability.MSG,
                Capability.SEND, Capability.RECV, Capability.LOCAL_COMM, Capability.REMOTE_COMM, Capability.SOURCE,
                Capability.AV_USER_ID, Capability.SHARED_AV);
            assertThat(info.endpointAttributes().protocol()).isEqualTo("FI_PROTO_RDMA4J_UD");
            assertThat(info.endpointAttributes().maxMessageSize()).isEqualTo(1024);
            assertThat(info.endpointAttributes().maxOrderRawSize()).isZero();
            assertThat(info.transmitAttributes().messageOrder()).isEmpty();
            assertThat(info.transmitAttributes().completionOrder()).isEqualTo(CompletionOrder.STRICT);
            assertThat(info.transmitAttributes().injectSize()).isEqualTo(128);
            assertThat(info.transmitAttributes().iovLimit()).isEqualTo(3);
            assertThat(info.receiveAttributes().iovLimit()).isEqualTo(2);
            assertThat(info.receiveAttributes().contexts()).isEqualTo(1);
            assertThat(info.domainAttributes().epCount()).isEqualTo(99);
            // Nobody names memory of somebody else.
            assertThat(info.mrMode()).doesNotContain(MrMode.VIRT_ADDR, MrMode.PROV_KEY);
        }
    }

    @Test
    void reliableOnesHaveAllThatConnectedOnesHaveAndMore() throws Unfit {
        for (final DeviceTraits device : Profiles.NAMED) {
            final FabricInfo info = info(device, EndpointType.RDM);
            final Set<Capability> expected = EnumSet.copyOf(info(device, EndpointType.MSG).capabilities());
            expected.addAll(Set.of(Capability.SOURCE, Capability.DIRECTED_RECV, Capability.AV_USER_ID,
                Capability.SHARED_AV, Capability.NAMED_RX_CTX, Capability.TAGGED, Capability.MULTI_RECV));
            assertThat(info.capabilities()).as(device.address()).isEqualTo(expected);
            assertThat(info.mrMode()).isEqualTo(info(device, EndpointType.MSG).mrMode());
            assertThat(info.endpointAttributes().protocol()).isEqualTo("FI_PROTO_RDMA4J_RDM");
            assertThat(info.endpointAttributes().maxMessageSize()).isGreaterThanOrEqualTo(1 << 30);
            assertThat(info.transmitAttributes().messageOrder()).contains(MessageOrder.SAS);
            assertThat(info.transmitAttributes().completionOrder()).isEqualTo(CompletionOrder.NONE);
            assertThat(info.receiveAttributes().contexts()).isEqualTo(16);
            assertThat(info.domainAttributes().cqDataSize()).isEqualTo(4);
            assertThat(info.domainAttributes().epCount()).isEqualTo(device.has(Trait.RMA) ? 99 / 4 : 99 / 2);
        }
    }

    /** Of what comes with a vector, primary capabilities have to be asked for, secondary ones cost nothing. */
    @Test
    void askedForSomethingThatIsGiven() throws Unfit {
        assertThat(info(Profiles.EMULATED, EndpointType.RDM, Capability.MSG).capabilities())
            .contains(Capability.SOURCE, Capability.SHARED_AV)
            .doesNotContain(Capability.DIRECTED_RECV, Capability.NAMED_RX_CTX, Capability.AV_USER_ID, Capability.RMA);
        assertThat(info(Profiles.EMULATED, EndpointType.RDM, Capability.MSG, Capability.DIRECTED_RECV,
            Capability.NAMED_RX_CTX, Capability.AV_USER_ID).capabilities())
            .contains(Capability.DIRECTED_RECV, Capability.NAMED_RX_CTX, Capability.AV_USER_ID);
        final FabricInfo all = info(Profiles.EMULATED, EndpointType.RDM);
        assertThat(all.receiveAttributes().capabilities()).contains(Capability.SOURCE, Capability.DIRECTED_RECV)
            .doesNotContain(Capability.NAMED_RX_CTX);
        assertThat(all.transmitAttributes().capabilities()).contains(Capability.NAMED_RX_CTX)
            .doesNotContain(Capability.SOURCE, Capability.DIRECTED_RECV);
    }

    @ParameterizedTest
    @CsvSource({
        "MSG, SOURCE, one peer each", "MSG, DIRECTED_RECV, one peer each", "MSG, AV_USER_ID, one peer each",
        "MSG, SHARED_AV, one peer each", "MSG, NAMED_RX_CTX, one peer each",
        "DGRAM, RMA, datagrams reach no memory of peers", "DGRAM, ATOMIC, datagrams reach no memory of peers",
        "DGRAM, RMA_EVENT, datagrams reach no memory of peers", "DGRAM, DIRECTED_RECV, next receive for any datagram",
        "DGRAM, NAMED_RX_CTX, next receive for any datagram", "DGRAM, TAGGED, datagrams have no tags",
        "DGRAM, MULTI_RECV, a datagram takes a receive of its own", "DGRAM, FENCE, nothing tells",
        "DGRAM, TRIGGER, no operations that wait", "RDM, MULTICAST, no device here has it"})
    void refusedWithAReason(final EndpointType type, final Capability asked, final String reason) {
        assertThatThrownBy(() -> info(Profiles.EMULATED, type, asked)).isInstanceOf(Unfit.class)
            .hasMessageContaining("FI_" + asked).hasMessageContaining(reason);
    }

    @Test
    void datagramsNeedAddressHandlesAndParts() throws Unfit {
        assertThatThrownBy(() -> info(limited(4, 0), EndpointType.DGRAM)).isInstanceOf(Unfit.class)
            .hasMessageContaining("FI_EP_DGRAM").hasMessageContaining("no address handles");
        assertThatThrownBy(() -> info(limited(4, 0), EndpointType.RDM)).isInstanceOf(Unfit.class)
            .hasMessageContaining("FI_EP_RDM");
        assertThatThrownBy(() -> info(limited(2, 8), EndpointType.DGRAM)).isInstanceOf(Unfit.class)
            .hasMessageContaining("2 buffers, 3 are needed");
        assertThat(info(limited(2, 8), EndpointType.RDM).receiveAttributes().iovLimit()).isEqualTo(1);
        assertThat(info(limited(1, 0), EndpointType.MSG).transmitAttributes().iovLimit()).isEqualTo(1);
        assertThat(info(limited(6, 8), EndpointType.DGRAM).receiveAttributes().iovLimit()).isEqualTo(4);
    }

    private static DeviceTraits limited(final int sges, final int handles) {
        final DeviceLimits l = Profiles.LIMITS;
        return new DeviceTraits("limited:", "some device", "fabric", Profiles.EMULATED.lacking(), new DeviceLimits(
            l.regions(), l.queues(), l.queuePairs(), l.sends(), l.receives(), l.messageSize(), l.mtu(), sges, handles));
    }
}
