/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.link.Message;
import io.rdma4j.hw.pvrdma.GidType;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteOrder;
import java.util.HexFormat;

/** What is in front of a datagram is the header with which it came over the wire, or would have. */
class GrhTest {
    private final Grh grh = new Grh();
    private final Message message = new Message(null, null);

    private UnsafeBuffer filled() {
        return new UnsafeBuffer(grh.fill(message), Grh.LENGTH);
    }

    /** As Linux' SoftRoCE showed it. */
    @Test
    void anIpv4HeaderIsWhole() {
        message.gidType = GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2;
        message.sourceGidLow = 0xffff_c000_0202L;
        message.destGidLow = 0xffff_c000_0201L;
        message.hopLimit = 64;
        message.length = 8;
        final byte[] bytes = new byte[Grh.LENGTH];
        filled().getBytes(0, bytes);
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("00".repeat(20)
            + "4500003c000040004011b6adc0000202c0000201");
    }

    /** Type 1 is RoCE v1, which has no UDP header. */
    @ParameterizedTest
    @CsvSource({"1, 8, false, 32", "2, 8, false, 40", "1, 5, false, 32", "2, 5, false, 40", "1, 5, true, 36",
        "2, 5, true, 44", "1, 0, false, 24", "2, 0, true, 36", "2, 4096, true, 4132"})
    void thePayloadOfAnIpv6HeaderIsAllBehindIt(int type, int length, boolean immediate, int expected) {
        message.gidType = type;
        message.sourceGidHigh = 0xfe80L << 48;
        message.destGidHigh = 0xfe80L << 48;
        message.length = length;
        message.immediate = immediate;
        assertThat(filled().getShort(4, ByteOrder.BIG_ENDIAN)).isEqualTo((short) expected);
    }
}
