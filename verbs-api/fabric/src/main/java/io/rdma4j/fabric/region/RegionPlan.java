/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.verbs.AccessFlag;

import java.util.EnumSet;
import java.util.Set;

/**
 * A registration that was checked.
 *
 * @param buffers its memory; null for a dma-buf, which is mapped first.
 * @param dmabuf  its dma-buf; null for memory.
 * @param access  what was asked for; unmodifiable.
 * @param flags   what was asked for; unmodifiable.
 * @param key     what the application asked for; of no meaning unless {@link #hasOwnKey}.
 * @param authKey null for the domain's.
 * @param context may be null.
 * @param rules   of its domain.
 */
record RegionPlan(
    RegionBuffers buffers, MrAttributes.DmaBufRange dmabuf, Set<MrAccess> access, Set<MrFlag> flags, long key,
    byte[] authKey, Object context, RegionRules rules) {

    /** The same for another authorization key. */
    RegionPlan withAuthKey(final byte[] other) {
        return new RegionPlan(buffers, dmabuf, access, flags, key, other, context, rules);
    }

    /** The region is closed, or will never be open. */
    void letGo() {
        if (buffers != null) {
            buffers.letGo();
        }
    }

    /** As this process sees it; of a dma-buf that nobody has mapped yet, 0. */
    long address() {
        return buffers != null ? buffers.address()
            : dmabuf.baseAddress() == 0 ? 0 : dmabuf.baseAddress() + dmabuf.offset();
    }

    long length() {
        return buffers != null ? buffers.length() : dmabuf.length();
    }

    /** How peers name the first byte; of a dma-buf its base address plus offset (checklist 15). */
    long base() {
        if (!rules.virtAddr) {
            return 0;
        }
        return buffers != null ? buffers.address() : dmabuf.baseAddress() + dmabuf.offset();
    }

    boolean isRemote() {
        return access.contains(MrAccess.REMOTE_READ) || access.contains(MrAccess.REMOTE_WRITE);
    }

    /** Whether the application chose the key. */
    boolean hasOwnKey() {
        return isRemote() && !rules.provKey;
    }

    /** Whether what peers write to it is counted. */
    boolean isCounted() {
        return rules.counts && access.contains(MrAccess.REMOTE_WRITE)
            && (!rules.rmaEvent || flags.contains(MrFlag.RMA_EVENT));
    }

    /** Whether counters are bound before it is enabled (checklist 29). */
    boolean waitsForCounters() {
        return rules.rmaEvent && flags.contains(MrFlag.RMA_EVENT);
    }

    /** Whether it is made disabled (checklist 29, 30). */
    boolean waitsForEnable() {
        return rules.endpoint || waitsForCounters();
    }

    /** Whether somebody will write to the memory. */
    boolean isWritten() {
        return access.contains(MrAccess.RECV) || access.contains(MrAccess.READ)
            || access.contains(MrAccess.REMOTE_WRITE);
    }

    /** Whether peers may read it. */
    private boolean mayBeRead() {
        return rules.remoteRead && access.contains(MrAccess.REMOTE_READ);
    }

    /** Whether peers may write it and run atomics on it. */
    private boolean mayBeChanged() {
        return rules.remoteWrite && access.contains(MrAccess.REMOTE_WRITE);
    }

    /** Rights that the device is asked for: never more for peers than were granted. */
    AccessFlag[] verbsRights(final boolean remote, final boolean onDemand) {
        final Set<AccessFlag> rights = EnumSet.noneOf(AccessFlag.class);
        if (isWritten()) {
            rights.add(AccessFlag.LOCAL_WRITE);
        }
        if (onDemand) {
            rights.add(AccessFlag.ON_DEMAND);
        }
        if (remote && mayBeRead()) {
            rights.add(AccessFlag.REMOTE_READ);
        }
        if (remote && mayBeChanged()) {
            rights.add(AccessFlag.REMOTE_WRITE);
            if (rules.atomics) {
                rights.add(AccessFlag.REMOTE_ATOMIC);
            }
        }
        return rights.toArray(new AccessFlag[0]);
    }

    /** The same as a directory tells. */
    int directoryRights() {
        int rights = mayBeRead() ? DirectoryLayout.READ : 0;
        if (mayBeChanged()) {
            rights |= DirectoryLayout.WRITE | (rules.atomics ? DirectoryLayout.ATOMIC : 0);
        }
        return rights;
    }

    @Override
    public String toString() {
        return (buffers != null ? buffers : dmabuf) + (hasOwnKey() ? String.format(" key 0x%x", key) : "");
    }
}
