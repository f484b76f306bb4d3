/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.link.Message;
import io.rdma4j.device.link.Operation;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Opcode;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteOrder;

/** What the requester puts into a packet is what the responder takes out of it. */
class RequestHeadersTest {
    private static final long ADDRESS = 0x1122_3344_5566_7788L;

    private final UnsafeBuffer packet = new UnsafeBuffer(new byte[128]);
    private final Message put = new Message(null, null);
    private final Message taken = new Message(null, null);

    private int put(boolean first, boolean last, long from, int length) {
        put.remoteAddress = ADDRESS;
        put.rkey = 0x99aa_bbcc;
        final int opcode = RequestHeaders.opcode(put, first, last);
        final int headers = Bth.LENGTH + Opcode.extendedLength(opcode);
        Bth.put(packet, 0, opcode, Bth.flags(put.solicited, 0), 1, 1, false);
        RequestHeaders.put(packet, headers, opcode, put, from, length);
        for (int i = headers; i < packet.capacity(); i++) {
            assertThat(packet.getByte(i)).as("byte %d, behind the headers of %s", i, Opcode.NAMES.of(opcode)).isZero();
        }
        return opcode;
    }

    private void take(boolean first, boolean last) {
        RequestHeaders.take(packet, put(first, last, 0, 0), taken);
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPARE_SWAP", "FETCH_ADD", "MASKED_COMPARE_SWAP", "MASKED_FETCH_ADD"})
    void anAtomic(Operation operation) {
        put.operation = operation;
        put.compareAdd = 0x1111_0000_0000_0001L;
        put.swap = 0x2222_0000_0000_0002L;
        put.compareMask = 0x3333_0000_0000_0003L;
        put.swapMask = 0x4444_0000_0000_0004L;
        put.fieldBoundary = 0x5555_0000_0000_0005L;
        RequestHeaders.takeAtomic(packet, put(true, true, 0, 0), taken);
        assertThat(taken.operation).isEqualTo(operation);
        assertThat(taken.remoteAddress).isEqualTo(ADDRESS);
        assertThat(taken.rkey).isEqualTo(put.rkey);
        assertThat(taken.length).isEqualTo(8);
        assertThat(taken.compareAdd).isEqualTo(put.compareAdd);
        final boolean adds = operation == Operation.FETCH_ADD || operation == Operation.MASKED_FETCH_ADD;
        final boolean masked = operation.name().startsWith("MASKED");
        if (adds) {
            assertThat(taken.fieldBoundary).isEqualTo(masked ? put.fieldBoundary : 0);
        } else {
            assertThat(taken.swap).isEqualTo(put.swap);
            assertThat(taken.swapMask).isEqualTo(masked ? put.swapMask : -1);
            assertThat(taken.compareMask).isEqualTo(masked ? put.compareMask : -1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"READ", "WRITE"})
    void theMemoryThatIsNamed(Operation operation) {
        put.operation = operation;
        put(true, false, operation == Operation.READ ? 4096 : 0, Integer.MIN_VALUE);
        RequestHeaders.takeReth(packet, taken);
        assertThat(taken.remoteAddress).isEqualTo(ADDRESS + (operation == Operation.READ ? 4096 : 0));
        assertThat(taken.rkey).isEqualTo(put.rkey);
        assertThat(taken.length).as("2 GiB are the most").isEqualTo(1L << 31);
    }

    @Test
    void onlyTheLastPacketSaysWhatComesWithTheEnd() {
        put.operation = Operation.SEND;
        put.immediate = true;
        put.immData = 0x0102_0304;
        take(true, false);
        assertThat(taken.immediate).isFalse();
        take(false, false);
        assertThat(taken.immediate).isFalse();
        take(false, true);
        assertThat(taken.immediate).isTrue();
        assertThat(taken.immData).isEqualTo(put.immData);
        assertThat(packet.getInt(Bth.LENGTH, ByteOrder.LITTLE_ENDIAN)).as("as it stands in the WQE")
            .isEqualTo(put.immData);
    }

    /** Immediate data of a WRITE of one packet is behind RETH. */
    @Test
    void aWriteOfOnePacketNamesItsMemoryAndHasImmediateData() {
        put.operation = Operation.WRITE;
        put.immediate = true;
        put.immData = 0x0102_0304;
        put.solicited = true;
        take(true, true);
        RequestHeaders.takeReth(packet, taken);
        assertThat(taken.immData).isEqualTo(put.immData);
        assertThat(taken.solicited).isTrue();
        assertThat(taken.remoteAddress).isEqualTo(ADDRESS);
    }

    @Test
    void aKeyToInvalidateIsNoImmediateData() {
        put.operation = Operation.SEND;
        put.invalidates = true;
        put.invalidateKey = 0x0102_0304;
        taken.immediate = true;
        take(true, true);
        assertThat(taken.invalidates).isTrue();
        assertThat(taken.invalidateKey).isEqualTo(put.invalidateKey);
        assertThat(taken.immediate).isFalse();
        assertThat(packet.getInt(Bth.LENGTH, ByteOrder.BIG_ENDIAN)).as("in network order")
            .isEqualTo(put.invalidateKey);
    }
}
