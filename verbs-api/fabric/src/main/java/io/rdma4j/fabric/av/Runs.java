/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import java.util.function.ObjIntConsumer;

/** Runs of places, from low to high, and the progressions that tell their addresses. Immutable. */
final class Runs {
    static final Runs NONE = new Runs(new Run[0], new Progression[0]);

    private final Run[] runs;
    private final Progression[] ways;

    /**
     * Places whose addresses follow each other.
     *
     * @param from the first place.
     * @param to   the place behind the last one.
     * @param life of all of them.
     * @param way  tells their addresses; may tell those of other runs, too.
     */
    record Run(int from, int to, int life, Progression way) {
    }

    /** Arrays are kept. */
    Runs(final Run[] runs, final Progression[] ways) {
        this.runs = runs;
        this.ways = ways;
    }

    /** Null if no address is there. */
    Run at(final int place) {
        final int index = indexOf(runs, runs.length, place);
        return index < 0 ? null : runs[index];
    }

    /** The index of the run that has a place, negative if there is none: then -1 - the index of the one behind it. */
    static int indexOf(final Run[] runs, final int count, final int place) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            final int middle = low + high >>> 1;
            final Run run = runs[middle];
            if (place < run.from) {
                high = middle - 1;
            } else if (place >= run.to) {
                low = middle + 1;
            } else {
                return middle;
            }
        }
        return -1 - low;
    }

    /** A handle, or -1. Each queue pair is there once at most. */
    long placeOf(final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        for (final Progression way : ways) {
            final long place = way.placeOf(gidHigh, gidLow, qpn);
            final Run run = place < 0 ? null : at((int) place);
            if (run != null && run.way == way && way.has(qkey)) {
                return AvNames.handle((int) place, run.life);
            }
        }
        return -1;
    }

    /** Each place, from low to high. */
    void forEach(final ObjIntConsumer<Run> action) {
        for (final Run run : runs) {
            for (int place = run.from; place < run.to; place++) {
                action.accept(run, place);
            }
        }
    }

    long memoryUse() {
        long sum = Memory.of(runs) + Memory.of(ways) + 32L * runs.length;
        for (final Progression way : ways) {
            sum += way.memoryUse();
        }
        return sum;
    }
}
