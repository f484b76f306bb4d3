/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.ProtectionDomain;

import java.util.Set;

/** A region with keys that are checked. */
record FakeRegion(ProtectionDomain pd, long address, long length, Set<AccessFlag> access) implements MemoryRegion {
    static final int LKEY = 0x600d;
    static final int RKEY = 0x4e40;

    @Override
    public long iova() {
        return address;
    }

    @Override
    public void reregister(final MrOptions changes) {
        throw Unused.call("reregister");
    }

    @Override
    public void refresh(final long from, final long bytes) {
        throw Unused.call("refresh");
    }

    @Override
    public int lkey() {
        return LKEY;
    }

    @Override
    public boolean hasRkey() {
        return access.size() > 1;
    }

    @Override
    public int rkey() {
        return RKEY;
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
