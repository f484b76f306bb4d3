/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;

/** Endpoints that tell of success only where it was asked for. */
final class SelectiveCompletion {
    private static final int PAGE = 4096;

    private SelectiveCompletion() {
    }

    static void check(final ConformanceEnv env, final Peer near, final Peer far) {
        final FabricMemory from = near.buffer(PAGE);
        final FabricMemory to = far.buffer(PAGE);
        final Message message = new Message(1).add(from.at(0), 64, from.region()).peer(near.to(far));
        for (int round = 0; round < env.times(2, 10); round++) {
            for (int i = 0; i < 4; i++) {
                far.receive(to, i * 64, 64, i);
            }
            for (int i = 0; i < 3; i++) {
                near.send(from, 0, 64, near.to(far), 100 + i);
            }
            near.post(() -> near.endpoint().sendMessage(message.context(200), OpFlags.COMPLETION), "sendMessage");
            for (int i = 0; i < 4; i++) {
                far.next().expect(i, OperationKind.RECEIVE).expectLength(64);
                env.moved(64);
            }
            near.next().expect(200, OperationKind.SEND);
            Check.that(!near.ready(), "success was told that nobody asked for");
        }
    }
}
