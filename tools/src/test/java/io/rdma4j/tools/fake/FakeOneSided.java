/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.verbs.SendRequest;
import org.agrona.concurrent.UnsafeBuffer;

/** What a QP does in its peer's memory, as the last eight bytes last. Corrupts the first byte that it moves. */
final class FakeOneSided {
    private static final int FLIP = 0x10;

    private final UnsafeBuffer local = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer remote = new UnsafeBuffer(0, 0);

    void execute(final SendRequest request, final boolean corrupt) {
        final int length = request.sges().length(0);
        local.wrap(request.sges().address(0), length);
        remote.wrap(request.remoteAddress(), length);
        switch (request.opcode()) {
            case RDMA_WRITE:
                write(length, corrupt);
                break;
            case RDMA_READ:
                local.putBytes(0, remote, 0, length);
                flip(corrupt);
                break;
            case ATOMIC_CMP_AND_SWP:
                local.putLong(0, remote.getLong(0));
                remote.compareAndSetLong(0, request.compareAdd(), request.swap());
                flip(corrupt);
                break;
            case ATOMIC_FETCH_AND_ADD:
                local.putLong(0, remote.getAndAddLong(0, request.compareAdd()));
                flip(corrupt);
                break;
            default:
                throw Unused.call("opcode " + request.opcode());
        }
    }

    private void write(final int length, final boolean corrupt) {
        final int body = length - Long.BYTES;
        remote.putBytes(0, local, 0, body);
        if (corrupt) {
            remote.putByte(0, (byte) (remote.getByte(0) ^ FLIP));
        }
        remote.putLongRelease(body, local.getLong(body));
    }

    private void flip(final boolean corrupt) {
        if (corrupt) {
            local.putByte(0, (byte) (local.getByte(0) ^ FLIP));
        }
    }
}
