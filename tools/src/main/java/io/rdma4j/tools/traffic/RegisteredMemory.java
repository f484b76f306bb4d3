/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Registered memory for one message, which ends at a multiple of eight. The memory comes from the context, since some
 * devices reach no other; it goes with it.
 */
final class RegisteredMemory {
    private final MemoryRegion region;
    private final UnsafeBuffer buffer;
    private final long address;

    /**
     * Registers memory.
     *
     * @param pd     where.
     * @param length bytes.
     * @param remote what the peer may do, besides what every slot allows.
     */
    RegisteredMemory(final ProtectionDomain pd, final int length, final AccessFlag... remote) {
        final int padding = -length & Long.BYTES - 1;
        final PinnedMemory memory = pd.context().allocate(Math.max(1, (long) padding + length));
        region = pd.register(memory, allowing(remote));
        buffer = memory.buffer(padding, length);
        address = memory.address() + padding;
    }

    /** What every memory allows, and what the peer may do. */
    static AccessFlag[] allowing(final AccessFlag... remote) {
        final AccessFlag[] all = new AccessFlag[1 + remote.length];
        all[0] = AccessFlag.LOCAL_WRITE;
        System.arraycopy(remote, 0, all, 1, remote.length);
        return all;
    }

    long address() {
        return address;
    }

    int lkey() {
        return region.lkey();
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    /** How the peer names it. */
    RemoteMemory lent() {
        return new RemoteMemory(address, region.rkey());
    }
}
