/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.RdmaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HelloTest {
    private static final UUID HERE = new UUID(1, 2);
    private static final UUID THERE = new UUID(3, 4);

    private static Hello hello(final String game, final UUID process, final boolean staysInside) {
        return new Hello(3, game, process, staysInside, new Lent(0x1234_5678_9abcL, 0xdeadbeef));
    }

    @Test
    void whatIsSaidIsUnderstood() {
        final Hello hello = hello("send_lat -s 2", HERE, true);
        assertThat(Hello.parse(hello.toBytes())).isEqualTo(hello);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 35, 237, 1024})
    void otherLengthsAreRefused(final int length) {
        final byte[] bytes = java.util.Arrays.copyOf(hello("x", HERE, false).toBytes(), length);
        assertThatThrownBy(() -> Hello.parse(bytes)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("no perf of this version");
    }

    @Test
    void anotherVersionIsRefused() {
        final byte[] bytes = hello("x", HERE, false).toBytes();
        bytes[3]++;
        assertThatThrownBy(() -> Hello.parse(bytes)).hasMessageContaining("no perf of this version");
    }

    @Test
    void bothHaveToWantTheSame() {
        assertThatCode(() -> hello("a", HERE, false).requireMatch(hello("a", THERE, false))).doesNotThrowAnyException();
        assertThatCode(() -> hello("a", HERE, true).requireMatch(hello("a", HERE, true))).doesNotThrowAnyException();
        assertThatThrownBy(() -> hello("a", HERE, false).requireMatch(hello("b\u001b[1m", THERE, false)))
            .hasMessageContaining("this side runs 'a', the other side 'b?[1m'");
        assertThatThrownBy(() -> hello("a", HERE, false).requireMatch(hello("a", THERE, true)))
            .hasMessageContaining("a part of its process");
    }
}
