/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Operations and reading allocate nothing once keys are known. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AllocationTest {
    private static final int STEPS = TestBudget.rounds(4_000, 20_000);

    @RegisterExtension
    final Sides sides = new Sides();

    private final Counter counter = new Counter();

    private static final class Counter implements CompletionReader {
        private long good;
        private long sum;

        @Override
        public void onCompletion(final CompletionEntry entry) {
            if (!entry.isError()) {
                good++;
                sum += entry.context() + entry.length() + entry.data() + entry.kind().ordinal();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void allOperations(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion into = b.local();
        final MemoryRegion region = b.register(5);
        final long key = mode.key(a, region);
        final long there = region.base() + 4096;
        a.succeeds(() -> a.ep.write(a.at(0), 8, desc, there, key, 1));
        final long[] refused = new long[1];
        assertThat(Allocations.perStep(STEPS, () -> {
            refused[0] |= b.ep.receive(b.at(0), 64, into, 1);
            refused[0] |= a.ep.send(a.at(0), 64, desc, 2);
            refused[0] |= a.ep.write(a.at(0), 64, desc, there, key, 3);
            refused[0] |= a.ep.read(a.at(0), 64, desc, there, key, 4);
            refused[0] |= a.ep.writeWithData(a.at(0), 64, desc, 5, there, key, 6);
            refused[0] |= a.ep.fetchAdd(a.at(0), desc, 1, there, key, 7);
            refused[0] |= a.ep.compareSwap(a.at(0), desc, 1, 2, there, key, 8);
            read(a, 6);
            read(b, 2);
            a.cq.read(counter, 16);
        })).as("bytes").isZero();
        assertThat(refused[0]).isZero();
        assertThat(counter.good).isGreaterThan(8L * STEPS);
        assertThat(counter.sum).isNotZero();
        mode.release(a, key);
    }

    private void read(final Side side, final int count) {
        int left = count;
        while (left > 0) {
            left -= side.cq.read(counter, left);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PROV_KEY_VIRT", "APPLICATION_KEY_OFFSETS"})
    void alsoWhenNothingCanBeDone(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final MemoryRegion desc = a.local();
        final MemoryRegion foreign = both[1].local();
        final MemoryRegion closed = a.local();
        closed.close();
        for (int i = 0; i < 16; i++) {
            a.ep.receive(a.at(0), 8, desc, i);
        }
        final long[] codes = new long[1];
        assertThat(Allocations.perStep(STEPS, () -> {
            codes[0] |= a.ep.receive(a.at(0), 64, desc, 1);
            codes[0] |= a.ep.send(a.at(0), -1, desc, 2);
            codes[0] |= a.ep.send(a.at(0), 64, foreign, 3);
            codes[0] |= a.ep.send(a.at(0), 64, closed, 4);
            codes[0] |= a.ep.send(a.at(0), Side.SIZE + 1, desc, 4);
            codes[0] |= a.ep.fetchAdd(a.at(0), desc, 1, 7, 1, 7);
            codes[0] |= a.cq.read(null, 1);
            codes[0] |= a.cq.read(counter, -1);
        })).as("bytes").isZero();
        assertThat(codes[0]).isNegative();
    }

    @Test
    void messageFormsAndWaiting() {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion into = b.register(5);
        final MemoryRegion desc = a.local();
        final Message out = new Message(4).add(a.at(0), 8, desc).add(a.at(64), 8, desc)
            .remote(into.base() + 4096, into.key());
        final Message in = new Message(4).add(b.at(0), 8, into).add(b.at(64), 100, into);
        final UnsafeBuffer entries = new UnsafeBuffer(new byte[400]);
        final Duration soon = Patience.duration();
        final long[] refused = new long[1];
        assertThat(Allocations.perStep(STEPS, () -> {
            refused[0] |= b.ep.receiveMessage(in, 0) | b.ep.receiveMessage(in, 0) | b.ep.receiveMessage(in, 0);
            refused[0] |= a.ep.sendMessage(out, OpFlags.REMOTE_CQ_DATA) | a.ep.inject(a.bytes, 0, 16);
            refused[0] |= a.ep.sendMessage(out, OpFlags.INJECT);
            refused[0] |= a.ep.writeMessage(out, 0) | a.ep.writeMessage(out, OpFlags.INJECT) | a.ep.readMessage(out, 0);
            for (int left = 3; left > 0; left -= b.cq.awaitRead(counter, left, soon)) {
                Thread.onSpinWait();
            }
            for (int left = 5; left > 0; left -= a.cq.awaitRead(entries, 0, left, soon)) {
                Thread.onSpinWait();
            }
        })).as("bytes").isZero();
        assertThat(refused[0]).isZero();
        assertThat(counter.good).isGreaterThan(3L * STEPS);
    }
}
