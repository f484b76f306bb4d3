/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fipingpong;

import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.PinnedMemory;

import java.time.Duration;

/**
 * One end: a domain, a completion queue, memory, and an endpoint of one kind. One receive is always posted before the
 * other end can answer. Nothing is allocated from one message to the next.
 */
abstract class End implements AutoCloseable {
    private static final int ENTRIES = 16;
    private static final int SPINS = 1000;

    private final Domain domain;
    private final CompletionQueue queue;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final int room;
    private final CompletionReader reader = this::completed;
    private int sent;
    private int received;
    private long length;

    End(final Domain domain, final int room) {
        this.domain = domain;
        this.room = Math.max(1, room);
        queue = domain.openCompletionQueue(ENTRIES);
        memory = domain.allocate(2L * this.room);
        region = domain.register(new MrAttributes().buffer(memory).access(MrAccess.SEND, MrAccess.RECV));
    }

    abstract Endpoint endpoint();

    /** What the other end needs to know. */
    abstract byte[] name();

    abstract void meet(byte[] peer);

    abstract int post(long address, int bytes, MemoryRegion desc);

    abstract int postReceive(long address, int bytes, MemoryRegion desc);

    Domain domain() {
        return domain;
    }

    CompletionQueue queue() {
        return queue;
    }

    int sent() {
        return sent;
    }

    int received() {
        return received;
    }

    boolean hasReceived(final int count) {
        return received - count >= 0;
    }

    boolean hasSent(final int count) {
        return sent - count >= 0;
    }

    void receive(final Meanwhile meanwhile, final Duration timeout) {
        final long end = System.nanoTime() + timeout.toNanos();
        int code = postReceive(memory.address() + room, room, region);
        while (code == -FiErrno.FI_EAGAIN && System.nanoTime() - end < 0) {
            meanwhile.step();
            code = postReceive(memory.address() + room, room, region);
        }
        check("receive", code);
    }

    /** Sends a message; seed is what its bytes are counted from, -1 to leave them. */
    void send(final int bytes, final int seed, final Meanwhile meanwhile, final Duration timeout) {
        for (int i = 0; seed >= 0 && i < bytes; i++) {
            memory.buffer().putByte(i, (byte) (seed + i));
        }
        final long end = System.nanoTime() + timeout.toNanos();
        int code = post(memory.address(), bytes, region);
        while (code == -FiErrno.FI_EAGAIN && System.nanoTime() - end < 0) {
            meanwhile.step();
            code = post(memory.address(), bytes, region);
        }
        check("send", code);
    }

    /** What came last is this. */
    void expect(final int bytes, final int seed) {
        if (length != bytes) {
            throw failure("receive").detail("%d bytes came, %d were sent", length, bytes).errno(FiErrno.FI_EIO)
                .hint("give both sides the same -S").build();
        }
        for (int i = 0; seed >= 0 && i < bytes; i++) {
            if (memory.buffer().getByte(room + i) != (byte) (seed + i)) {
                throw failure("check message").detail("byte %d of %d is 0x%02x, sent was 0x%02x", i, bytes,
                    memory.buffer().getByte(room + i), (byte) (seed + i)).errno(FiErrno.FI_EIO).build();
            }
        }
    }

    /** Makes progress. */
    void step() {
        check("read completions", Math.min(0, queue.read(reader, ENTRIES)));
    }

    private void completed(final CompletionEntry entry) {
        if (entry.isError()) {
            throw failure(entry.kind() == OperationKind.RECEIVE ? "receive" : "send")
                .detail("%s", entry.providerError()).errno(entry.errno()).build();
        }
        if (entry.kind() == OperationKind.RECEIVE) {
            received++;
            length = entry.length();
        } else {
            sent++;
        }
    }

    private FabricException.Builder failure(final String what) {
        return FabricException.of("fi_pingpong: " + what);
    }

    private void check(final String what, final int code) {
        if (code != 0) {
            throw failure(what).detail("%s", endpoint()).errno(-code).build();
        }
    }

    /** Waits until something is so, while it makes progress. */
    void await(final Condition condition, final Meanwhile meanwhile, final Duration timeout) {
        final long end = System.nanoTime() + timeout.toNanos();
        for (int spins = 0; !condition.isSo(); spins++) {
            meanwhile.step();
            if (spins % SPINS == SPINS - 1) {
                if (System.nanoTime() - end >= 0) {
                    throw failure("wait for a message").detail("nothing came for %s s; %d sent, %d received; %s",
                        timeout.toMillis() / 1000.0, sent, received, endpoint()).errno(FiErrno.FI_ETIMEDOUT)
                        .hint("the other end has ended, or its device does not reach this one; datagrams may be lost")
                        .build();
                }
                Thread.yield();
            }
        }
    }

    /** What is done while waiting. */
    @FunctionalInterface
    interface Meanwhile {
        /** Makes progress of all ends of this process. */
        void step();
    }

    /** What is waited for. */
    @FunctionalInterface
    interface Condition {
        /** Whether it is so. */
        boolean isSo();
    }

    @Override
    public void close() {
        endpoint().close();
        region.close();
        memory.close();
        queue.close();
        domain.close();
    }
}
