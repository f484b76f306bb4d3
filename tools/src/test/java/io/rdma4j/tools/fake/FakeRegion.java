/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;

import java.util.Set;

/** A region with a key that is checked. */
record FakeRegion(ProtectionDomain pd, long address, long length) implements MemoryRegion {
    static final int LKEY = 0x600d;

    @Override
    public Set<AccessFlag> access() {
        return Set.of(AccessFlag.LOCAL_WRITE);
    }

    @Override
    public int lkey() {
        return LKEY;
    }

    @Override
    public boolean hasRkey() {
        return false;
    }

    @Override
    public int rkey() {
        throw Unused.call("rkey");
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void close() {
        // Has nothing.
    }
}
