/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.verbs.SendRequest;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.List;

/** Atomics on one word of the peer's; each brings back the value before, which has to be what the model says. */
final class AtomicTurn implements Turn {
    private final Endpoint end;
    private final boolean validate;
    private final AtomicModel model;
    private final Slot result;
    private final UnsafeBuffer old;
    private final SendRequest request = new SendRequest();
    private final Words words;
    private boolean asked;

    private AtomicTurn(final Endpoint end, final AtomicModel model) {
        this.end = end;
        this.model = model;
        validate = end.options().validate();
        result = new Slot(end.pd(), Long.BYTES);
        old = result.buffer();
        request.opcode(model.opcode()).sge(result.address(), Long.BYTES, result.lkey());
        words = new Words(end);
    }

    static AtomicTurn compareAndSwap(final Endpoint end) {
        return new AtomicTurn(end, new CompareAndSwapModel());
    }

    static AtomicTurn fetchAndAdd(final Endpoint end) {
        return new AtomicTurn(end, new FetchAndAddModel());
    }

    @Override
    public List<RemoteMemory> lends() {
        return List.of();
    }

    @Override
    public int borrows() {
        return 1;
    }

    @Override
    public void meet(final Peer peer) {
        request.remote(peer.memory().get(0).address(), peer.memory().get(0).rkey());
    }

    @Override
    public boolean isReady() {
        return asked && end.isIdle();
    }

    @Override
    public void take(final long iteration) {
        asked = false;
        final long expected = model.value();
        if (validate && old.getLong(0) != expected) {
            throw end.corrupted(end.options().operation().title() + " of", iteration,
                "the value before is 0x%x instead of 0x%x", old.getLong(0), expected);
        }
        model.apply(request.compareAdd(), request.swap());
    }

    @Override
    public void move(final long iteration) {
        asked = true;
        model.prepare(request, iteration);
        // So that a result which never came is not taken for the same value once more.
        old.putLong(0, ~model.value());
        end.post(request);
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
