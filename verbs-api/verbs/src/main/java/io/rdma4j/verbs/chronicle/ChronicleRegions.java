/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.chronicle;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.spi.RegionOwner;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.core.io.ReferenceOwner;

import java.util.concurrent.atomic.AtomicBoolean;

/** Registers the memory of Chronicle Bytes, native or of a mapped file. Stateless. */
public final class ChronicleRegions {
    private ChronicleRegions() {
    }

    /**
     * Registers the whole of a store, from its start to its real capacity, and reserves it until the region is closed:
     * Chronicle frees it only afterwards. Of elastic {@code Bytes} it is the store that they have at this moment; when
     * they grow they move to another one, which the region does not follow.
     *
     * @param pd     where to register.
     * @param store  a store outside of the Java heap.
     * @param access what the region allows besides local read.
     * @return the region; the caller owns it.
     * @throws RdmaException as {@link ProtectionDomain#register(long, long, AccessFlag...)}; also EINVAL for a store
     *                       on the Java heap, EBADFD for one that was released.
     */
    public static MemoryRegion register(
        final ProtectionDomain pd, final BytesStore<?, ?> store, final AccessFlag... access) {
        final BytesStore<?, ?> memory = store == null ? null : store.bytesStore();
        if (memory == null || !memory.isDirectMemory()) {
            throw RdmaException.of("register memory")
                .device(pd.context().address())
                .detail("%s", memory == null ? "store is null" : memory.getClass().getName() + " is on the Java heap")
                .errno(RdmaException.EINVAL)
                .hint("use a native store, such as BytesStore.nativeStoreWithFixedCapacity")
                .build();
        }
        final Reservation reservation = new Reservation(memory);
        if (!memory.tryReserve(reservation)) {
            throw RdmaException.of("register memory")
                .device(pd.context().address())
                .detail("the store was released")
                .errno(RdmaException.EBADFD)
                .build();
        }
        try (Undo undo = new Undo()) {
            undo.add(reservation::regionClosed);
            final MemoryRegion region = pd.register(
                memory.addressForRead(memory.start()), memory.realCapacity(), reservation, access);
            undo.forget();
            return region;
        }
    }

    /** Chronicle's reference count, held by a region. */
    private static final class Reservation implements RegionOwner, ReferenceOwner {
        private final BytesStore<?, ?> store;
        private final AtomicBoolean released = new AtomicBoolean();

        Reservation(final BytesStore<?, ?> store) {
            this.store = store;
        }

        @Override
        public void regionClosed() {
            if (released.compareAndSet(false, true)) {
                store.release(this);
            }
        }
    }
}
