/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;

/** An endpoint that sends tagged messages back, with another tag, and has memory for its peers. One thread. */
final class FabricEcho implements AutoCloseable {
    /** In the tag of what comes back. */
    static final long BACK = 1L << 63;
    static final int SPACE = 64 * 1024;
    static final int SLOT = 16 * 1024;
    private static final int SLOTS = 8;
    private static final int KEY = 4711;
    private static final long SENT = 1 << 8;

    private record Answer(int slot, int length, long to, long tag) {
    }

    private final FabricNode node;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final AddressedEndpoint endpoint;
    private final Deque<Answer> waiting = new ArrayDeque<>();

    FabricEcho(final RdmaContext context) {
        node = new FabricNode(context, new CacheAttributes());
        memory = node.domain.allocate(SPACE + SLOTS * SLOT);
        region = node.domain.register(memory.address(), SPACE, EnumSet.of(MrAccess.REMOTE_READ,
            MrAccess.REMOTE_WRITE), KEY);
        endpoint = node.endpoint();
        for (int slot = 0; slot < SLOTS; slot++) {
            receive(slot);
        }
    }

    /** Its address and that of its memory. */
    String address() {
        return endpoint.address() + " " + region.base() + " " + region.key();
    }

    long know(final FabricAddress peer) {
        return node.vector.insert(peer);
    }

    void forget(final long peer) {
        node.vector.remove(new long[] {peer}, 1, 0);
    }

    private void receive(final int slot) {
        final int code = endpoint.tagged().receive(at(slot), SLOT, null, FiAddr.UNSPEC, 0, ~BACK, slot);
        if (code != 0) {
            throw new AssertionError("receive: " + FiErrno.name(code));
        }
    }

    private long at(final int slot) {
        return memory.address() + SPACE + (long) slot * SLOT;
    }

    /** Whether there was something to do. */
    boolean serve() {
        final int taken = node.cq.read(this::onCompletion, SLOTS);
        for (int i = waiting.size(); i > 0; i--) {
            answer(waiting.poll());
        }
        return taken > 0 || !waiting.isEmpty();
    }

    private void onCompletion(final CompletionEntry entry) {
        if (entry.context() >= SENT) {
            receive((int) (entry.context() - SENT));
        } else if (entry.isError() || entry.kind() != OperationKind.TAGGED_RECEIVE
            || entry.source() == FiAddr.NOTAVAIL) {
            receive((int) entry.context());
        } else {
            answer(new Answer((int) entry.context(), (int) entry.length(), entry.source(), entry.tag() | BACK));
        }
    }

    private void answer(final Answer answer) {
        final int code = endpoint.tagged().send(at(answer.slot), answer.length, null, answer.to, answer.tag,
            SENT + answer.slot);
        if (code == -FiErrno.FI_EAGAIN) {
            waiting.add(answer);
        } else if (code != 0) {
            // Who asked is forgotten by now.
            receive(answer.slot);
        }
    }

    @Override
    public void close() {
        endpoint.close();
        region.close();
        memory.close();
        node.close();
    }
}
