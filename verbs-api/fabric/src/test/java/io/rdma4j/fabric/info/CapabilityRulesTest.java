/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.DomainAttributes;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MessageOrder;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.region.RawKey;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Capabilities, and the attributes that follow from them. */
@Timeout(60)
class CapabilityRulesTest {
    private static final Set<MrMode> ALL_BITS = EnumSet.range(MrMode.LOCAL, MrMode.COLLECTIVE);

    @Test
    void askedForNothingADeviceGivesWhatCostsNothing() throws Unfit {
        assertThat(info(Profiles.EMULATED).capabilities()).containsExactlyInAnyOrder(
            Capability.MSG, Capability.RMA, Capability.ATOMIC, Capability.READ, Capability.WRITE, Capability.SEND,
            Capability.RECV, Capability.REMOTE_READ, Capability.REMOTE_WRITE, Capability.RMA_PMEM,
            Capability.LOCAL_COMM, Capability.REMOTE_COMM);
        assertThat(info(Profiles.QEMU).capabilities()).containsExactlyInAnyOrder(
            Capability.MSG, Capability.SEND, Capability.RECV, Capability.LOCAL_COMM, Capability.REMOTE_COMM);
    }

    @Test
    void askedForSomethingThatIsGivenInAllDirections() throws Unfit {
        assertThat(info(Profiles.EMULATED, Capability.MSG).capabilities()).containsExactlyInAnyOrder(
            Capability.MSG, Capability.SEND, Capability.RECV, Capability.LOCAL_COMM, Capability.REMOTE_COMM);
        assertThat(info(Profiles.EMULATED, Capability.RMA).capabilities()).containsExactlyInAnyOrder(
            Capability.RMA, Capability.READ, Capability.WRITE, Capability.REMOTE_READ, Capability.REMOTE_WRITE,
            Capability.RMA_PMEM, Capability.LOCAL_COMM, Capability.REMOTE_COMM);
    }

    @Test
    void directionsThatAreAskedForAreTheOnlyOnes() throws Unfit {
        assertThat(info(Profiles.EMULATED, Capability.MSG, Capability.SEND, Capability.RMA, Capability.REMOTE_WRITE)
            .capabilities()).containsExactlyInAnyOrder(Capability.MSG, Capability.SEND, Capability.RMA,
            Capability.REMOTE_WRITE, Capability.RMA_PMEM, Capability.LOCAL_COMM, Capability.REMOTE_COMM);
    }

    @Test
    void countingAndMemoryOfDevicesAreGivenOnRequest() throws Unfit {
        assertThat(info(Profiles.EMULATED, Capability.RMA, Capability.RMA_EVENT, Capability.HMEM).capabilities())
            .contains(Capability.RMA_EVENT, Capability.HMEM);
        assertThat(info(Profiles.EMULATED).capabilities()).doesNotContain(Capability.RMA_EVENT, Capability.HMEM);
        assertThat(info(Profiles.EMULATED).deviceCapabilities()).contains(Capability.RMA_EVENT, Capability.HMEM);
    }

    @ParameterizedTest
    @EnumSource(value = Capability.class, names = {
        "MULTICAST", "COLLECTIVE", "SOURCE", "DIRECTED_RECV"})
    void whatNobodyHasIsRefused(final Capability asked) {
        assertThatThrownBy(() -> info(Profiles.EMULATED, asked)).isInstanceOf(Unfit.class)
            .hasMessageContaining("FI_" + asked);
    }

    @ParameterizedTest
    @EnumSource(value = Capability.class, names = {
        "RMA", "ATOMIC", "READ", "WRITE", "REMOTE_READ", "REMOTE_WRITE", "RMA_EVENT", "RMA_PMEM"})
    void withoutRmaNothingOfItIsGiven(final Capability asked) {
        assertThatThrownBy(() -> info(Profiles.QEMU, asked)).isInstanceOf(Unfit.class)
            .hasMessage("cannot give FI_%s: it has no RMA", asked);
    }

    /** Checklist 18. */
    @Test
    void peerToPeerCanBeForbidden() throws Unfit {
        final Hints hints = new Hints().capabilities(Capability.HMEM).mrMode(MrMode.HMEM);
        assertThat(Discovery.negotiate(Profiles.EMULATED, hints, true).mrMode()).containsExactly(MrMode.HMEM);
        assertThatThrownBy(() -> Discovery.negotiate(Profiles.EMULATED, hints, false))
            .isInstanceOf(Unfit.class).hasMessageContaining("FI_HMEM_DISABLE_P2P");
        // Who does not ask for it does not notice.
        assertThat(Discovery.negotiate(Profiles.EMULATED, new Hints(), false)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(value = {"NULL, true", "'', true", "0, true", "no, true", "off, true", "1, false", "TRUE, false",
        "yes, false", "' on ', false"}, nullValues = "NULL")
    void theSettingIsReadAsLibfabricReadsIt(final String setting, final boolean allowed) {
        assertThat(PeerToPeer.isAllowed(setting)).isEqualTo(allowed);
    }

    @Test
    void aDeviceThatReachesOnlyItsOwnMemoryHasNoneOfOtherDevices() {
        final DeviceTraits device = Profiles.device("own:", EnumSet.complementOf(EnumSet.of(Trait.ANY_MEMORY)));
        assertThatThrownBy(() -> info(device, Capability.HMEM)).isInstanceOf(Unfit.class)
            .hasMessageContaining("it has no ANY_MEMORY");
    }

    /** Messages have lanes of their own: nothing orders them with RMA. */
    @Test
    void messagesAndRmaAreInNoOrder() throws Unfit {
        final Set<MessageOrder> order = info(Profiles.EMULATED).transmitAttributes().messageOrder();
        assertThat(order).contains(MessageOrder.SAS, MessageOrder.RAW, MessageOrder.WAW, MessageOrder.ATOMIC_WAR)
            .doesNotContain(MessageOrder.RAS, MessageOrder.WAS, MessageOrder.SAR, MessageOrder.SAW, MessageOrder.WAR);
        assertThat(info(Profiles.QEMU).receiveAttributes().messageOrder()).containsExactly(MessageOrder.SAS);
    }

    @Test
    void ordersThatAreReliedOnAreKeptOrTheDeviceDoesNotFit() throws Unfit {
        final Hints hints = new Hints().messageOrder(MessageOrder.SAS, MessageOrder.RMA_RAW);
        assertThat(Discovery.negotiate(Profiles.EMULATED, hints, true).transmitAttributes().messageOrder())
            .containsAll(hints.messageOrder()).contains(MessageOrder.WAW);
        assertThatThrownBy(() -> Discovery.negotiate(Profiles.QEMU, hints.mrMode(MrMode.ALLOCATED), true))
            .isInstanceOf(Unfit.class).hasMessageContaining("FI_ORDER_RMA_RAW").hasMessageContaining("[SAS]");
        assertThatThrownBy(() -> Discovery.negotiate(Profiles.EMULATED, new Hints().messageOrder(MessageOrder.SAW),
            true)).isInstanceOf(Unfit.class).hasMessageContaining("FI_ORDER_SAW");
        assertThatThrownBy(() -> Discovery.negotiate(Profiles.EMULATED, new Hints().endpointType(EndpointType.DGRAM)
            .messageOrder(MessageOrder.SAS), true)).isInstanceOf(Unfit.class).hasMessageContaining("FI_ORDER_SAS");
    }

    @Test
    void sidesHaveTheCapabilitiesOfTheirDirection() throws Unfit {
        final FabricInfo info = info(Profiles.EMULATED);
        assertThat(info.transmitAttributes().capabilities()).contains(Capability.SEND, Capability.READ)
            .doesNotContain(Capability.RECV, Capability.REMOTE_READ);
        assertThat(info.receiveAttributes().capabilities()).contains(Capability.RECV, Capability.REMOTE_WRITE)
            .doesNotContain(Capability.SEND, Capability.WRITE);
    }

    @Test
    void limitsAreTheDevices() throws Unfit {
        assertThat(info(Profiles.EMULATED).domainAttributes())
            .isEqualTo(new DomainAttributes(64, 256, 984, 200, 33, 65_536, 4, 8, 0));
        assertThat(info(Profiles.QEMU).domainAttributes().epCount()).isEqualTo(99);
    }

    /** Where messages go in pieces, but for regions that belong to one endpoint. */
    @Test
    void receivesAreSharedWhereMessagesGoInPieces() throws Unfit {
        assertThat(info(Profiles.EMULATED, Capability.TAGGED).domainAttributes().maxEpSrxCtx()).isEqualTo(99);
        assertThat(info(Profiles.EMULATED, Capability.MSG).domainAttributes().maxEpSrxCtx()).isZero();
        final Hints hints = new Hints().endpointType(EndpointType.RDM).mrMode(ALL_BITS)
            .atLeast(new DomainAttributes(0, 0, 0, 0, 0, 0, 0, 0, 2));
        assertThat(Discovery.negotiate(Profiles.EMULATED, hints, true).domainAttributes().maxEpSrxCtx())
            .isGreaterThan(1);
        hints.demand(MrMode.ENDPOINT);
        assertThatThrownBy(() -> Discovery.negotiate(Profiles.EMULATED, hints, true)).isInstanceOf(Unfit.class)
            .hasMessage("has max_ep_srx_ctx 0, asked for were 2");
        hints.demand(Set.of()).endpointType(EndpointType.DGRAM);
        assertThatThrownBy(() -> Discovery.negotiate(Profiles.EMULATED, hints, true)).isInstanceOf(Unfit.class);
    }

    /** Checklist 36: the size that the domain tells is the one that raw keys have. */
    @Test
    void rawKeysHaveTheSizeThatIsTold() throws Unfit {
        assertThat(info(Profiles.EMULATED).domainAttributes().mrKeySize()).isEqualTo(RawKey.LENGTH);
    }

    @Test
    void limitsCanBeAskedForUpToTheDevices() throws Unfit {
        final DomainAttributes most = new DomainAttributes(64, 256, 984, 200, 33, 65_536, 4, 8, 0);
        assertThat(Discovery.negotiate(Profiles.EMULATED, new Hints().atLeast(most), true).domainAttributes())
            .isEqualTo(most);
        assertThat(Discovery.negotiate(Profiles.EMULATED, new Hints().mrCount(7), true).domainAttributes().mrCount())
            .isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource({
        "mr_key_size, 65/0/0/0/0/0/0/0", "mr_iov_limit, 0/257/0/0/0/0/0/0", "mr_cnt, 0/0/985/0/0/0/0/0",
        "cq_cnt, 0/0/0/201/0/0/0/0", "ep_cnt, 0/0/0/0/34/0/0/0", "cntr_cnt, 0/0/0/0/0/65537/0/0",
        "cq_data_size, 0/0/0/0/0/0/5/0", "max_err_data, 0/0/0/0/0/0/0/9",
        "max_ep_srx_ctx, 0/0/0/0/0/0/0/0/1"})
    void aboveItsLimitsADeviceIsUnfit(final String name, final String least) {
        final int[] n = Arrays.stream(least.split("/")).mapToInt(Integer::parseInt).toArray();
        final Hints hints = new Hints().atLeast(
            new DomainAttributes(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n.length > 8 ? n[8] : 0));
        assertThatThrownBy(() -> Discovery.negotiate(Profiles.EMULATED, hints, true)).isInstanceOf(Unfit.class)
            .hasMessageMatching("has " + name + " \\d+, asked for were \\d+");
    }

    private static FabricInfo info(final DeviceTraits device, final Capability... asked) throws Unfit {
        final Set<Capability> set = EnumSet.noneOf(Capability.class);
        set.addAll(Set.of(asked));
        return Discovery.negotiate(device, new Hints().capabilities(set).mrMode(ALL_BITS), true);
    }
}
