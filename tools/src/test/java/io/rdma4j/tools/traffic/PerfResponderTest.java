/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.SendRequest;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.function.BiConsumer;

/** A server, and a client that says by hand what it likes: whoever can connect is a stranger. */
class PerfResponderTest {
    private static final int LARGEST = 64;

    private static void serve(final PerfTest test, final BiConsumer<ControlChannel, PerfResponder> client) {
        final PerfOptions options = new PerfOptions(test,
            new PerfOptions.Load(List.of(test == PerfTest.ATOMIC_LAT ? 8 : LARGEST), 1, null, 0L, false, false),
            new PerfOptions.Queues(1, 1, 8, 8, 1, 0, null, 0), true, Patience.duration());
        try (RdmaContext context = RdmaDevices.open("emulated:perf-responder")) {
            final PerfEnd near = new PerfEnd(context, options, false);
            final PerfEnd far = new PerfEnd(context, options, true);
            near.meeting().here(far.meeting());
            client.accept(near.control(), new PerfResponder(far, test));
        }
    }

    /** Until the server has heard something. */
    private static void hear(final PerfResponder server) {
        final long deadline = System.nanoTime() + Patience.nanos();
        while (server.step() == 0) {
            assertThat(System.nanoTime() - deadline).as("the server hears nothing").isNegative();
            Patience.pause();
        }
    }

    private static void assertRefused(final ThrowingCallable hearing, final String why) {
        assertThatThrownBy(hearing).isInstanceOfSatisfying(RdmaException.class,
            e -> assertThat(e.errno()).isEqualTo(RdmaException.EINVAL)).hasMessageContaining(why);
    }

    /** Where the device sees each byte by itself, and where this program writes or posts. */
    @ParameterizedTest
    @CsvSource({"WRITE_LAT, 0", "WRITE_LAT, -1", "WRITE_LAT, 65", "WRITE_LAT, 2147483647", "WRITE_LAT, -2147483648",
        "SEND_LAT, -1", "SEND_LAT, 65", "SEND_BW, -1", "SEND_BW, 2147483647", "READ_LAT, 65", "ATOMIC_LAT, 9"})
    void sizesThatHaveNoRoomAreRefused(final PerfTest test, final int bytes) {
        serve(test, (client, server) -> {
            client.say(ControlChannel.START, bytes, 0);
            assertRefused(() -> hear(server), "it asks for messages of " + bytes + " bytes");
        });
    }

    @ParameterizedTest
    @EnumSource(value = PerfTest.class, names = {"WRITE_LAT", "SEND_LAT", "SEND_BW", "READ_BW"})
    void sizesThatHaveAreNot(final PerfTest test) {
        serve(test, (client, server) -> {
            for (final int bytes : new int[] {1, LARGEST}) {
                client.say(ControlChannel.START, bytes, 0);
                hear(server);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, -2, Long.MIN_VALUE})
    void countsBelowNothingAreRefused(final long count) {
        serve(PerfTest.SEND_BW, (client, server) -> {
            client.say(ControlChannel.STOP, 0, count);
            assertRefused(() -> hear(server), "it counted " + count + " messages");
        });
    }

    /** What the memory held before would be taken for the rest. */
    @Test
    void aWordIsWhole() {
        serve(PerfTest.SEND_BW, (client, server) -> {
            client.qp().postSend(new SendRequest());
            assertRefused(() -> hear(server), "it said 0 bytes instead of 16");
        });
    }
}
