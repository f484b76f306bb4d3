/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;

import java.util.List;

/**
 * RDMA READs of what the peer has prepared: several messages in turns, so that bytes which a READ left as they were
 * are told from bytes that it brought.
 */
final class ReadTurn implements Turn {
    private final Endpoint end;
    private final PingPongOptions options;
    private final Slot incoming;
    private final SendRequest[] reads = new SendRequest[LentMemory.MESSAGES];
    private final Words words;
    private boolean asked;

    ReadTurn(final Endpoint end) {
        this.end = end;
        options = end.options();
        incoming = new Slot(end.pd(), options.size());
        words = new Words(end);
    }

    @Override
    public List<RemoteMemory> lends() {
        return List.of();
    }

    @Override
    public int borrows() {
        return LentMemory.MESSAGES;
    }

    @Override
    public void meet(final Peer peer) {
        for (int i = 0; i < LentMemory.MESSAGES; i++) {
            reads[i] = new SendRequest().opcode(SendOpcode.RDMA_READ)
                .sge(incoming.address(), options.size(), incoming.lkey())
                .remote(peer.memory().get(i).address(), peer.memory().get(i).rkey());
        }
    }

    @Override
    public boolean isReady() {
        return asked && end.isIdle();
    }

    @Override
    public void take(final long iteration) {
        asked = false;
        if (options.validate()) {
            final long message = LentMemory.messageNumber(LentMemory.indexOf(iteration));
            final int place = Pattern.firstDifference(incoming.buffer(), 0, options.size(), message);
            if (place != Pattern.NONE) {
                throw end.corrupted("READ of", iteration, "%s",
                    Pattern.describe(incoming.buffer(), 0, options.size(), message, place));
            }
        }
    }

    @Override
    public void move(final long iteration) {
        asked = true;
        end.post(reads[LentMemory.indexOf(iteration)]);
    }

    @Override
    public void sayStillHere() {
        words.sayStillHere();
    }

    @Override
    public void sayFarewell() {
        words.sayFarewell();
    }

    @Override
    public boolean isFarewell() {
        return false;
    }

    @Override
    public String waitingFor() {
        return end.waitingFor(false);
    }
}
