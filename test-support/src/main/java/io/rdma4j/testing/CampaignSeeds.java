/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * The seeds of a {@link Campaign}. With {@code -Drdma4j.campaign=NAME:MILLIS,...} they count up from
 * {@code -Drdma4j.campaign.seed} until each method of such a campaign has had its time, one at least; the last case may
 * begin just before. Methods of other campaigns have none then. Each seed is printed before its case begins: what ends
 * the JVM is the last one. At the end it is looked whether the process has kept threads, files, mappings or objects.
 */
public final class CampaignSeeds implements ArgumentsProvider, AnnotationConsumer<Campaign> {
    static final String CAMPAIGNS = "rdma4j.campaign";
    static final String SEED = "rdma4j.campaign.seed";
    /** Until then classes are loaded and caches filled. */
    private static final int SETTLED = 5;
    /** JUnit keeps the name and the result of each. */
    private static final long HEAP_OF_A_CASE = 4096;
    private static final Map<String, LongAdder> DONE = new ConcurrentSkipListMap<>();

    private Campaign campaign;
    private String method;
    private long longest;
    private long first;
    private long begun;
    private long cases;
    private ProcessState before;

    /** Made by JUnit. */
    public CampaignSeeds() {
        // Nothing to do.
    }

    /**
     * Bytes from a seed, for those who read decisions from bytes.
     *
     * @param seed   any.
     * @param length how many.
     * @return always the same ones.
     */
    public static byte[] bytes(final long seed, final int length) {
        final byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    /**
     * How long a single case may take that fills all of its campaign's time.
     *
     * @param campaign which.
     * @param usual    how long it is in every build, milliseconds.
     * @return milliseconds, at least the usual ones: what each method of the campaign has, if that is run.
     */
    public static long millis(final String campaign, final long usual) {
        return Math.max(usual, share(campaign));
    }

    /**
     * Counts what cases do, for the line that ends a campaign. Any thread may call it.
     *
     * @param what such as {@code calls}.
     * @param more how many more there were.
     */
    public static void count(final String what, final long more) {
        DONE.computeIfAbsent(what, name -> new LongAdder()).add(more);
    }

    private static String done() {
        return DONE.isEmpty() ? "" : DONE.entrySet().stream().map(each -> each.getValue() + " " + each.getKey())
            .collect(Collectors.joining(", ", " (", ")"));
    }

    /** Milliseconds, or below 0 if it is not run. */
    private static long share(final String campaign) {
        for (final String each : System.getProperty(CAMPAIGNS, "").split(",")) {
            if (each.startsWith(campaign + ':')) {
                return Long.parseLong(each.substring(campaign.length() + 1));
            }
        }
        return -1;
    }

    @Override
    public void accept(final Campaign annotation) {
        campaign = annotation;
    }

    @Override
    public Stream<? extends Arguments> provideArguments(
        final ParameterDeclarations parameters, final ExtensionContext context) {
        if (System.getProperty(CAMPAIGNS, "").isEmpty()) {
            return LongStream.concat(LongStream.rangeClosed(1, campaign.usual()), LongStream.of(campaign.kept()))
                .mapToObj(Arguments::of);
        }
        final long millis = share(campaign.value());
        return millis < 0 ? Stream.empty() : untilTheTimeIsOver(context, millis);
    }

    private Stream<Arguments> untilTheTimeIsOver(final ExtensionContext context, final long longestMillis) {
        longest = longestMillis;
        method = context.getRequiredTestClass().getSimpleName() + '#' + context.getRequiredTestMethod().getName();
        first = Long.getLong(SEED, 1);
        DONE.clear();
        begun = System.nanoTime();
        return LongStream.iterate(first, seed -> seed + 1).takeWhile(seed -> goesOn()).peek(this::tell)
            .mapToObj(Arguments::of);
    }

    private boolean goesOn() {
        if (cases == SETTLED) {
            before = ProcessState.settled(null);
        }
        final long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        if (cases == 0 || millis < longest) {
            return true;
        }
        System.out.printf("CAMPAIGN %s %s: %d cases%s in %d s, seeds from %d%n", campaign.value(), method, cases,
            done(), TimeUnit.MILLISECONDS.toSeconds(millis), first);
        if (before != null) {
            final ProcessState allowed = before.plusHeap(cases * HEAP_OF_A_CASE);
            final ProcessState after = ProcessState.settled(allowed);
            if (after.exceeds(allowed)) {
                throw new AssertionError("after " + cases + " cases there is more than before: " + after + ", was "
                    + before);
            }
        }
        return false;
    }

    private void tell(final long seed) {
        cases++;
        System.out.println("CASE " + campaign.value() + ' ' + method + " --seed " + seed);
    }
}
