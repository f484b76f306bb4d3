/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.SystemFaults;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.testing.Patience;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A scenario in which a call fails: what must be true then, and afterwards. */
final class Run {
    /** About which something can always be done, so that the message says what. */
    private static final Set<String> LIMITS = Set.of("EMFILE", "ENFILE", "ENOMEM", "ENOSPC");
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final Case one;
    private final Path folders;
    private final ConcurrentLinkedQueue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
    private SystemFaults faults;
    private Throwable thrown;

    private Run(final Case one, final Path folders) {
        this.one = one;
        this.folders = folders;
    }

    /** Goes through one case; what the scenario threw, or null if it went well all the same. */
    static Throwable of(final Case one, final Path folders) {
        final Run run = new Run(one, folders);
        final String name = name("run");
        final List<String> before = Held.now(folders);
        final Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> run.uncaught.add(e));
        try {
            inThreadOfItsOwn(() -> run.scenario(name));
            run.look(before);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
        try {
            inThreadOfItsOwn(() -> one.scenario().run(name));
        } catch (final AssertionError e) {
            throw new AssertionError(one + ": the next try: " + e.getMessage() + run.where() + " and the first threw "
                + run.thrown, e);
        }
        return run.thrown;
    }

    static void plain(final Scenario scenario, final String name) {
        inThreadOfItsOwn(() -> scenario.run(name(name)));
    }

    static String name(final String of) {
        return of + NAMES.incrementAndGet();
    }

    private void scenario(final String name) {
        try (SystemFaults failing = SystemFaults.failing(one.others(), one.call(), one.number(), one.errno())) {
            faults = failing;
            one.scenario().run(name);
        } catch (final RuntimeException | Error e) { // Whatever it is, it is looked at.
            thrown = e;
        }
    }

    private void look(final List<String> before) {
        assertThat(uncaught).as("%s: threads that ended by an exception%s", one, where()).isEmpty();
        if (thrown != null && !isMeant(thrown)) {
            throw new AssertionError(one + ": neither went well nor failed as it should" + where(), thrown);
        }
        final List<String> more = Held.more(before, folders);
        // What the call itself was kept from giving back: SystemFaults has given it back, and its owner cannot know.
        for (int i = 0; i < faults.owed() && "munmap".equals(one.call()); i++) {
            more.remove("a MappedMemory");
        }
        if (!more.isEmpty()) {
            throw new AssertionError(one + ": is left: " + more + where(), thrown);
        }
    }

    private String where() {
        final StringBuilder text = new StringBuilder(faults.hasFailed() ? "\n  it failed at" : "");
        faults.where().stream().filter(frame -> frame.getClassName().startsWith("io.rdma4j."))
            .limit(12).forEach(frame -> text.append("\n    ").append(frame));
        return text.append('\n').toString();
    }

    /** An exception of rdma4j that says what was tried and how it failed, as are those that came with it. */
    private boolean isMeant(final Throwable e) {
        if (!(e instanceof RdmaException || e instanceof FabricException || e instanceof RefusedException)) {
            return false;
        }
        final String name = RdmaException.errnoName(one.errno());
        final String texts = texts(e);
        // What is not there was not refused: somebody else has gone, for example.
        final boolean says = one.errno() == RdmaException.ENOENT
            || texts.contains(name) && (!LIMITS.contains(name) || texts.contains("; "));
        return (e instanceof RefusedException || says)
            && Arrays.stream(e.getSuppressed()).allMatch(each ->
                each instanceof RdmaException || each instanceof FabricException);
    }

    private static String texts(final Throwable e) {
        final List<String> texts = new ArrayList<>();
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            texts.add(cause.getMessage());
        }
        return texts.toString();
    }

    /** Within a time in which it ends on any machine. */
    static void inThreadOfItsOwn(final Runnable work) {
        final Throwable[] failure = new Throwable[1];
        final Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (final RuntimeException | Error e) { // For the thread that waits.
                failure[0] = e;
            }
        }, "scenario");
        thread.setDaemon(true);
        thread.start();
        try {
            thread.join(Patience.millis());
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
        if (thread.isAlive()) {
            final AssertionError hangs = new AssertionError("it does not end");
            hangs.setStackTrace(thread.getStackTrace());
            throw hangs;
        }
        if (failure[0] != null) {
            throw new AssertionError("it does not go well: " + failure[0], failure[0]);
        }
    }
}
