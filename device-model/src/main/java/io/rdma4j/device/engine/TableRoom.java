/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.CommandError;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Room on the heap for what a device knows of the pages of its regions and rings. All devices of a JVM share it, which
 * may serve guests that do not trust each other: one of them gets at most half of what the others leave, so that the
 * next one finds some, and each is refused before the heap is full. Used under the device's command lock; the pool by
 * any thread.
 */
final class TableRoom {
    /** Half of the heap, in words. */
    private static final Pool HEAP = new Pool(Runtime.getRuntime().maxMemory() / 2 / Long.BYTES);

    private final Pool pool;
    private long own;

    /** What devices share. */
    static final class Pool {
        private final long words;
        private final AtomicLong taken = new AtomicLong();

        Pool(final long words) {
            this.words = words;
        }

        long taken() {
            return taken.get();
        }
    }

    TableRoom() {
        this(HEAP);
    }

    TableRoom(final Pool pool) {
        this.pool = pool;
    }

    /**
     * Takes some.
     *
     * @param words of a table.
     * @throws CommandError ENOMEM if there is not so much; nothing is taken then.
     */
    void take(final long words) {
        if (words == 0) {
            return;
        }
        long taken;
        do {
            taken = pool.taken.get();
            final long left = (pool.words - (taken - own)) / 2 - own;
            if (words > left) {
                throw new CommandError(CommandError.ENOMEM, String.format("tables of %d words: the regions and rings "
                    + "of this device have %d and may have %d, as all devices of this process have %d of %d; destroy "
                    + "some of them, or give the JVM more heap (-Xmx)", words, own, own + Math.max(0, left), taken,
                    pool.words));
            }
        } while (!pool.taken.compareAndSet(taken, taken + words));
        own += words;
    }

    /**
     * Takes some for what is made then, and gives it back if that cannot be made.
     *
     * @param words of its tables.
     * @param made  makes it.
     * @return what was made.
     * @throws CommandError as {@link #take}; nothing is made then.
     */
    <T> T taking(final long words, final Supplier<T> made) {
        take(words);
        try {
            return made.get();
        } catch (final RuntimeException | Error e) {
            give(words);
            throw e;
        }
    }

    /**
     * Gives some back.
     *
     * @param words that were taken.
     */
    void give(final long words) {
        own -= words;
        pool.taken.addAndGet(-words);
    }

    /** How much this device has. */
    long own() {
        return own;
    }
}
