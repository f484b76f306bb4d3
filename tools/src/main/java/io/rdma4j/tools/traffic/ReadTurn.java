/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;

import java.util.List;

/**
 * RDMA READs of what the peer has prepared: several messages in turns, so that bytes which a READ left as they were
 * are told from bytes that it brought.
 */
final class ReadTurn extends AloneTurn {
    private final PingPongOptions options;
    private final RegisteredMemory incoming;
    private final SendRequest[] reads = new SendRequest[LendingTurn.MESSAGES];

    ReadTurn(final PingPongEnd end) {
        super(end);
        options = end.options();
        incoming = new RegisteredMemory(end.pd(), options.size());
    }

    @Override
    public int borrows() {
        return LendingTurn.MESSAGES;
    }

    @Override
    public void meet(final QpAddress peer, final List<RemoteMemory> memory) {
        for (int i = 0; i < LendingTurn.MESSAGES; i++) {
            reads[i] = new SendRequest().opcode(SendOpcode.RDMA_READ)
                .sge(incoming.address(), options.size(), incoming.lkey())
                .remote(memory.get(i).address(), memory.get(i).rkey());
        }
    }

    @Override
    public void take(final long iteration) {
        if (options.validate()) {
            final long message = LendingTurn.messageNumber(LendingTurn.indexOf(iteration));
            end().check(incoming.buffer(), 0, options.size(), options.size(), message, "READ of", iteration);
        }
    }

    @Override
    public void move(final long iteration) {
        end().post(reads[LendingTurn.indexOf(iteration)]);
    }
}
