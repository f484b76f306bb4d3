/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.TaggedMessages;
import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.TestBudget;

import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Once a peer is known nothing is allocated: not for short or long messages, not for those that wait, not for RMA. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RdmAllocationTest {
    private static final int STEPS = TestBudget.rounds(4_000, 20_000);

    @RegisterExtension
    final World world = new World();

    /** Counts, and keeps nothing. */
    private static final class Counter implements CompletionReader {
        private int good;
        private int bad;

        @Override
        public void onCompletion(final CompletionEntry entry) {
            if (entry.isError()) {
                bad++;
            } else {
                good++;
            }
        }
    }

    private final Counter counter = new Counter();

    private void await(final Rank a, final Rank b, final int count) {
        counter.good = 0;
        for (int i = 0; i < 1_000_000 && counter.good + counter.bad < count; i++) {
            a.cq.read(counter, 16);
            b.cq.read(counter, 16);
        }
    }

    @Test
    void allOperations() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        final long toA = b.knows(a);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[64]);
        final long key = b.region.key();
        a.succeeds(() -> a.ep.write(a.at(0), 8, a.region, toB, b.region.base(), key, 1));
        final int[] refused = new int[1];
        assertThat(Allocations.perStep(STEPS, () -> {
            refused[0] |= a.ep.send(a.at(0), 64, a.region, toB, 1);
            refused[0] |= a.ep.inject(heap, 0, 64, toB);
            refused[0] |= a.ep.send(a.at(0), 10_000, a.region, toB, 2);
            await(a, b, 0);
            refused[0] |= b.ep.receive(b.at(0), 16_000, b.region, toA, 3);
            refused[0] |= b.ep.receive(b.at(0), 16_000, b.region, FiAddr.UNSPEC, 4);
            refused[0] |= b.ep.receive(b.at(0), 16_000, b.region, FiAddr.UNSPEC, 5);
            refused[0] |= a.ep.write(a.at(0), 8, a.region, toB, b.region.base(), key, 6);
            refused[0] |= a.ep.writeWithData(a.at(0), 8, a.region, 5, toB, b.region.base(), key, 7);
            await(a, b, 8);
        })).isZero();
        assertThat(refused[0]).isZero();
        assertThat(counter.bad).isZero();
    }

    /** Messages whose delivery is told, into buffers that take several. */
    @Test
    void deliveryAndBuffersForSeveralMessages() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        b.knows(a);
        final Message message = new Message(1).add(a.at(0), 64, a.region).peer(toB).context(1);
        final Message longer = new Message(1).add(a.at(0), 10_000, a.region).peer(toB).context(1);
        final Message whole = new Message(1).add(b.at(0), 20_160, b.region).context(2);
        a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toB, 0));
        b.post(() -> b.ep.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 0));
        b.next();
        final int[] refused = new int[1];
        assertThat(Allocations.perStep(STEPS, () -> {
            refused[0] |= a.ep.sendMessage(message, OpFlags.DELIVERY_COMPLETE);
            refused[0] |= a.ep.sendMessage(longer, 0);
            refused[0] |= b.ep.receiveMessage(whole, OpFlags.MULTI_RECV);
            await(a, b, 4);
            refused[0] |= a.ep.sendMessage(longer, OpFlags.DELIVERY_COMPLETE);
            refused[0] |= a.ep.sendMessage(message, 0);
            await(a, b, 4);
        })).isZero();
        assertThat(refused[0]).isZero();
        assertThat(counter.bad).isZero();
    }

    /** Receives before and after their messages, with and without a source, looks and claims. */
    @Test
    void taggedOperations() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        final long toA = b.knows(a);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[64]);
        final TaggedMessages from = a.ep.tagged();
        final TaggedMessages to = b.ep.tagged();
        final Message message = new Message(1).add(b.at(0), 16_000, b.region).tag(3).context(9);
        a.succeeds(() -> from.send(a.at(0), 8, a.region, toB, 0, 1));
        b.post(() -> to.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 0, 0, 1));
        b.next();
        final int[] refused = new int[1];
        assertThat(Allocations.perStep(STEPS, () -> {
            refused[0] |= to.receive(b.at(0), 16_000, b.region, toA, 1, 0, 3);
            refused[0] |= to.receive(b.at(0), 16_000, b.region, FiAddr.UNSPEC, 4, 3, 4);
            refused[0] |= from.send(a.at(0), 64, a.region, toB, 1, 1);
            refused[0] |= from.inject(heap, 0, 64, toB, 5);
            refused[0] |= from.send(a.at(0), 10_000, a.region, toB, 2, 2);
            refused[0] |= from.injectWithData(heap, 0, 64, 7, toB, 3);
            await(a, b, 4);
            refused[0] |= to.receive(b.at(0), 16_000, b.region, FiAddr.UNSPEC, 2, 0, 5);
            refused[0] |= to.receiveMessage(message, OpFlags.PEEK);
            refused[0] |= to.receiveMessage(message, OpFlags.PEEK | OpFlags.CLAIM);
            refused[0] |= to.receiveMessage(message, OpFlags.CLAIM);
            await(a, b, 4);
        })).isZero();
        assertThat(refused[0]).isZero();
        assertThat(counter.bad).isZero();
    }
}
