/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawWindow;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer is told no more than that it may not; the owner of the memory is told why. */
class RemoteRefusalsTest {
    private final RawPair pair = RawPair.connected("emulated:refusals");

    @AfterEach
    void close() {
        pair.close();
    }

    private void isRefused(long remote, int length, int rkey, String why) {
        assertThat(pair.write(remote, length, rkey)).isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
        assertThat(pair.count(Counter.REMOTE_ACCESS)).isEqualTo(1);
        assertThat(pair.driver.device().counters().recent()).last().asString()
            .contains(String.format("%d bytes at 0x%x with rkey 0x%x: ", length, remote, rkey), why);
    }

    @Test
    void aKeyThatNamesNothing() {
        isRefused(pair.to.start(), 8, pair.to.rkey ^ 1, ": no region or window has this rkey");
    }

    @Test
    void aWindowThatShowsNothing() {
        final RawWindow window = pair.driver.createMw(1);
        isRefused(pair.to.start(), 8, window.rkey, ": no region or window has this rkey");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWindowOfAnotherQueuePairOrOfNoRegion(boolean regionIsGone) {
        final RawRegion shown = pair.driver.register(pair.driver.pd, RawPair.SIZE, 0,
            AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE | AccessFlags.PVRDMA_ACCESS_MW_BIND);
        final RawWindow window = pair.driver.createMw(2);
        window.bind(regionIsGone ? pair.b : pair.a, shown, shown.start(), 100,
            AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE);
        assertThat((regionIsGone ? pair.cqB : pair.cqA).await().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        if (regionIsGone) {
            assertThat(pair.driver.destroy(Command.DESTROY_MR, shown.handle)).isZero();
        }
        isRefused(shown.start(), 8, window.rkey, ": the window shows nothing here: another queue pair bound it, or its "
            + "region is gone: window of type 2 mr 0x");
    }

    @Test
    void anotherProtectionDomain() {
        final RawRegion foreign = pair.driver.register(pair.driver.createPd(), RawPair.SIZE, 0, RawPair.ALL);
        isRefused(foreign.start(), 8, foreign.rkey, ": the region is of another protection domain: mr 0x");
    }

    @Test
    void aRightThatWasNotGranted() {
        final RawRegion shown = pair.driver.register(pair.driver.pd, RawPair.SIZE, 0,
            AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE | AccessFlags.PVRDMA_ACCESS_REMOTE_READ);
        isRefused(shown.start(), 8, shown.rkey, ": the region does not grant "
            + AccessFlags.NAMES.of(AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE) + ": mr 0x");
    }

    @Test
    void bytesOutside() {
        isRefused(pair.to.start() + RawPair.SIZE - 7, 8, pair.to.rkey,
            ": the region does not hold all of these bytes: ");
    }

    @Test
    void memoryThatIsNotThereAnyMore() {
        pair.to.memory(1).close();
        isRefused(pair.to.start(), 8, pair.to.rkey, ": the region has lost this memory: ");
        assertThat(pair.count(Counter.DMA_FAULTS)).isEqualTo(1);
    }

    /** The peer is told that there is no such request, not that the memory is refused. */
    @Test
    void aRightThatTheQueuePairDoesNotGrant() {
        assertThat(pair.b.modify(QpAttrMask.PVRDMA_QP_ACCESS_FLAGS,
            attr -> attr.set(QpAttr.QP_ACCESS_FLAGS, AccessFlags.PVRDMA_ACCESS_REMOTE_READ))).isZero();
        assertThat(pair.write(pair.to.start(), 8, pair.to.rkey)).isEqualTo(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR);
        assertThat(pair.count(Counter.REMOTE_ACCESS)).isEqualTo(1);
        assertThat(pair.driver.device().counters().recent()).last().asString()
            .contains(String.format("8 bytes at 0x%x with rkey 0x%x: the QP does not grant ", pair.to.start(),
                pair.to.rkey));
    }
}
