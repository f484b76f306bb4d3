/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.SendRequest;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.List;

/** Atomics on one word of the peer's; each brings back the value before, which has to be what the model says. */
final class AtomicTurn extends AloneTurn {
    private final boolean validate;
    private final AtomicModel model;
    private final RegisteredMemory result;
    private final UnsafeBuffer old;
    private final SendRequest request = new SendRequest();

    private AtomicTurn(final PingPongEnd end, final AtomicModel model) {
        super(end);
        this.model = model;
        validate = end.options().validate();
        result = new RegisteredMemory(end.pd(), Long.BYTES);
        old = result.buffer();
        request.opcode(end.options().operation().opcode()).sge(result.address(), Long.BYTES, result.lkey());
    }

    static AtomicTurn compareAndSwap(final PingPongEnd end) {
        return new AtomicTurn(end, new AtomicModel.CompareAndSwap());
    }

    static AtomicTurn fetchAndAdd(final PingPongEnd end) {
        return new AtomicTurn(end, new AtomicModel.FetchAndAdd());
    }

    @Override
    public int borrows() {
        return 1;
    }

    @Override
    public void meet(final QpAddress peer, final List<RemoteMemory> memory) {
        request.remote(memory.get(0).address(), memory.get(0).rkey());
    }

    @Override
    public void take(final long iteration) {
        final long expected = model.value();
        if (validate && old.getLong(0) != expected) {
            throw end().corrupted(end().options().operation().title() + " of", iteration,
                "the value before is 0x%x instead of 0x%x", old.getLong(0), expected);
        }
        model.apply(request.compareAdd(), request.swap());
    }

    @Override
    public void move(final long iteration) {
        model.prepare(request, iteration);
        // So that a result which never came is not taken for the same value once more.
        old.putLong(0, ~model.value());
        end().post(request);
    }
}
