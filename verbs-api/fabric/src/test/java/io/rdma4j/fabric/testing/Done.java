/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.testing;

import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;

/** A completion that was taken. */
public record Done(
    Endpoint endpoint, OperationKind kind, long context, long length, boolean hasData, int data, long source,
    long tag, long overflow, int errno, String text, long buffer, boolean released) {
    public static Done of(final CompletionEntry entry) {
        if (entry.isError() != (entry.errno() != 0) || entry.isError() == entry.providerError().isEmpty()) {
            throw new AssertionError("an entry that contradicts itself: " + entry);
        }
        return new Done(entry.endpoint(), entry.kind(), entry.context(), entry.length(), entry.hasData(), entry.data(),
            entry.source(), entry.tag(), entry.overflow(), entry.errno(), entry.providerError(), entry.buffer(),
            entry.isBufferReleased());
    }

    public String error() {
        return FiErrno.name(errno);
    }

    @Override
    public String toString() {
        return kind + "#" + context + " " + length + " bytes" + (hasData ? " data " + data : "")
            + (source == FiAddr.NOTAVAIL ? "" : " from " + source) + (overflow == 0 ? "" : " over " + overflow)
            + (errno == 0 ? "" : " " + error() + " " + text);
    }
}
