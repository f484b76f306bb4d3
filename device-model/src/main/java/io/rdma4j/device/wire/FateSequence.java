/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import java.util.SplittableRandom;

/**
 * What happens to one frame after the other, by a seed. For one thread at a time.
 *
 * <p>Each frame takes the same number of draws, whatever happens to it: a rate that changes does not change which
 * frames another rate hits.
 */
final class FateSequence {
    private static final int MOST_OVERTAKING = 4;

    private final LossOptions options;
    private final SplittableRandom random;
    private Fate fate = Fate.NONE;
    private int detail;

    /** What can happen to a frame. */
    enum Fate {
        /** Nothing. */
        NONE,
        /** It is lost. */
        DROP,
        /** A bit changes. */
        CORRUPT,
        /** It comes late. */
        DELAY,
        /** Others overtake it. */
        REORDER,
        /** It comes twice. */
        DUPLICATE
    }

    /** A sequence of its own for each stream, which is told from others by a number. */
    FateSequence(LossOptions options, long stream) {
        this.options = options;
        random = new SplittableRandom(options.seed() * 31 + stream);
    }

    /** Decides about the next frame. What comes first in {@link Fate} goes before what comes later. */
    Fate next() {
        fate = Fate.NONE;
        draw(options.duplicate(), Fate.DUPLICATE);
        draw(options.reorder(), Fate.REORDER);
        draw(options.delay(), Fate.DELAY);
        draw(options.corrupt(), Fate.CORRUPT);
        draw(options.drop(), Fate.DROP);
        detail = (int) (random.nextLong() >>> 1 + Integer.SIZE);
        return fate;
    }

    private void draw(int rate, Fate candidate) {
        if (Long.remainderUnsigned(random.nextLong(), LossOptions.WHOLE) < rate) {
            fate = candidate;
        }
    }

    /** {@return a number for what was decided, not negative: which bit} */
    int detail() {
        return detail;
    }

    /** {@return how many frames overtake the one that was decided about} */
    int overtaking() {
        return 1 + detail % MOST_OVERTAKING;
    }
}
