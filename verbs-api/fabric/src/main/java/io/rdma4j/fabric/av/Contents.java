/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.spi.PublishedObject;

import org.agrona.MutableDirectBuffer;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Addresses of a vector by their names, with what belongs to them. Thread-safe: changes one at a time, under a lock
 * that is not held while others are asked for addresses. What endpoints look up takes none; what applications look up
 * takes it, as a store must not be closed meanwhile.
 */
final class Contents {
    /** A node has several addresses, and a peer tells one: so many others with its port may be its. */
    private static final int MOST_ALIKE = 16;

    private final AvStore store;
    private final boolean table;
    private final long base;
    private final ReentrantLock lock = new ReentrantLock();
    private final Tags userIds = new Tags();
    private final Tags authKeys = new Tags();
    private final AvTotals totals = new AvTotals();
    /** Guarded by the lock. */
    private boolean closed;

    Contents(final AvStore store) {
        this.store = store;
        table = store.type() == AvType.TABLE;
        base = table ? 0 : store.mapAddress();
    }

    /** Any thread that uses the vector: a number that changes when somebody else has moved an address. */
    int movesOfOthers() {
        return store.moves();
    }

    void publishAs(final PublishedObject vector) {
        lock.lock();
        try {
            totals.publishAs(vector);
            if (closed) {
                totals.close();
            } else {
                totals.show(store.size());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Without the lock. */
    void failed(final int more) {
        totals.failed(more);
    }

    AvStore store() {
        return store;
    }

    long name(final long handle) {
        return table ? AvNames.place(handle) : base + handle;
    }

    /** The place of a name, negative for what cannot be one. */
    private int place(final long fiAddr) {
        if (table) {
            return fiAddr >>> 31 == 0 ? (int) fiAddr : -1;
        }
        final long handle = fiAddr - base;
        return handle > 0 && AvNames.life(handle) != 0 ? AvNames.place(handle) : -1;
    }

    /** The life of a name that has a place; 0 for any. */
    private int life(final long fiAddr) {
        return table ? 0 : AvNames.life(fiAddr - base);
    }

    boolean find(final long fiAddr, final PeerAddress into) {
        if (table) {
            if (fiAddr >>> 31 != 0 || !store.find((int) fiAddr, 0, into)) {
                return false;
            }
        } else {
            final long handle = fiAddr - base;
            // 0 is no life, and a negative handle has too high a one.
            final long life = handle >>> 31;
            if (life - 1 >>> 31 != 0 || !store.find(AvNames.place(handle), (int) life, into)) {
                return false;
            }
        }
        into.fiAddr(fiAddr);
        return true;
    }

    long nameOf(final long gidHigh, final long gidLow, final int qpn) {
        final long handle = store.placeOf(gidHigh, gidLow, qpn, AvStore.ANY_KEY);
        return handle < 0 ? FiAddr.NOTAVAIL : name(handle);
    }

    long source(final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        while (true) {
            final long handle = store.placeOf(gidHigh, gidLow, qpn, qkey);
            if (handle < 0) {
                return FiAddr.NOTAVAIL;
            }
            if (userIds.isEmpty()) {
                return name(handle);
            }
            final long source = userIds.get(AvNames.place(handle), AvNames.life(handle), name(handle));
            // Else the identifier may have been another address' already.
            if (store.life(AvNames.place(handle)) == AvNames.life(handle)) {
                return source;
            }
        }
    }

    long authKeyOf(final long fiAddr) {
        final int place = place(fiAddr);
        final int life = place < 0 ? 0 : store.life(place);
        return life == 0 || life(fiAddr) != 0 && life(fiAddr) != life ? FiAddr.NOTAVAIL
            : authKeys.get(place, life, FiAddr.NOTAVAIL);
    }

    /** Null if it is not there. */
    FabricAddress inserted(final long fiAddr) {
        lock.lock();
        try {
            requireOpen("look up address");
            final int place = place(fiAddr);
            return place < 0 ? null : store.inserted(place, life(fiAddr));
        } finally {
            lock.unlock();
        }
    }

    /** As much as there is room for; bytes that all of it needs, -FI_EINVAL if it is not there, or -FI_EBADFD. */
    int inserted(final long fiAddr, final MutableDirectBuffer to, final int offset, final int length) {
        lock.lock();
        try {
            if (closed) {
                return -FiErrno.FI_EBADFD;
            }
            final int place = place(fiAddr);
            return place < 0 ? -FiErrno.FI_EINVAL : store.inserted(place, life(fiAddr), to, offset, length);
        } finally {
            lock.unlock();
        }
    }

    /** Begins changes; may be nested. */
    void lock() {
        lock.lock();
        boolean done = lock.getHoldCount() > 1;
        try {
            if (!done) {
                requireOpen("change address vector");
                store.lock();
                done = true;
            }
        } finally {
            if (!done) {
                lock.unlock();
            }
        }
    }

    private void requireOpen(final String operation) {
        if (closed) {
            throw FabricException.of(operation).detail("the address vector is closed").errno(FiErrno.FI_EBADFD).build();
        }
    }

    void unlock() {
        try {
            if (lock.getHoldCount() == 1) {
                totals.show(store.size());
                store.unlock();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Between lock and unlock: a handle, or a negated errno. */
    long insert(final AvEntry entry, final Insertion call, final long userId) {
        entry.tags(call.userIds() ? userIds : null, userId, hasKey(call) ? authKeys : null, call.authKey());
        final long handle = store.insert(entry);
        if (handle >= 0) {
            totals.inserted();
        }
        if (handle >= 0 && store.isShared()) {
            entry.placed(AvNames.place(handle), AvNames.life(handle));
        }
        return handle;
    }

    private static boolean hasKey(final Insertion call) {
        return call.authKey() != FiAddr.NOTAVAIL;
    }

    /** Between lock and unlock: false if it was not there. */
    boolean remove(final long fiAddr) {
        final int place = place(fiAddr);
        final boolean done = place >= 0 && store.remove(place, life(fiAddr));
        if (done) {
            totals.removed();
        }
        return done;
    }

    boolean userId(final long fiAddr, final long userId) {
        lock();
        try {
            final int place = place(fiAddr);
            final int life = place < 0 ? 0 : store.life(place);
            if (life == 0 || life(fiAddr) != 0 && life(fiAddr) != life) {
                return false;
            }
            userIds.put(place, life, userId);
            return true;
        } finally {
            unlock();
        }
    }

    /** A peer is elsewhere now; nothing happens if its address was taken out meanwhile. */
    void moved(final long fiAddr, final int life, final AvEntry device) {
        lock();
        try {
            store.resolved(place(fiAddr), life, device);
        } finally {
            unlock();
        }
    }

    /** Which address a name means now; 0 if none. */
    int lifeOf(final long fiAddr) {
        final int place = place(fiAddr);
        final int life = place < 0 ? 0 : store.life(place);
        return life(fiAddr) == 0 || life(fiAddr) == life ? life : 0;
    }

    /** Names of what was inserted as this address of sockets; where there is none, of what has its port. */
    long[] namesAt(final InetSocketAddress told) {
        final List<Long> same = new ArrayList<>();
        final List<Long> alike = new ArrayList<>();
        lock.lock();
        try {
            long left = closed ? 0 : store.size();
            for (int place = 0; left > 0 && place < store.end(); place++) {
                final int life = store.life(place);
                final FabricAddress address = life == 0 ? null : store.inserted(place, life);
                left -= life == 0 ? 0 : 1;
                final InetSocketAddress at = address == null ? null : socket(address);
                if (told.equals(at)) {
                    same.add(name(AvNames.handle(place, life)));
                } else if (at != null && at.getPort() == told.getPort() && alike.size() < MOST_ALIKE) {
                    alike.add(name(AvNames.handle(place, life)));
                }
            }
        } finally {
            lock.unlock();
        }
        return (same.isEmpty() ? alike : same).stream().mapToLong(Long::longValue).toArray();
    }

    /** Null if it is none. */
    static InetSocketAddress socket(final FabricAddress address) {
        try {
            final FabricAddress plain = address.decoded();
            return plain.format() == AddressFormat.DEVICE ? null : plain.socketAddress();
        } catch (final FabricException e) {
            return null;
        }
    }

    long memoryUse() {
        lock.lock();
        try {
            return closed ? 0 : store.memoryUse() + userIds.memoryUse() + authKeys.memoryUse();
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            totals.close();
            store.close();
        } finally {
            lock.unlock();
        }
    }
}
