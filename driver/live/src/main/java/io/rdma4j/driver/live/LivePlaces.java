/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;

/** The reading side of a table: copies of places, each as it was at one moment. */
final class LivePlaces {
    /** A writer is at a place for less than a microsecond, unless it is stopped. */
    private static final int TRIES = 200;
    private static final int SPINS = 20;
    /** Where a test knows that nobody writes, nobody need be given a processor to end it. */
    private static volatile int tries = TRIES;
    /** Places that are read at once. */
    private static final int BLOCK = 64;

    private final LiveImage image;
    private final LiveLayout.Table table;
    private final String what;
    private final LiveTroubles troubles;

    LivePlaces(
        final LiveImage image, final LiveLayout.Table table, final String what, final LiveTroubles troubles) {
        this.image = image;
        this.table = table;
        this.what = what;
        this.troubles = troubles;
    }

    /** Something at a place. */
    record Found(int place, long word, UnsafeBuffer bytes) {
    }

    /** All places that are taken. */
    void forEach(final Consumer<Found> consumer) {
        final byte[] index = image.bytes(table.index(), table.room() * Long.BYTES);
        if (index == null) {
            troubles.add("the index of %s is cut off", what);
            return;
        }
        final UnsafeBuffer words = new UnsafeBuffer(index);
        for (int first = 0; first < table.room(); first += BLOCK) {
            int count = Math.min(BLOCK, table.room() - first);
            while (count > 0 && word(words, first + count - 1) == 0) {
                count--;
            }
            if (count > 0) {
                forEach(new UnsafeBuffer(index, first * Long.BYTES, count * Long.BYTES), first, count, consumer);
            }
        }
    }

    /** Many at once; those that changed meanwhile, which are few, one by one. */
    private void forEach(
        final UnsafeBuffer words, final int first, final int count, final Consumer<Found> consumer) {
        // Meets the writer's release of the words: the places are read after them, and before they are read again.
        VarHandle.acquireFence();
        final byte[] bytes = image.bytes(table.at(first), count * table.stride());
        VarHandle.acquireFence();
        final byte[] index = image.bytes(table.indexAt(first), count * Long.BYTES);
        final UnsafeBuffer again = index == null || bytes == null ? null : new UnsafeBuffer(index);
        for (int i = 0; i < count; i++) {
            final long word = word(words, i);
            final Found found = again != null && (word & 1) == 0 && word == word(again, i)
                ? new Found(first + i, word, new UnsafeBuffer(bytes, i * table.stride(), table.stride()))
                : read(first + i);
            if (word != 0 && found != null) {
                consumer.accept(found);
            }
        }
    }

    private static long word(final UnsafeBuffer words, final int place) {
        return words.getLong(place * Long.BYTES, LITTLE_ENDIAN);
    }

    /** The word of a place; 0 if it is free. */
    long word(final int place) {
        final byte[] word = image.bytes(table.indexAt(place), Long.BYTES);
        return word == null ? 0 : new UnsafeBuffer(word).getLong(0, LITTLE_ENDIAN);
    }

    static void waitForWriters(final boolean wait) {
        tries = wait ? TRIES : SPINS;
    }

    private Found read(final int place) {
        final int most = tries;
        for (int tried = 0; tried < most; tried++) {
            final long word = word(place);
            if (word == 0) {
                return null;
            }
            // Meets the writer's release of the word: the place is read after it, and before it is read again.
            VarHandle.acquireFence();
            final byte[] bytes = (word & 1) == 0 ? image.bytes(table.at(place), table.stride()) : null;
            VarHandle.acquireFence();
            if (bytes != null && word(place) == word) {
                return new Found(place, word, new UnsafeBuffer(bytes));
            }
            if (tried >= SPINS) {
                Thread.yield();
            }
        }
        troubles.add("%s at place %d cannot be read: it is cut off, or being written and its writer is stopped", what,
            place);
        return null;
    }
}
