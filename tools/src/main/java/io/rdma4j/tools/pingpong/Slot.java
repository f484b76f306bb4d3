/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import org.agrona.concurrent.UnsafeBuffer;

/** Registered memory for one message. It comes from the context, since some devices reach no other; it goes with it. */
final class Slot {
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final UnsafeBuffer buffer;

    Slot(final ProtectionDomain pd, final int length) {
        memory = pd.context().allocate(Math.max(1, length));
        region = pd.register(memory, AccessFlag.LOCAL_WRITE);
        buffer = memory.buffer();
    }

    long address() {
        return memory.address();
    }

    int lkey() {
        return region.lkey();
    }

    UnsafeBuffer buffer() {
        return buffer;
    }
}
