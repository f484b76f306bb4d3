/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.link.Ack;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.memory.DmaList;
import io.rdma4j.device.memory.PageTable;
import io.rdma4j.device.memory.PagedMemory;
import io.rdma4j.hw.pvrdma.AccessFlags;

import org.agrona.UnsafeApi;

/** The memory that a message of a peer names: found by its key, checked, then reached. */
final class RemoteMemory {
    private final EngineContext context;
    private final QueuePair qp;
    private final ProtectionDomain pd;
    private final DmaList list = new DmaList(1);

    RemoteMemory(EngineContext context, QueuePair qp) {
        this.context = context;
        this.qp = qp;
        this.pd = qp.shape().pd();
    }

    /**
     * Finds the memory of a message.
     *
     * @param message names it.
     * @param right   what the peer needs to be allowed.
     * @return whether it may; without any bytes it always may.
     */
    boolean find(Message message, int right) {
        list.clear();
        if (message.length == 0) {
            return true;
        }
        final MemoryRegion region = context.regions().byRkey(message.rkey);
        if (region == null) {
            return false;
        }
        final int lease = region.lease();
        if (!region.isUsable(lease) || region.pd() != pd || !region.admits(qp) || !region.allows(right)
            || !region.covers(message.remoteAddress, message.length)) {
            return false;
        }
        // A window may be bound to another region meanwhile; the lease tells then.
        final PageTable pages = region.pages();
        if (!pages.isCurrent()) {
            pages.refused(message.remoteAddress, message.length);
            return false;
        }
        list.add(pages, region.offset(message.remoteAddress), message.length);
        return region.isPlain() || guard(region, lease, message.rkey);
    }

    /**
     * Why a message may not use the memory that it names, as things are now.
     *
     * @param message names it.
     * @param right   what the peer needs to be allowed.
     * @return half a sentence.
     */
    String objection(Message message, int right) {
        final MemoryRegion region = context.regions().byRkey(message.rkey);
        if (region == null || !region.isUsable(region.lease())) {
            return "no region or window has this rkey";
        }
        if (region.pd() != pd) {
            return "the region is of another protection domain: " + region;
        }
        if (!region.admits(qp)) {
            return "the window shows nothing here: another queue pair bound it, or its region is gone: " + region;
        }
        if (!region.allows(right)) {
            return "the region does not grant " + AccessFlags.NAMES.of(right) + ": " + region;
        }
        return (region.covers(message.remoteAddress, message.length) ? "the region has lost this memory: "
            : "the region does not hold all of these bytes: ") + region;
    }

    /** The key once more: it may be another one since the lease was noted, and what was read then that of another. */
    private boolean guard(MemoryRegion region, int lease, int key) {
        list.guard(region.revocation(), lease);
        return region.rkey() == key;
    }

    /** Puts the payload of a message here; as {@link DmaList#copy}. */
    int write(Message message) {
        return DmaList.copy(message.payload, list, message.length);
    }

    /** Fetches what a message asks for; as {@link DmaList#copy}. */
    int read(Message message) {
        return DmaList.copy(list, message.payload, message.length);
    }

    /** What was found. */
    DmaList list() {
        return list;
    }

    /** Fetches what is here to memory of the device itself; false if it went away. */
    boolean get(long address, int bytes) {
        return list.get(address, bytes);
    }

    /** Carries out an atomic operation on 8 bytes; one of {@link Ack}. */
    int atomic(Message message) {
        if (!list.enter()) {
            return Ack.NAK_REMOTE_ACCESS;
        }
        try {
            final long host = list.host();
            if (host == 0 || (host & 7) != 0) {
                return Ack.NAK_INVALID_REQUEST;
            }
            if (list.mayFault()) {
                return PagedMemory.update(host, word -> message.original = atomic(message, word))
                    ? Ack.ACK : lost(message);
            }
            message.original = atomic(message, host);
            return Ack.ACK;
        } finally {
            list.leave();
        }
    }

    private int lost(Message message) {
        context.iommu().lost(message.remoteAddress, message.length);
        return Ack.NAK_REMOTE_ACCESS;
    }

    /** Atomic against the CPU too, as both use the same instructions, unless the word is a copy. */
    private static long atomic(Message message, long host) {
        return switch (message.operation) {
            case COMPARE_SWAP -> compareAndSwap(host, message.compareAdd, -1L, message.swap, -1L);
            case MASKED_COMPARE_SWAP -> compareAndSwap(host, message.compareAdd, message.compareMask, message.swap,
                message.swapMask);
            case MASKED_FETCH_ADD -> fetchAndAdd(host, message.compareAdd, message.fieldBoundary);
            default -> UnsafeApi.getAndAddLong(null, host, message.compareAdd);
        };
    }

    /** Replaces the bits of one mask if those of the other are as expected. */
    private static long compareAndSwap(long host, long expected, long compareMask, long value, long swapMask) {
        long seen;
        long next;
        do {
            seen = UnsafeApi.getLongVolatile(null, host);
            next = seen & ~swapMask | value & swapMask;
        } while (((seen ^ expected) & compareMask) == 0 && !UnsafeApi.compareAndSetLong(null, host, seen, next));
        return seen;
    }

    private static long fetchAndAdd(long host, long value, long fieldBoundary) {
        long seen;
        do {
            seen = UnsafeApi.getLongVolatile(null, host);
        } while (!UnsafeApi.compareAndSetLong(null, host, seen, addFields(seen, value, fieldBoundary)));
        return seen;
    }

    /**
     * Adds fields side by side. The top bits of the fields are added without carrying: without them no field overflows,
     * and with exclusive or they come out as they should.
     *
     * @param a             one operand.
     * @param b             the other.
     * @param fieldBoundary a bit for the top bit of each field; nothing carries out of it.
     * @return the sums.
     */
    static long addFields(long a, long b, long fieldBoundary) {
        return (a & ~fieldBoundary) + (b & ~fieldBoundary) ^ (a ^ b) & fieldBoundary;
    }
}
