/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;


import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PerfIntroductionTest {
    private static PerfIntroduction hello(final String game) {
        return new PerfIntroduction(3, game, new RemoteMemory(0x1234_5678_9abcL, 0xdeadbeef));
    }

    @Test
    void whatIsSaidIsUnderstood() {
        final PerfIntroduction hello = hello("send_lat -s 2");
        assertThat(PerfIntroduction.parse(hello.toBytes())).isEqualTo(hello);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 19, 221, 1024})
    void otherLengthsAreRefused(final int length) {
        final byte[] bytes = java.util.Arrays.copyOf(hello("x").toBytes(), length);
        assertThatThrownBy(() -> PerfIntroduction.parse(bytes)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("no perf of this version");
    }

    @Test
    void anotherVersionIsRefused() {
        final byte[] bytes = hello("x").toBytes();
        bytes[3]++;
        assertThatThrownBy(() -> PerfIntroduction.parse(bytes)).hasMessageContaining("no perf of this version");
    }

    @Test
    void bothHaveToWantTheSame() {
        assertThatCode(() -> hello("a").requireMatch(hello("a"))).doesNotThrowAnyException();
        assertThatThrownBy(() -> hello("a").requireMatch(hello("b\u001b[1m")))
            .hasMessageContaining("this side runs 'a', the other side 'b?[1m'");
    }
}
