/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.testing.Patience;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who serves the wire: its thread, or a program that polls in vain. */
@Timeout(60)
class WireThreadTest {
    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final RawPair pair = RawPair.connected("emulated:serving?shortcut=false&wire=shm");
    private final Thread thread = Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().equals("rdma4j-wire-serving")).findFirst().orElseThrow();

    /** Nobody tells the device of a poll meanwhile. */
    @BeforeEach
    void useTheWire() {
        pair.a.post(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, SendFlags.PVRDMA_SEND_SIGNALED)
            .rdma(pair.to.start(), pair.to.rkey).sge(pair.from.start(), 64, pair.from.lkey));
        final long deadline = System.nanoTime() + Patience.nanos();
        while (pair.cqA.isEmpty() && System.nanoTime() - deadline < 0) {
            Patience.pause();
        }
        assertThat(pair.cqA.poll()).as(pair.driver.device().describe()).isNotNull()
            .extracting(Completion::status).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    /** Sleeps for a moment, and not until something comes. */
    private boolean standsBack() {
        final StackTraceElement[] stack = thread.getStackTrace();
        for (int i = 1; i < stack.length; i++) {
            if (stack[i].getClassName().equals(WireThread.class.getName())) {
                return stack[i - 1].getClassName().equals(LockSupport.class.getName());
            }
        }
        return false;
    }

    @Test
    void itStandsBackBehindWhoPollsAllTheTime() {
        final long deadline = System.nanoTime() + Patience.nanos();
        while (!standsBack()) {
            assertThat(System.nanoTime() - deadline).as("%s", thread.getState()).isNegative();
            for (int i = 0; i < 100; i++) {
                pair.cqA.pollInVain();
            }
        }
    }

    /** However slow it is: these polls are too few. */
    @Test
    void itGoesOnBesideWhoHardlyPolls() {
        for (int i = 0; i < 3; i++) {
            pair.cqA.pollInVain();
            final long until = System.nanoTime() + SHORT_NANOS;
            while (System.nanoTime() - until < 0) {
                assertThat(standsBack()).as("after %d polls", i + 1).isFalse();
            }
        }
    }
}
