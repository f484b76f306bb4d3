/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.WcStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A device that a thread looks after, which here is the test, moves 64 MiB of a send queue's long messages and then
 * does other things, too.
 */
class TurnsOfLongMessagesTest {
    private static final int LENGTH = 24 << 20;
    /** With this many, more than 64 MiB have been moved. */
    private static final int AT_ONCE = 3;

    private final RawPair pair = RawPair.connected("emulated:turns?wire=none");
    private final LookedAfter thread = new LookedAfter();

    @AfterEach
    void close() {
        pair.close();
    }

    /** The short way takes memory in a row; pages that are all the same one go the long way. */
    private RawRegion region(boolean isShortWay) {
        return isShortWay ? pair.driver.registerInOne(LENGTH, RawPair.ALL)
            : pair.driver.registerRepeating(LENGTH / Pdir.PAGE_SIZE, RawPair.ALL);
    }

    private void write(long wrId, RawRegion region, int length) {
        pair.a.write(w -> w.send(wrId, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED).rdma(region.start(), region.rkey)
            .sge(region.start(), length, region.lkey));
    }

    private void expect(int first, int last) {
        for (int i = first; i <= last; i++) {
            final Completion completion = pair.cqA.poll();
            assertThat(completion).as("request %d", i).isNotNull();
            assertThat(completion.wrId()).isEqualTo(i);
            assertThat(completion.status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        }
        assertThat(pair.cqA.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void otherThingsHaveTheirTurnAmongLongMessages(boolean isShortWay) {
        final RawRegion region = region(isShortWay);
        write(1, region, 8);
        pair.a.ringSend();
        expect(1, 1);
        final long shortened = pair.shortened();
        pair.driver.device().interruptsTo(thread);
        thread.wanted = false;
        for (int i = 1; i <= 2 * AT_ONCE + 1; i++) {
            write(i, region, LENGTH);
        }
        pair.a.ringSend();
        expect(1, AT_ONCE);
        assertThat(thread.wanted).isTrue();
        pair.a.ringSend();
        assertThat(pair.cqA.isEmpty()).as("a doorbell is no turn").isTrue();

        assertThat(pair.driver.device().service()).as("there is more").isZero();
        expect(AT_ONCE + 1, 2 * AT_ONCE);
        assertThat(pair.driver.device().service()).isPositive();
        expect(2 * AT_ONCE + 1, 2 * AT_ONCE + 1);
        assertThat(pair.shortened() - shortened).isEqualTo(isShortWay ? 2 * AT_ONCE + 1 : 0);

        write(1, region, 8);
        pair.a.ringSend();
        expect(1, 1);
    }

    /** Nobody else waits for who runs the queue. */
    @Test
    void aProgramsOwnThreadGoesOnToTheEnd() {
        final RawRegion region = region(false);
        for (int i = 1; i <= 2 * AT_ONCE + 1; i++) {
            write(i, region, LENGTH);
        }
        pair.a.ringSend();
        expect(1, 2 * AT_ONCE + 1);
    }
}
