/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import io.rdma4j.RdmaException;
import io.rdma4j.qemu.guest.ResultWriter;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Runs claims one after the other, and reports each. */
final class Claims {
    private static final int TRACE = 12;

    private final ResultWriter results;

    Claims(final ResultWriter results) {
        this.results = results;
    }

    /** One claim: returns what was seen, throws what was wrong. */
    interface Claim {
        String check() throws IOException, InterruptedException;
    }

    void run(final String name, final Claim claim) {
        final long start = System.nanoTime();
        try {
            final String seen = claim.check();
            results.pass(name, seen + " (" + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms)");
        } catch (final IOException | RuntimeException e) {
            results.fail(name, e + "\n" + Arrays.stream(e.getStackTrace()).limit(TRACE)
                .map(StackTraceElement::toString).collect(Collectors.joining("\n")));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            results.fail(name, "interrupted");
        }
    }

    static String require(final boolean holds, final String seen) {
        if (!holds) {
            throw new IllegalStateException(seen);
        }
        return seen;
    }

    /** The failure of something that must fail, with this errno and these words in its message. */
    static String requireRefusal(final Supplier<?> action, final int errno, final String... words) {
        final Object result;
        try {
            result = action.get();
        } catch (final RdmaException e) {
            for (final String word : words) {
                require(e.getMessage().contains(word), "no '" + word + "' in: " + e.getMessage());
            }
            return require(e.errno() == errno, e.getMessage());
        }
        throw new IllegalStateException("it was not refused: " + result);
    }
}
