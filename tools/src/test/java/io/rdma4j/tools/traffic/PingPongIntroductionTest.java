/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PingPongIntroductionTest {
    private static PingPongIntroduction introduction(final Operation operation) {
        return new PingPongIntroduction(operation, 64, true,
            List.of(new RemoteMemory(0x7f00_1234_5678_9abcL, -2), new RemoteMemory(-8, 3)));
    }

    @Test
    void arrivesAsItWasSent() {
        for (final Operation operation : Operation.values()) {
            final PingPongIntroduction sent = introduction(operation);
            assertThat(PingPongIntroduction.parse(sent.toBytes())).isEqualTo(sent);
        }
    }

    @Test
    void bytesThatMakeNoSenseAreRefused() {
        final byte[] right = introduction(Operation.WRITE).toBytes();
        for (int length = 0; length < right.length; length++) {
            refused(Arrays.copyOf(right, length));
        }
        refused(Arrays.copyOf(right, right.length + 1));
        final Random random = new Random(4);
        for (int i = 0; i < 20_000; i++) {
            final byte[] wrong = right.clone();
            wrong[random.nextInt(wrong.length)] = (byte) random.nextInt();
            try {
                PingPongIntroduction.parse(wrong);
            } catch (final RdmaException e) {
                assertThat(e.errno()).isEqualTo(RdmaException.EINVAL);
            }
        }
    }

    private static void refused(final byte[] bytes) {
        assertThatThrownBy(() -> PingPongIntroduction.parse(bytes)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("EINVAL").hasMessageContaining("start rdma4j pingpong on both sides");
    }

    @Test
    void onlyTheSameGameMatches() {
        introduction(Operation.READ).requireMatch(introduction(Operation.READ));
        final PingPongIntroduction other = introduction(Operation.SEND);
        assertThatThrownBy(() -> introduction(Operation.READ).requireMatch(other))
            .hasMessageContaining("this side plays --op read --size 64, the other side --op send --size 64");
    }
}
