/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.util.Arrays;
import java.util.function.BooleanSupplier;

/** Brings the addresses of a call into a vector, some at a time. Thread-safe. */
final class Inserter {
    private static final int SLICE = 256;
    private static final Problem CANCELED =
        new Problem(FiErrno.FI_ECANCELED, "the address vector was closed before it was this address's turn");

    private final Contents contents;
    private final BooleanSupplier ended;

    /** Told of each address that failed. */
    @FunctionalInterface
    interface Failures {
        void failed(int index, Problem problem);
    }

    Inserter(final Contents contents, final BooleanSupplier ended) {
        this.contents = contents;
        this.ended = ended;
    }

    /** How many were inserted. */
    int insert(final Insertion call, final Failures failures) {
        if (call.source().asks()) {
            return inSlices(call, failures);
        }
        // Nobody is asked: so places of one call follow each other.
        final Problem problem = lock();
        if (problem != null) {
            return refuse(call, problem, failures);
        }
        try {
            return inSlices(call, failures);
        } finally {
            contents.unlock();
        }
    }

    private int refuse(final Insertion call, final Problem problem, final Failures failures) {
        for (int i = 0; i < call.count(); i++) {
            fail(call, i, problem, failures);
        }
        return 0;
    }

    /** What is in the way of changes, if anything. */
    private Problem lock() {
        try {
            contents.lock();
            return null;
        } catch (final FabricException e) {
            return Problem.of(e);
        }
    }

    private int inSlices(final Insertion call, final Failures failures) {
        final int count = call.count();
        final AvEntry[] entries = new AvEntry[Math.min(SLICE, count)];
        Arrays.setAll(entries, i -> new AvEntry());
        final Problem[] problems = new Problem[entries.length];
        int inserted = 0;
        for (int first = 0; first < count; first += entries.length) {
            final int some = Math.min(entries.length, count - first);
            load(call.source(), first, some, entries, problems);
            inserted += store(call, first, some, entries, problems, failures);
        }
        return inserted;
    }

    private void load(
        final Source source, final int first, final int some, final AvEntry[] entries, final Problem[] problems) {
        if (ended.getAsBoolean()) {
            Arrays.fill(problems, CANCELED);
            return;
        }
        Arrays.fill(problems, null);
        try {
            source.load(first, some, entries, problems);
        } catch (final FabricException e) {
            Arrays.fill(problems, Problem.of(e));
        } catch (final RuntimeException e) {
            // Whatever it is: each address has its error, and an asynchronous call its end.
            Arrays.fill(problems, new Problem(FiErrno.FI_EOTHER, e.toString()));
        }
    }

    private int store(final Insertion call, final int first, final int some, final AvEntry[] entries,
        final Problem[] problems, final Failures failures) {
        final Problem locked = lock();
        int inserted = 0;
        try {
            final Problem all = locked == null && ended.getAsBoolean() ? CANCELED : locked;
            if (all == null && first == 0) {
                contents.store().reserve(call.count());
            }
            for (int i = 0; i < some; i++) {
                Problem problem = problems[i] == null ? all : problems[i];
                if (problem == null) {
                    problem = store(call, first + i, entries[i]);
                }
                if (problem == null) {
                    inserted++;
                } else {
                    fail(call, first + i, problem, failures);
                }
            }
            return inserted;
        } finally {
            if (locked == null) {
                contents.unlock();
            }
        }
    }

    private Problem store(final Insertion call, final int index, final AvEntry entry) {
        final long handle;
        try {
            handle = contents.insert(entry, call, call.userId(index));
        } catch (final FabricException e) {
            return Problem.of(e);
        }
        if (handle < 0) {
            return new Problem((int) -handle, "there is no place for it in the address vector");
        }
        call.inserted(index, contents.name(handle));
        return null;
    }

    private static void fail(
        final Insertion call, final int index, final Problem problem, final Failures failures) {
        call.failed(index, problem);
        failures.failed(index, problem);
    }
}
