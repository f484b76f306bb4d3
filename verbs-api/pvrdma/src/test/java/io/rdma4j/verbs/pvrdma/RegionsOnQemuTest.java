/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kinds of regions on a device that takes whole pages only, gives no remote keys and executes SENDs. */
@Timeout(60)
class RegionsOnQemuTest {
    private static final int PAGE = PageList.PAGE_SIZE;

    @RegisterExtension
    final Devices devices = new Devices();

    private PvrdmaContext device;
    private ProtectionDomain pd;
    private PinnedMemory memory;
    private Peer from;
    private Peer to;

    @BeforeEach
    void opens() {
        device = devices.open(Devices.QEMU);
        from = Peer.rc(device);
        to = Peer.rc(device);
        from.connect(to);
        pd = to.pd;
        memory = device.allocate(4 * PAGE);
    }

    /** A SEND scatters into the region, and another one gathers from it. */
    private void assertCarries(final MemoryRegion region, final int seed) {
        final int length = Math.toIntExact(region.length());
        from.fill(0, length, seed);
        assertThat(to.qp.postReceive(1, region.iova(), length, region.lkey())).isZero();
        assertThat(from.qp.postSend(2, from.at(0), length, from.lkey())).isZero();
        Completions.awaitSuccess(to.cq);
        Completions.awaitSuccess(from.cq);
        from.bytes.setMemory(0, length, (byte) 0);
        assertThat(from.qp.postReceive(1, from.at(0), length, from.lkey())).isZero();
        assertThat(to.qp.postSend(2, region.iova(), length, region.lkey())).isZero();
        Completions.awaitSuccess(from.cq);
        Completions.awaitSuccess(to.cq);
        assertThat(from.firstDifference(0, length, seed)).isEqualTo(-1);
    }

    @Test
    void listedPagesSharedAndReregistered() {
        final PageList pages = new PageList().add(memory, 3, 1).add(memory, 0, 1).add(memory, 2, 1);
        final MemoryRegion region =
            pd.register(new MrOptions().pages(pages, 0x200, 10_000).iova(0x141200).access(LOCAL_WRITE));
        assertCarries(region, 1);
        assertThat(memory.buffer().getByte(3 * PAGE + 0x200)).isEqualTo(Peer.pattern(0, 1));
        assertThat(memory.buffer().getByte(2 * PAGE + 2319)).isEqualTo(Peer.pattern(9_999, 1));
        final MemoryRegion shared = pd.registerShared(region, region.address(), LOCAL_WRITE);
        region.close();
        assertCarries(shared, 2);
        shared.reregister(new MrOptions().memory(memory.address() + 5, 5000, memory).iova(0x70005));
        assertThat(shared.iova()).isEqualTo(0x70005);
        assertCarries(shared, 3);
        assertThat(memory.buffer().getByte(5004)).isEqualTo(Peer.pattern(4999, 3));
    }

    @Test
    void saysWhatItDoesNotHave() {
        assertThat(device.supports(Feature.ZERO_BASED)).isFalse();
        assertRefused(RdmaException.EOPNOTSUPP, () -> pd.register(new MrOptions().memory(memory).zeroBased()),
            "ZERO_BASED", device.whyNot(Feature.ZERO_BASED));
        assertInvalid(() -> pd.register(new MrOptions().memory(memory).iova(0)), "first page");
        final MemoryRegion region = pd.register(memory, LOCAL_WRITE);
        assertRefused(RdmaException.EOPNOTSUPP, () -> region.reregister(new MrOptions().zeroBased()), "ZERO_BASED");
        assertThat(region.iova()).isEqualTo(memory.address());
        assertCarries(region, 4);
    }
}
