/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.front.FaultPlan;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreatePdRequest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Faults on demand, each once. */
class FaultTest {
    private final RawDriver driver = RawDriver.ready("emulated:faults");
    private final FaultPlan plan = driver.device().faults().commands();

    @AfterEach
    void close() {
        driver.close();
    }

    private int createPd() {
        return driver.run(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0));
    }

    private UnsafeBuffer response() {
        return driver.response.buffer();
    }

    @Test
    void losesAResponse() {
        final long fired = driver.pci.interrupts().vector(0).fired();
        plan.loseNextResponse();
        assertThat(createPd()).isZero();
        assertThat(response().getInt(8)).isEqualTo(0xcccc_cccc);
        assertThat(driver.pci.interrupts().vector(0).fired()).isEqualTo(fired);
        createPd();
        assertThat(response().getInt(8)).isEqualTo(0x8000_0002);
    }

    @Test
    void answersWithAWrongKeyOrAck() {
        plan.wrongKeyInNextResponse();
        createPd();
        assertThat(response().getLong(0)).isNotEqualTo(driver.lastKey());
        plan.wrongAckInNextResponse();
        createPd();
        assertThat(response().getLong(0)).isEqualTo(driver.lastKey());
        assertThat(response().getInt(8)).isEqualTo(0x8000_0000);
    }

    @Test
    void failsACommand() {
        plan.failNextCommand(-5);
        assertThat(createPd()).isEqualTo(-5);
        assertThat(createPd()).isZero();
        plan.failNext(Command.CREATE_CQ, 17);
        assertThat(createPd()).isZero();
        assertThat(driver.run(Command.CREATE_CQ, b -> { })).isEqualTo(17);
    }

    @Test
    void corruptsRingIndices() {
        final RawCq cq = driver.createCq(16);
        driver.device().faults().corruptCq(cq.handle);
        assertThat(cq.ring.state().getInt(RingState.RX_PROD_TAIL_OFFSET)).isEqualTo(0x7fff_ffff);
        driver.device().faults().corruptAsyncRing();
        assertThat(driver.async.state().getInt(RingState.RX_PROD_TAIL_OFFSET)).isEqualTo(0x7fff_ffff);
        driver.device().faults().corruptNotificationRing();
        assertThat(driver.notifications.state().getInt(RingState.RX_PROD_TAIL_OFFSET)).isEqualTo(0x7fff_ffff);
    }

    @Test
    void isPulledOut() {
        driver.device().faults().remove();
        assertThat(driver.registers.readInt(0)).isEqualTo(-1);
        assertThat(createPd()).isEqualTo(-1);
        assertThat(driver.device().describe()).contains("registers");
    }
}
