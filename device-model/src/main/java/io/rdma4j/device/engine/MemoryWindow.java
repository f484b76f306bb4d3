/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.memory.Revocation;

/**
 * A window onto a part of a region, with a key and rights of its own. Its memory is the region's: it ends with that.
 *
 * <p>Windows of type 1 serve every queue pair of their protection domain and may be bound again at any time. Those of
 * type 2 serve the queue pair that bound them ("2B"), until they are invalidated.
 */
final class MemoryWindow extends MemoryRegion {
    private final int type;
    private MemoryRegion region;
    private QueuePair owner;

    /**
     * One that shows nothing.
     *
     * @param keys its names.
     * @param pd   its protection domain.
     * @param type 1 or 2.
     */
    MemoryWindow(MrKeys keys, ProtectionDomain pd, int type) {
        super(keys, pd, new Revocation());
        this.type = type;
    }

    boolean isType2() {
        return type == 2;
    }

    @Override
    boolean admits(QueuePair qp) {
        final MemoryRegion seen = region;
        return seen != null && seen.isLive() && (!isType2() || owner == qp);
    }

    /** Whether it shows something to somebody: its region still exists, and so does the queue pair that bound it. */
    private boolean isBound(int lease) {
        final MemoryRegion seen = region;
        final QueuePair by = owner;
        return Revocation.isLive(lease) && seen != null && seen.isLive() && by != null && !by.isDead();
    }

    /**
     * Shows a part of a region, or nothing. A window of type 2 that shows something changes only to nothing, and only
     * by the queue pair that it serves.
     *
     * @param by     the queue pair that asks.
     * @param key    the key that the window is to have; the low byte counts.
     * @param source the region; null for nothing.
     * @param first  address of the first byte, as the region counts.
     * @param bytes  inside of the region.
     * @param rights checked access flags.
     * @return false if it may not be changed.
     */
    boolean bind(QueuePair by, int key, MemoryRegion source, long first, long bytes, int rights) {
        final int lease = revocation().lease();
        if (isType2() && isBound(lease) && (source != null || owner != by)) {
            return false;
        }
        final int busy = revocation().claim(lease);
        if (busy == 0) {
            return false;
        }
        choose(key);
        region = source;
        owner = source == null ? null : by;
        if (source == null) {
            revocation().free(busy);
            return true;
        }
        show(first, bytes, source.offset(first), rights, source.pages());
        return revocation().live(busy);
    }

    @Override
    public String toString() {
        return "window of type " + type + " " + super.toString();
    }
}
