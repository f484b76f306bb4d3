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
    /** A count is only claimed: what nobody has looked at yet has memory of no more than these, or what was there. */
    private static final int FIRST_STEP = 1 << 16;
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

    /** A call on its way: the addresses before {@code next} have their names or errors. */
    private static final class Progress {
        private final Insertion call;
        private final Failures failures;
        private int next;
        private int inserted;
        private boolean telling = true;

        Progress(final Insertion call, final Failures failures) {
            this.call = call;
            this.failures = failures;
        }

        void inserted(final long name) {
            call.inserted(next++, name);
            inserted++;
        }

        void failed(final Problem problem) {
            final int index = next++;
            call.failed(index, problem);
            if (telling) {
                tell(index, problem);
            }
        }

        /** Nobody's name or error depends on it. */
        private void tell(final int index, final Problem problem) {
            try {
                failures.failed(index, problem);
            } catch (final RuntimeException | Error e) {
                // Each of the others would look for memory once more, for hours.
                telling = !(e instanceof OutOfMemoryError);
            }
        }

        void restFailed(final Problem problem) {
            while (next < call.count()) {
                failed(problem);
            }
        }
    }

    /** How many were inserted. Whatever happens, each address has its name or its error, told or not. */
    int insert(final Insertion call, final Failures failures) {
        final Progress progress = new Progress(call, failures);
        try {
            insert(progress);
        } catch (final RuntimeException | Error e) {
            progress.restFailed(Problem.of(e));
        }
        if (progress.inserted < progress.next) {
            contents.failed(progress.next - progress.inserted);
        }
        return progress.inserted;
    }

    private void insert(final Progress progress) {
        if (progress.call.source().asks()) {
            inSlices(progress);
            return;
        }
        // Nobody is asked: so places of one call follow each other.
        final Problem problem = lock();
        if (problem != null) {
            progress.restFailed(problem);
            return;
        }
        try {
            inSlices(progress);
        } finally {
            contents.unlock();
        }
    }

    /** What is in the way of changes, if anything. */
    private Problem lock() {
        try {
            contents.lock();
            return null;
        } catch (final FabricException e) {
            // Who closes it interrupts who waits.
            return ended.getAsBoolean() ? CANCELED : Problem.of(e);
        }
    }

    private void inSlices(final Progress progress) {
        final int count = progress.call.count();
        final AvEntry[] entries = new AvEntry[Math.min(SLICE, count)];
        Arrays.setAll(entries, i -> new AvEntry());
        final Problem[] problems = new Problem[entries.length];
        while (progress.next < count) {
            final int some = Math.min(entries.length, count - progress.next);
            load(progress.call.source(), progress.next, some, entries, problems);
            store(progress, some, entries, problems);
        }
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
        } catch (final RuntimeException | Error e) {
            Arrays.fill(problems, Problem.of(e));
        }
        if (ended.getAsBoolean()) {
            // Who closes it interrupts who asks: nobody else did.
            Arrays.setAll(problems, i -> problems[i] != null && problems[i].errno() == FiErrno.FI_EINTR ? CANCELED
                : problems[i]);
        }
    }

    private void store(
        final Progress progress, final int some, final AvEntry[] entries, final Problem[] problems) {
        final Problem locked = lock();
        try {
            final Problem all = locked == null && ended.getAsBoolean() ? CANCELED : locked;
            if (all == null) {
                reserve(progress);
            }
            for (int i = 0; i < some && progress.next < progress.call.count(); i++) {
                final Problem problem = problems[i] == null ? all : problems[i];
                if (problem == null) {
                    store(progress, entries[i]);
                } else {
                    progress.failed(problem);
                }
            }
        } finally {
            if (locked == null) {
                contents.unlock();
            }
        }
    }

    /** In steps that double, so that what is there is not copied often. */
    private void reserve(final Progress progress) {
        final int first = progress.next;
        if (first != 0 && (first < FIRST_STEP || Integer.bitCount(first) != 1)) {
            return;
        }
        try {
            contents.store().reserve(
                Math.min(progress.call.count() - first, Math.max(FIRST_STEP, progress.inserted)));
        } catch (final OutOfMemoryError e) {
            // Only a hint: some of them may find room all the same, the others have an error of their own.
            Thread.onSpinWait();
        }
    }

    private void store(final Progress progress, final AvEntry entry) {
        final Insertion call = progress.call;
        final long handle;
        try {
            handle = contents.insert(entry, call, call.userId(progress.next));
        } catch (final OutOfMemoryError e) {
            // Each of the others would look for it once more, for hours.
            progress.restFailed(Problem.of(e));
            return;
        } catch (final RuntimeException | Error e) {
            progress.failed(Problem.of(e));
            return;
        }
        if (handle < 0) {
            progress.failed(new Problem((int) -handle, "there is no place for it in the address vector"));
        } else {
            progress.inserted(contents.name(handle));
        }
    }
}
