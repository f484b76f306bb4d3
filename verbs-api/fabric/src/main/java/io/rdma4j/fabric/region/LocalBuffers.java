/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;

import org.agrona.MutableDirectBuffer;

/**
 * Where the device finds the buffers of an operation; those without bytes are left out. The answer is there until the
 * next question. For the thread that uses the endpoint; does not allocate but for the cache.
 */
public final class LocalBuffers {
    private final LocalMemory local;
    private final long[] addresses;
    private final long[] processAddresses;
    private final int[] lengths;
    private final int[] lkeys;
    private final CachedRegion[] cached;
    private final boolean[] kept;
    private int count;
    private long total;

    /**
     * Starts without buffers.
     *
     * @param local looks them up.
     * @param limit most of one operation.
     */
    public LocalBuffers(final LocalMemory local, final int limit) {
        this.local = local;
        addresses = new long[limit];
        processAddresses = new long[limit];
        lengths = new int[limit];
        lkeys = new int[limit];
        cached = new CachedRegion[limit];
        kept = new boolean[limit];
    }

    /**
     * Looks one buffer up.
     *
     * @param address first byte.
     * @param length  bytes.
     * @param desc    covers it; or null.
     * @param owner   what keeps it; or null.
     * @param right   what the descriptor has to allow.
     * @param access  what a registration has to allow: bits of {@link io.rdma4j.verbs.AccessFlag}.
     * @return 0 or a negated errno.
     */
    public int find(
        final long address, final int length, final MemoryRegion desc, final Object owner, final MrAccess right,
        final int access) {
        clear();
        final int refusal = local.find(address, length, desc, owner, right, access);
        if (refusal == 0) {
            add(length, owner);
        }
        return refusal;
    }

    /**
     * Looks all buffers of a message up, or keeps none.
     *
     * @param message as the application gave it.
     * @param right   what descriptors have to allow.
     * @param access  what registrations have to allow: bits of {@link io.rdma4j.verbs.AccessFlag}.
     * @return 0 or a negated errno.
     */
    public int find(final Message message, final MrAccess right, final int access) {
        return find(message, right, access, false);
    }

    /**
     * The same for {@link #collect} alone: the device does not touch them, see {@link LocalMemory#findCopied}.
     *
     * @param message as the application gave it.
     * @param right   what descriptors have to allow.
     * @return 0 or a negated errno.
     */
    public int findCopied(final Message message, final MrAccess right) {
        return find(message, right, 0, true);
    }

    private int find(final Message message, final MrAccess right, final int access, final boolean copied) {
        clear();
        if (message.count() > limit()) {
            return -FiErrno.FI_EINVAL;
        }
        for (int i = 0; i < message.count(); i++) {
            final long address = message.address(i);
            final int length = message.length(i);
            final int refusal = copied ? local.findCopied(address, length, message.desc(i), right)
                : local.find(address, length, message.desc(i), null, right, access);
            if (refusal != 0) {
                letGo();
                return refusal;
            }
            add(length, null);
        }
        return 0;
    }

    private void clear() {
        count = 0;
        total = 0;
    }

    /** Keeps what was looked up, unless it is nothing. */
    private void add(final int length, final Object owner) {
        if (length > 0) {
            addresses[count] = local.deviceAddress();
            processAddresses[count] = local.processAddress();
            lengths[count] = length;
            lkeys[count] = local.lkey();
            cached[count] = local.cached();
            kept[count] = local.isKept(owner);
            count++;
            total += length;
        }
    }

    /**
     * Copies the bytes of a message whose buffers these are.
     *
     * @param message as it was looked up.
     * @param to      where they go, one after the other; may be on the heap.
     * @param offset  of the first.
     * @return how many; a negated errno if not all of them are there.
     */
    public int collect(final Message message, final MutableDirectBuffer to, final int offset) {
        int at = offset;
        int next = 0;
        for (int i = 0; i < message.count(); i++) {
            if (message.length(i) > 0) {
                if (!Payloads.read(processAddresses[next], kept[next], to, at, message.length(i))) {
                    return -FiErrno.FI_EFAULT;
                }
                at += message.length(i);
                next++;
            }
        }
        return at - offset;
    }

    /** Gives back what the cache lent: nothing was posted. */
    public void letGo() {
        for (int i = 0; i < count; i++) {
            final CachedRegion region = take(i);
            if (region != null) {
                region.release();
            }
        }
        count = 0;
    }

    /**
     * Most that one operation has.
     *
     * @return as it was made.
     */
    public int limit() {
        return addresses.length;
    }

    /**
     * How many have bytes.
     *
     * @return 0 to {@link #limit}.
     */
    public int count() {
        return count;
    }

    /**
     * Bytes of all; also after they were let go.
     *
     * @return their sum.
     */
    public long total() {
        return total;
    }

    /**
     * Where one is for the device.
     *
     * @param index below {@link #count}.
     * @return its address.
     */
    public long deviceAddress(final int index) {
        return addresses[index];
    }

    /**
     * The length of one.
     *
     * @param index below {@link #count}.
     * @return bytes, more than 0.
     */
    public int length(final int index) {
        return lengths[index];
    }

    /**
     * By which key the device reaches one.
     *
     * @param index below {@link #count}.
     * @return for work requests.
     */
    public int lkey(final int index) {
        return lkeys[index];
    }

    /**
     * Hands over what the cache lent for one.
     *
     * @param index 0 or more.
     * @return to be released when the operation is over; null for none.
     */
    public CachedRegion take(final int index) {
        if (index >= count) {
            return null;
        }
        final CachedRegion region = cached[index];
        if (region != null) {
            cached[index] = null;
        }
        return region;
    }
}
