/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.OperationKind;

/** What holds for data beside messages (remote CQ data) for every kind of endpoint that carries it. */
final class RemoteData {
    private static final int PAGE = 4096;
    private static final int LENGTH = 64;

    private RemoteData() {
    }

    static void check(final ConformanceEnv env, final Peer near, final Peer far) {
        final FabricMemory from = near.buffer(PAGE);
        final FabricMemory to = far.buffer(PAGE);
        for (final int data : new int[] {0, 1, -1, 0x1234_5678}) {
            far.receive(to, 0, LENGTH, 1);
            near.post(() -> near.endpoint().sendWithData(from.at(0), LENGTH, from.region(), data, near.to(far), 2),
                "send with data");
            near.next().expect(2, OperationKind.SEND);
            far.next().expect(1, OperationKind.RECEIVE).expectLength(LENGTH).expectData(data);
            env.moved(LENGTH);
        }
        far.receive(to, 0, LENGTH, 1);
        near.send(from, 0, LENGTH, near.to(far), 2);
        near.next().expect(2, OperationKind.SEND);
        Check.that(!far.next().hasData(), "data that nobody sent");
    }
}
