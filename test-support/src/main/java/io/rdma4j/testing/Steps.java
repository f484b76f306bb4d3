/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A random case that is a list of steps, each of which follows from the seed and its own number: so others can be left
 * out. If it fails, it is run again with ever fewer of them, first without halves, then without single ones, and the
 * shortest list that still fails is told. Not for cases in which threads race: one that fails now and then says nothing
 * when it does not.
 */
public final class Steps {
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final long seed;
    private final Program program;
    private final long deadline;
    private Throwable failure;
    private int runs;

    /** What a case does. */
    @FunctionalInterface
    public interface Program {
        /**
         * Does some of the steps, from the beginning: with objects of its own, which are closed when it returns.
         *
         * @param steps their numbers, rising.
         * @throws Exception if it fails; an {@link AssertionError} likewise.
         */
        void run(int... steps) throws Exception;
    }

    private Steps(final long seed, final Program program, final Duration longest) {
        this.seed = seed;
        this.program = program;
        deadline = System.nanoTime() + longest.toNanos();
    }

    /**
     * Where the decisions of a step come from.
     *
     * @param seed of the case.
     * @param step its number.
     * @return always the same ones.
     */
    public static SplittableRandom random(final long seed, final int step) {
        // The golden ratio: neighbours in one have nothing in common with neighbours in the other.
        return new SplittableRandom(seed + (step + 1) * 0x9e37_79b9_7f4a_7c15L).split();
    }

    /**
     * Runs a case.
     *
     * @param seed    of the case, for the message.
     * @param count   how many steps it has.
     * @param program what it does.
     * @throws AssertionError if it fails, with the shortest list that was found in half a minute, and its failure as
     *                        the cause.
     */
    public static void run(final long seed, final int count, final Program program) {
        run(seed, count, program, LONGEST);
    }

    static void run(final long seed, final int count, final Program program, final Duration longest) {
        final int[] all = IntStream.range(0, count).toArray();
        final Steps steps = new Steps(seed, program, longest);
        if (steps.fails(all)) {
            throw steps.shortest(all);
        }
    }

    private boolean fails(final int... steps) {
        runs++;
        try {
            program.run(steps);
            return false;
        } catch (final Exception | AssertionError e) {
            failure = e;
            return true;
        }
    }

    private AssertionError shortest(final int... all) {
        System.out.println("FAILS --seed " + seed + ", looking for fewer steps: " + failure);
        int[] kept = all;
        for (int part = Math.max(1, all.length / 2); part > 0; part /= 2) {
            kept = without(part, kept);
        }
        // Without some of them others may not be needed either.
        for (int before = all.length; kept.length < before;) {
            before = kept.length;
            kept = without(1, kept);
        }
        return new AssertionError("--seed " + seed + " fails with " + kept.length + " of " + all.length + " steps, "
            + Arrays.toString(kept) + " (" + runs + " runs): " + failure, failure);
    }

    /** Leaves out each part that is not needed, from the end: what comes late depends on what comes early. */
    private int[] without(final int part, final int... steps) {
        int[] kept = steps;
        for (int from = (kept.length - 1) / part * part; from >= 0; from -= part) {
            if (System.nanoTime() - deadline > 0) {
                return kept;
            }
            final int first = from;
            final int[] all = kept;
            final int[] fewer = IntStream.range(0, all.length).filter(i -> i < first || i >= first + part)
                .map(i -> all[i]).toArray();
            final Throwable before = failure;
            if (fails(fewer)) {
                kept = fewer;
            } else {
                failure = before;
            }
        }
        return kept;
    }
}
