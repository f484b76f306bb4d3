/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A context as of a library, in memory of the test's own. */
class ContextCheckTest {
    private static final List<String> MAPS = List.of(
        "1000-2000 r-xp 00000000 fe:00 11 /usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so",
        "2000-3000 rw-p 00001000 fe:00 11 /usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so",
        "3000-4000 r-xp 00000000 fe:00 12 /usr/lib/x86_64-linux-gnu/libc.so.6");
    /** In front of the context: more than any of its members lies there. */
    private static final int FRONT = 512;

    private final UnsafeBuffer memory = Struct.allocate(FRONT + Abi.Context.LENGTH);
    private final long context = memory.addressOffset() + FRONT;

    @BeforeEach
    void isAsOfALibrary() {
        for (int at = 0; at < memory.capacity(); at += Long.BYTES) {
            memory.putLong(at, 0x1800);
        }
        memory.putLong(FRONT - Abi.VerbsContext.SZ, memory.capacity());
    }

    @Test
    void functionsOfALibraryAreCalled() {
        assertThat(ContextCheck.strange(context, MAPS)).isNull();
        assertThat(ContextCheck.hasWindows(context)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {Abi.Context.OPS_ALLOC_MW, Abi.Context.OPS_BIND_MW, Abi.Context.OPS_DEALLOC_MW,
        Abi.Context.OPS_POLL_CQ, Abi.Context.OPS_REQ_NOTIFY_CQ, Abi.Context.OPS_POST_SEND, Abi.Context.OPS_POST_RECV,
        Abi.Context.OPS_POST_SRQ_RECV, -Abi.VerbsContext.QUERY_DEVICE_EX, -Abi.VerbsContext.QUERY_PORT,
        -Abi.VerbsContext.ADVISE_MR})
    void whatIsInNoLibraryIsToldWithItsPlace(final int member) {
        for (final int elsewhere : new int[] {0x800, 0x2800, 0x3800}) {
            memory.putLong(FRONT + member, elsewhere);
            assertThat(ContextCheck.strange(context, MAPS)).contains("byte " + member + " is 0x");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Abi.Context.OPS_ALLOC_MW, Abi.Context.OPS_BIND_MW, Abi.Context.OPS_DEALLOC_MW})
    void aDriverNeedNotHaveWindows(final int member) {
        memory.putLong(FRONT + member, 0);
        assertThat(ContextCheck.strange(context, MAPS)).isNull();
        assertThat(ContextCheck.hasWindows(context)).isFalse();
    }

    @Test
    void whatMovesDataIsThere() {
        memory.putLong(FRONT + Abi.Context.OPS_POST_SEND, 0);
        assertThat(ContextCheck.strange(context, MAPS)).contains("is 0x0");
    }
}
