/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import org.agrona.MutableDirectBuffer;

/** Says that it is shared. */
final class SharedStandIn implements AvStore {
    private final AvStore store = new HeapStore(AvType.MAP, AddressFormat.DEVICE, 0);
    private final long base;
    private final boolean readOnly;
    /** Attempts to close it that fail yet. */
    int failures;
    boolean closed;

    SharedStandIn(final long base, final boolean readOnly) {
        this.base = base;
        this.readOnly = readOnly;
    }

    @Override
    public AvType type() {
        return store.type();
    }

    @Override
    public int rxCtxBits() {
        return 0;
    }

    @Override
    public long mapAddress() {
        return base;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return readOnly;
    }

    @Override
    public boolean find(final int place, final int life, final PeerAddress into) {
        return store.find(place, life, into);
    }

    @Override
    public long placeOf(final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        return store.placeOf(gidHigh, gidLow, qpn, qkey);
    }

    @Override
    public int life(final int place) {
        return store.life(place);
    }

    @Override
    public FabricAddress inserted(final int place, final int life) {
        return store.inserted(place, life);
    }

    @Override
    public int inserted(
        final int place, final int life, final MutableDirectBuffer to, final int offset, final int length) {
        return store.inserted(place, life, to, offset, length);
    }

    @Override
    public void lock() {
        store.lock();
    }

    @Override
    public void unlock() {
        store.unlock();
    }

    @Override
    public long insert(final AvEntry entry) {
        return store.insert(entry);
    }

    @Override
    public boolean remove(final int place, final int life) {
        return store.remove(place, life);
    }

    @Override
    public boolean resolved(final int place, final int life, final AvEntry device) {
        return store.resolved(place, life, device);
    }

    @Override
    public long size() {
        return store.size();
    }

    @Override
    public long memoryUse() {
        return store.memoryUse();
    }

    @Override
    public void close() {
        if (failures > 0) {
            failures--;
            throw FabricException.of("close").detail("another process is changing it").errno(FiErrno.FI_EAGAIN).build();
        }
        store.close();
        closed = true;
    }
}
