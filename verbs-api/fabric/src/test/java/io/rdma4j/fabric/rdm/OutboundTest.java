/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.ReturnCode;

import java.util.stream.LongStream;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that the device does not take, by a channel whose peer has slots for all of them. */
class OutboundTest {
    private static final int SLOTS = 32;
    /** Is copied behind its header. */
    private static final int SHORT = 8;
    /** Two pieces, which are gathered. */
    private static final int LONG = 100;

    private final ModelEnd near = new ModelEnd(true, 1, SLOTS, 256, 20);
    private final ModelEnd far = new ModelEnd(false, 1, SLOTS, 256, 20);
    private final UnsafeBuffer source = ModelEnd.area(1, 1024).buffer();
    private int pieces;

    @BeforeEach
    void connect() {
        ModelEnd.connect(near, far);
        while (near.wire.move(near, far) || far.wire.move(far, near)) {
            // Until nothing is on its way.
        }
        assertThat(near.greeted && far.greeted).isTrue();
        pieces = near.table.freePieces();
    }

    private int send(final int length, final long context) {
        return near.send(0, source.addressOffset(), length, null, false, context);
    }

    private void moveAll() {
        while (near.wire.move(near, far)) {
            // Slots are there for all of them.
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 12", "100, 6"})
    void aQueueThatIsFullTakesNothing(final int length, final int most) {
        for (int i = 0; i < most; i++) {
            assertThat(send(length, i)).isZero();
        }

        assertThat(send(length, most)).isEqualTo(-FiErrno.FI_EAGAIN);

        assertThat(near.broken).isNull();
        assertThat(near.table.claimedOps()).isEqualTo(most);
        assertThat(near.table.freePieces()).isEqualTo(pieces - PipeWire.MOST_SENDS);
        moveAll();
        assertThat(near.sent).extracting(ModelEnd.Sent::context)
            .containsExactlyElementsOf(LongStream.range(0, most).boxed().toList());
        assertThat(near.table.freePieces()).isEqualTo(pieces);
        assertThat(send(length, most)).isZero();
    }

    /** With what ends before it. */
    @Test
    void aMessageGoesOnWhereTheQueueWasFull() {
        for (int i = 1; i < PipeWire.MOST_SENDS; i++) {
            assertThat(send(SHORT, i)).isZero();
        }
        assertThat(send(LONG, 99)).isZero();
        assertThat(send(SHORT, 100)).as("it would overtake the other one").isEqualTo(-FiErrno.FI_EAGAIN);

        moveAll();

        assertThat(near.sent).hasSize(PipeWire.MOST_SENDS).last().matches(last -> last.context() == 99);
        assertThat(near.table.freePieces()).isEqualTo(pieces);
        assertThat(near.table.claimedOps()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {SHORT, LONG})
    void aDeviceThatRefusesEndsTheChannel(final int length) {
        near.wire.answer = ReturnCode.WRONG_STATE;

        assertThat(send(length, 1)).isEqualTo(-FiErrno.FI_EAGAIN);

        assertThat(near.broken).startsWith("posting a ").endsWith(" failed: " + ReturnCode.WRONG_STATE);
        assertThat(near.table.claimedOps()).isZero();
        assertThat(near.table.freePieces()).isEqualTo(pieces);
    }
}
