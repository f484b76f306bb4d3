/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EMSGSIZE;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.OperationKind;

import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;

/** What holds for injected messages of every kind of endpoint: the buffer is free at once, and no completion comes. */
final class Injecting {
    private static final int PAGE = 4096;
    private static final Duration QUIET = Duration.ofMillis(30);

    private Injecting() {
    }

    static void check(final ConformanceEnv env, final Peer near, final Peer far) {
        final AddressedEndpoint endpoint = near.endpoint();
        final FabricMemory to = far.buffer(PAGE);
        final int most = near.domain().info().transmitAttributes().injectSize();
        Check.that(most >= 64, "only %d bytes can be injected", most);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[PAGE]);
        for (final int length : new int[] {0, 1, 63, most}) {
            to.guard();
            far.receive(to, 100, most, length);
            for (int i = 0; i < length; i++) {
                heap.putByte(i, Memory.pattern(length, i));
            }
            near.post(() -> endpoint.inject(heap, 0, length, near.to(far)), "inject");
            heap.setMemory(0, PAGE, (byte) 0);
            far.next().expect(length, OperationKind.RECEIVE).expectLength(length);
            to.expectOnly(length, 100, length, "injected");
            env.moved(length);
        }
        FabricCheck.code(FI_EMSGSIZE, endpoint.inject(heap, 0, most + 1, near.to(far)), "one byte too much");
        withData(near, far, to, heap);
        near.none(QUIET, "injected messages have no completions");
    }

    private static void withData(final Peer near, final Peer far, final FabricMemory to, final UnsafeBuffer heap) {
        if (near.domain().info().domainAttributes().cqDataSize() == 0) {
            return;
        }
        far.receive(to, 0, 64, 3);
        near.post(() -> near.endpoint().injectWithData(heap, 0, 8, -7, near.to(far)), "inject with data");
        far.next().expect(3, OperationKind.RECEIVE).expectLength(8).expectData(-7);
    }
}
