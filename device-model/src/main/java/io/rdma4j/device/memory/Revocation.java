/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets a work request take memory away from others while they may be using it: what fast registered regions and memory
 * windows have, and ordinary regions do without.
 *
 * <p>Whoever wants to reach the memory notes the {@link #lease()} first, then reads what it is a lease of, and takes
 * part in it only when it copies, with {@link #enter}: that fails if the lease has changed since, however often. A copy
 * takes no lock and waits for nothing, so whoever ends the lease can wait until the last one is over, whatever locks it
 * holds. Then nothing reaches the memory, and nothing will: the price is one compare-and-set per copy, paid by those
 * who use such memory, and no queue stands still but the one that waits.
 *
 * <pre>
 *    63            34 33  32 31            0
 *   +----------------+------+---------------+
 *   |     serial     | what |  copies now   |    lease = the upper half
 *   +----------------+------+---------------+
 * </pre>
 */
public final class Revocation {
    private static final int WHAT = 3;
    private static final int FREE = 0;
    private static final int BUSY = 1;
    private static final int LIVE = 2;
    private static final int OVER = 3;
    private static final int SERIAL = 4;
    private static final long COPIES = 0xffff_ffffL;
    private static final int SPINS = 1000;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Revocation.class, "state", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private volatile long state;

    /** Of memory that nobody may reach yet. */
    public Revocation() {
        // Free is 0.
    }

    /**
     * {@return the present lease; what it allows is only known once it was entered}
     */
    public int lease() {
        return (int) (state >>> Integer.SIZE);
    }

    /**
     * {@return whether a lease is one by which memory can be reached}
     *
     * @param lease from {@link #lease()}
     */
    public static boolean isLive(int lease) {
        return (lease & WHAT) == LIVE;
    }

    /**
     * {@return whether a lease says that the memory is nobody's, and may be given to somebody}
     *
     * @param lease from {@link #lease()}
     */
    public static boolean isFree(int lease) {
        return (lease & WHAT) == FREE;
    }

    /**
     * Begins a copy.
     *
     * @param lease noted before anything that depends on it was read.
     * @return false if it is not the present one; then nothing was begun.
     */
    public boolean enter(int lease) {
        long seen = state;
        while ((int) (seen >>> Integer.SIZE) == lease) {
            if (STATE.compareAndSet(this, seen, seen + 1)) {
                return true;
            }
            seen = state;
        }
        return false;
    }

    /** Ends a copy that {@link #enter} began. */
    public void leave() {
        STATE.getAndAdd(this, -1L);
    }

    /**
     * Takes the memory for the caller alone, and waits until copies under way are over.
     *
     * @param lease a free or a live one.
     * @return the lease to give to {@link #free} or {@link #live}; 0 if it is not the present one any more.
     */
    public int claim(int lease) {
        if ((lease & WHAT) == FREE || isLive(lease)) {
            final int busy = next(lease, BUSY);
            if (change(lease, busy)) {
                awaitCopies();
                return busy;
            }
        }
        return 0;
    }

    /**
     * Gives up what was claimed: nobody may reach the memory.
     *
     * @param busy from {@link #claim}; with 0 nothing happens.
     */
    public void free(int busy) {
        if (busy != 0) {
            change(busy, next(busy, FREE));
        }
    }

    /**
     * Shows what was claimed to everybody.
     *
     * @param busy from {@link #claim}.
     * @return false if it ended for good meanwhile.
     */
    public boolean live(int busy) {
        return change(busy, next(busy, LIVE));
    }

    /** Ends it for good. Copies may still be under way: the caller waits for them, as for those of any region. */
    public void end() {
        int lease = lease();
        while ((lease & WHAT) != OVER && !change(lease, next(lease, OVER))) {
            lease = lease();
        }
    }

    private static int next(int lease, int what) {
        return (lease & ~WHAT) + SERIAL | what;
    }

    private boolean change(int from, int to) {
        long seen = state;
        while ((int) (seen >>> Integer.SIZE) == from) {
            if (STATE.compareAndSet(this, seen, (long) to << Integer.SIZE | seen & COPIES)) {
                return true;
            }
            seen = state;
        }
        return false;
    }

    private void awaitCopies() {
        for (int tries = 0; (state & COPIES) != 0; tries++) {
            if (tries < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    @Override
    public String toString() {
        final String what = switch (lease() & WHAT) {
            case FREE -> "free";
            case BUSY -> "changing";
            case LIVE -> "live";
            default -> "over";
        };
        return what + ", copies now " + (state & COPIES);
    }
}
