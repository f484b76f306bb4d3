/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.pvrdma.EmulatedTime;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

import org.agrona.concurrent.UnsafeBuffer;

/** A domain with a completion queue, what was taken from it, and memory: what endpoints need. One thread. */
public class TestNode extends TestDomain {
    public final CompletionQueue cq;
    public final PinnedMemory memory;
    public final UnsafeBuffer bytes;
    public final Deque<Done> done = new ArrayDeque<>();
    /** Whose queues are read while this one waits; applications of all others do nothing. */
    public final List<TestNode> others = new ArrayList<>();

    public TestNode(final Hints hints, final int size) {
        super(hints);
        cq = keep(domain.openCompletionQueue(64));
        memory = keep(domain.allocate(size));
        bytes = memory.buffer();
    }

    public final long at(final int offset) {
        return memory.address() + offset;
    }

    public final void fill(final int offset, final int length, final int seed) {
        for (int i = 0; i < length; i++) {
            bytes.putByte(offset + i, pattern(i, seed));
        }
    }

    private static byte pattern(final int i, final int seed) {
        return (byte) (seed + 31 * i + (i >> 8));
    }

    /** What {@link #fill} writes. */
    public final void expect(final int offset, final int length, final int seed) {
        expect(offset, length, seed, 0);
    }

    /** Some of what {@link #fill} writes, from that byte on. */
    public final void expect(final int offset, final int length, final int seed, final int from) {
        for (int i = 0; i < length; i++) {
            if (bytes.getByte(offset + i) != pattern(from + i, seed)) {
                throw new AssertionError("byte " + i + " of " + length + " at " + offset + " differs");
            }
        }
    }

    /** Takes what there is. */
    public void take() {
        final int code = cq.read(entry -> done.add(Done.of(entry)), 64);
        assertThat(code).as(FiErrno.name(code)).isNotNegative();
    }

    public final void progress() {
        take();
        others.forEach(TestNode::take);
    }

    /** How long it waits at most. */
    protected Duration patience() {
        return Await.LONG;
    }

    public final void until(final BooleanSupplier condition) {
        Await.until(patience(), () -> this + ", others " + others, () -> {
            if (condition.getAsBoolean()) {
                return true;
            }
            progress();
            return false;
        });
    }

    /** Does what the caller of an operation has to do: again, with progress in between, while it says so. */
    public final void post(final IntSupplier operation) {
        final int[] code = new int[1];
        until(() -> {
            code[0] = operation.getAsInt();
            return code[0] != -FiErrno.FI_EAGAIN;
        });
        assertThat(code[0]).as("%s of %s", FiErrno.name(code[0]), this).isZero();
    }

    /** The next completion. */
    public final Done next() {
        until(() -> !done.isEmpty());
        return done.poll();
    }

    /** The next completion of some kind; all others stay. */
    public final Done next(final Predicate<Done> kind) {
        until(() -> done.stream().anyMatch(kind));
        final Done found = done.stream().filter(kind).findFirst().orElseThrow();
        done.remove(found);
        return found;
    }

    /** The next completion, which is there only when the peer has not answered for long. */
    public final Done nextAfterSilence() {
        until(() -> {
            passTime();
            return !done.isEmpty();
        });
        return done.poll();
    }

    /** As if a peer had not answered for the time of one try more. */
    protected void passTime() {
        EmulatedTime.pass(context);
    }

    public final Done succeeds(final IntSupplier operation) {
        return fails(0, operation);
    }

    public final Done fails(final int errno, final IntSupplier operation) {
        post(operation);
        final Done one = next();
        assertThat(one.error()).as("%s", one).isEqualTo(FiErrno.name(errno));
        return one;
    }

    @Override
    public String toString() {
        return "not looked at " + done;
    }
}
