/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.List;

/**
 * RDMA WRITEs, of which the peer gets no completion: it looks at the last eight bytes of its memory, where each message
 * has its number. They are read with acquire semantics, so that whoever sees them sees what was written before; that a
 * device writes the end of a message last is no law, but what all programs of this kind rely on.
 */
final class WriteTurn implements QpTurn {
    private static final int MARK = Long.BYTES;

    private final PingPongEnd end;
    private final boolean validate;
    private final int bodyBytes;
    private final RegisteredMemory outgoing;
    private final RegisteredMemory incoming;
    private final UnsafeBuffer inbox;
    private final SendRequest write = new SendRequest().opcode(SendOpcode.RDMA_WRITE);
    private final SignalMessages words;
    private long awaited;

    WriteTurn(final PingPongEnd end) {
        this.end = end;
        validate = end.options().validate();
        final int size = end.options().size();
        bodyBytes = size - MARK;
        outgoing = new RegisteredMemory(end.pd(), size);
        incoming = new RegisteredMemory(end.pd(), size, end.options().operation().rights());
        inbox = incoming.buffer();
        write.sge(outgoing.address(), size, outgoing.lkey());
        words = new SignalMessages(end);
        awaited = mark(0, !end.repliesOnly());
    }

    /** What fresh memory does not hold: never 0. */
    private static long mark(final long iteration, final boolean reply) {
        return Pattern.messageNumber(iteration, reply) + 1;
    }

    @Override
    public List<RemoteMemory> lends() {
        return List.of(incoming.lent());
    }

    @Override
    public int borrows() {
        return 1;
    }

    @Override
    public void meet(final QpAddress peer, final List<RemoteMemory> memory) {
        write.remote(memory.get(0).address(), memory.get(0).rkey());
        if (end.repliesOnly()) {
            words.listen();
        }
    }

    @Override
    public boolean isReady() {
        return inbox.getLongAcquire(bodyBytes) == awaited && end.isIdle();
    }

    @Override
    public void take(final long iteration) {
        final boolean reply = !end.repliesOnly();
        if (validate) {
            end.check(inbox, 0, bodyBytes, bodyBytes + MARK, Pattern.messageNumber(iteration, reply), end.wayHere(),
                iteration);
        }
        awaited = mark(iteration + 1, reply);
    }

    @Override
    public void move(final long iteration) {
        if (validate) {
            Pattern.fill(outgoing.buffer(), 0, bodyBytes, Pattern.messageNumber(iteration, end.repliesOnly()));
        }
        outgoing.buffer().putLong(bodyBytes, mark(iteration, end.repliesOnly()));
        end.post(write);
    }

    @Override
    public void sayFarewell() {
        words.sayFarewell();
    }

    @Override
    public boolean isFarewell() {
        return words.isFarewell();
    }

    @Override
    public String waitingFor() {
        final String send = end.waitingFor(false);
        return String.format("the mark 0x%x in its last 8 bytes, which are 0x%x%s", awaited,
            inbox.getLongAcquire(bodyBytes), send.isEmpty() ? "" : ", and " + send);
    }
}
