/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.fabric.cache;

/** How an entry of the registration cache is used, and when it is closed. */
public final class CacheUse {
    private final Object owner = new Object();
    private final Use use = new Use(owner);
    private volatile int closed;

    private static final class Use extends UseCount {
        Use(final Object owner) {
            super(owner, false);
        }

        @Override
        void becomesIdle() {
            // No order is kept.
        }

        @Override
        void tell(final long more) {
            // Hits are not counted.
        }
    }

    /** An entry that nobody uses. */
    public CacheUse() {
        release();
    }

    /**
     * Takes it.
     *
     * @return whether it could be found
     */
    public boolean take() {
        return use.take(owner);
    }

    /**
     * Whether it may be used as it is.
     *
     * @return true if it is open and its owner is held
     */
    public boolean isSound() {
        return closed == 0 && use.held() == owner;
    }

    /** Releases it, and closes it if it was retired. */
    public void release() {
        final int left = use.leave();
        if (left == UseCount.CLOSE) {
            closed++;
        } else if (left == UseCount.NOT_USED) {
            closed = -1;
        }
    }

    /** Closes it if nobody uses it. */
    public void evict() {
        if (use.evict()) {
            closed++;
        }
    }

    /** Retires it: closed now, or by who releases it last. */
    public void retire() {
        if (use.retire()) {
            closed++;
        }
    }

    /**
     * How often it was closed.
     *
     * @return 0 or 1; others if something is wrong
     */
    public int closed() {
        return closed;
    }

    /**
     * Whether an owner is held.
     *
     * @return false for an entry that nobody uses
     */
    public boolean holdsOwner() {
        return use.held() != null;
    }
}
