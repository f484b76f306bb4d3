/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;

/** A completion of the fabric interfaces, kept. */
record FabricWc(
    long context, OperationKind kind, long length, boolean hasData, int data, long source, long tag, long overflow,
    int errno, String error, long buffer, boolean isBufferReleased) {

    static FabricWc of(final CompletionEntry entry) {
        return new FabricWc(entry.context(), entry.kind(), entry.length(), entry.hasData(), entry.data(),
            entry.source(), entry.tag(), entry.overflow(), entry.isError() ? entry.errno() : 0, entry.providerError(),
            entry.buffer(), entry.isBufferReleased());
    }

    /** It is of this operation, which went well. */
    FabricWc expect(final long wanted, final OperationKind operation) {
        Check.that(errno == 0, "%s of context %d failed with %s: %s", operation, wanted, FiErrno.name(errno), error);
        Check.equal(operation, kind, "kind of %s", this);
        Check.equal(wanted, context, "context of %s", this);
        return this;
    }

    FabricWc expectLength(final long wanted) {
        Check.equal(wanted, length, "length of %s", this);
        return this;
    }

    FabricWc expectData(final int wanted) {
        Check.that(hasData && data == wanted, "0x%x was sent, %s came", wanted, this);
        return this;
    }

    FabricWc expectSource(final long wanted) {
        Check.equal(wanted, source, "source of %s", this);
        return this;
    }

    /** It is of a buffer for several messages, and there. */
    FabricWc expectBuffer(final long address, final boolean isReleased) {
        Check.equal(address, buffer, "buffer of %s", this);
        Check.equal(isReleased, isBufferReleased, "whether the buffer is released by %s", this);
        return this;
    }

    FabricWc expectTag(final long wanted) {
        Check.equal(wanted, tag, "tag of %s", this);
        return this;
    }

    /** It is of this operation, which failed like this, and says so. */
    FabricWc expectError(final long wanted, final int error1) {
        Check.equal(FiErrno.name(error1), FiErrno.name(errno), "errno of %s", this);
        Check.equal(wanted, context, "context of %s", this);
        Check.that(!error.isBlank(), "%s does not say what went wrong", this);
        return this;
    }
}
