/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who uses an entry, and whether it may be found. One word, changed by compare-and-set only: an entry is never taken
 * after it was retired, and exactly one thread learns that it has to close it: who retires it while it is idle, or else
 * who releases it last.
 *
 * <pre>
 *   63                        21      20  19          0
 *  +----------------------------+---------+------------+
 *  | takes so far, modulo 2^43  | retired | uses       |
 *  +----------------------------+---------+------------+
 * </pre>
 *
 * <p>The takes are there so that a release sees that somebody came and went, and so that hits need no counter.
 *
 * <p>The owner of the memory is held by {@link #held} while the entry is in use, and only then. A last release clears
 * the field <em>before</em> it leaves, and puts it back if that fails; a take sets it after it succeeded. As the word
 * changes with each take, a release that leaves has cleared the field after everybody else's last word.
 */
abstract class UseCount {
    /** There was no user. */
    static final int NOT_USED = -1;
    /** Others are left. */
    static final int OTHERS = 0;
    /** It is idle now. */
    static final int IDLE = 1;
    /** It is retired, and the caller has to close it. */
    static final int CLOSE = 2;

    static final long USES = (1L << 20) - 1;
    private static final long RETIRED = 1L << 20;
    private static final int TAKES_SHIFT = 21;
    private static final long ONE_MORE = (1L << TAKES_SHIFT) + 1;
    private static final long TOLD_AT_ONCE = 64;
    private static final VarHandle STATE;
    private static final VarHandle TOLD;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(UseCount.class, "state", long.class);
            TOLD = MethodHandles.lookup().findVarHandle(UseCount.class, "told", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long state;
    /** Keeps the owner while in use; written by users only, as above. */
    private Object held;
    /** Takes that the cache was told of: by those who leave, and by who retires it. */
    private long told;

    /** In use once. */
    UseCount(final Object owner, final boolean retired) {
        held = owner;
        state = retired ? RETIRED | 1 : 1;
    }

    /**
     * One more user, unless it was retired. Acquires what the last release released.
     *
     * @param owner held while it is in use; the same each time.
     */
    final boolean take(final Object owner) {
        long now = state;
        while ((now & RETIRED) == 0 && (now & USES) != USES) {
            if (STATE.compareAndSet(this, now, now + ONE_MORE)) {
                if (owner != null) {
                    held = owner;
                }
                return true;
            }
            now = state;
        }
        return false;
    }

    /** Of takes that nobody was told of: some at a time, as each alone would cost more than the take. */
    private void tellSome(final long takes) {
        final long before = told;
        final long more = takes - before;
        final boolean many = more >= TOLD_AT_ONCE || before < TOLD_AT_ONCE && more > before;
        if (many && TOLD.compareAndSet(this, before, takes)) {
            tell(more);
        }
    }

    /** Of a retired one: tells of the rest. */
    final void tellAll() {
        final long takes = takes();
        tell(takes - (long) TOLD.getAndSet(this, takes));
    }

    /** There were so many takes more. */
    abstract void tell(long more);

    /**
     * One user less.
     *
     * @return what follows from it.
     */
    final int leave() {
        while (true) {
            final long now = state;
            final long uses = now & USES;
            if (uses == 0) {
                return NOT_USED;
            }
            if (uses > 1) {
                if (STATE.compareAndSet(this, now, now - 1)) {
                    if ((now & RETIRED) == 0) {
                        // There may always be others, so that nobody ever leaves last.
                        tellSome(now >>> TAKES_SHIFT);
                    }
                    return OTHERS;
                }
            } else if (leaveLast(now)) {
                return (now & RETIRED) == 0 ? IDLE : CLOSE;
            }
        }
    }

    private boolean leaveLast(final long now) {
        final Object owner = held;
        if (owner != null) {
            held = null;
        }
        if ((now & RETIRED) == 0) {
            tellSome(now >>> TAKES_SHIFT);
            becomesIdle();
        }
        if (STATE.compareAndSet(this, now, now - 1)) {
            return true;
        }
        if (owner != null) {
            held = owner;
        }
        return false;
    }

    /** The last user is about to leave; it may still be overtaken. */
    abstract void becomesIdle();

    /** Retires it if nobody uses it; then the caller has to close it. */
    final boolean evict() {
        final long now = state;
        return (now & (USES | RETIRED)) == 0 && STATE.compareAndSet(this, now, now | RETIRED);
    }

    /**
     * Retires it: nobody finds it from now on.
     *
     * @return whether the caller has to close it; else its last user does, or it was retired before.
     */
    final boolean retire() {
        final long before = (long) STATE.getAndBitwiseOr(this, RETIRED);
        return (before & (USES | RETIRED)) == 0;
    }

    final boolean isIdle() {
        return (state & USES) == 0;
    }

    final boolean isRetired() {
        return (state & RETIRED) != 0;
    }

    final long uses() {
        return state & USES;
    }

    final long takes() {
        return state >>> TAKES_SHIFT;
    }

    final Object held() {
        return held;
    }
}
