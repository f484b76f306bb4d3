/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.base.DaemonThreads;
import io.rdma4j.base.Uninterrupted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Takes what the kernel tells and passes it on. Two threads:
 *
 * <p>The <em>reader</em> waits in poll, counts {@link #pending} up, and only then reads. Reading is what releases the
 * thread that changes the address space, so that whoever runs after that thread finds pending above 0. The reader does
 * nothing else: no lock of anybody's, no memory to allocate, no code of others between poll and read. So no thread that
 * unmaps ever waits for more than this.
 *
 * <p>The <em>teller</em> ends the guards, calls the listeners, and counts pending down afterwards: whoever sees 0
 * (acquire) sees all that the listeners did (release).
 */
final class MappingEngine {
    private static final System.Logger LOG = System.getLogger(MappingEngine.class.getName());
    /** The reader looks around that often although nothing came. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final int SPINS = 200;
    /** Ends the teller. */
    private static final UserfaultEvents END = new UserfaultEvents();

    private final UserfaultKernel kernel;
    private final MappingRegister register;
    /** Batches that are about to be read, being read, or not told of yet. */
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicLong changes = new AtomicLong();
    private final LinkedBlockingQueue<UserfaultEvents> toTell = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<UserfaultEvents> unused = new LinkedBlockingQueue<>();
    private final BooleanSupplier isQuiet = this::quiet;
    private final BooleanSupplier isSettled = this::settled;
    private final List<Thread> threads = new ArrayList<>();
    private final Thread atExit = new Thread(this::shutDown, "rdma4j-map-exit");
    private volatile boolean stopped;
    private volatile String whyNot;

    private MappingEngine(final UserfaultKernel kernel, final LongSupplier clock, final String whyNot) {
        this.kernel = kernel;
        this.whyNot = whyNot;
        register = new MappingRegister(kernel, clock, isSettled);
    }

    static MappingEngine unavailable(final String whyNot) {
        return new MappingEngine(null, System::nanoTime, whyNot);
    }

    static MappingEngine start(final UserfaultKernel kernel, final LongSupplier clock) {
        final MappingEngine engine = new MappingEngine(kernel, clock, null);
        engine.thread("rdma4j-map-read", engine::readAll);
        engine.thread("rdma4j-map-tell", engine::tellAll);
        try {
            Runtime.getRuntime().addShutdownHook(engine.atExit);
        } catch (final IllegalStateException e) {
            engine.shutDown();
        }
        return engine;
    }

    private void thread(final String name, final Runnable body) {
        final Thread thread = DaemonThreads.of(name, body);
        threads.add(thread);
        thread.start();
    }

    String whyNot() {
        return whyNot;
    }

    boolean quiet() {
        return pending.get() == 0;
    }

    boolean awaitQuiet(final long nanos) {
        return await(isQuiet, nanos);
    }

    /** Who changes something is asked for first: when that call returns, somebody may still have to be told of it. */
    private boolean settled() {
        return !changing() && quiet();
    }

    boolean awaitSettled(final long nanos) {
        return await(isSettled, nanos);
    }

    private static boolean await(final BooleanSupplier condition, final long nanos) {
        final long deadline = System.nanoTime() + Math.max(0, nanos);
        for (int spins = 0; !condition.getAsBoolean(); spins++) {
            if (deadline - System.nanoTime() <= 0) {
                return condition.getAsBoolean();
            }
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        return true;
    }

    boolean changing() {
        try {
            return kernel != null && !stopped && kernel.changing();
        } catch (final RdmaException e) {
            return !stopped && whyNot == null; // Closed in this moment; where it was lost, nothing is watched.
        }
    }

    long changes() {
        return changes.get();
    }

    void watch(final MappingGuard guard) {
        final String why = whyNot;
        final String refusal = why == null ? register.add(guard) : why;
        if (refusal != null) {
            guard.refuse(refusal);
        } else if (whyNot != null) {
            // It was lost meanwhile, perhaps after everybody had been told.
            unwatch(guard);
        }
    }

    void unwatch(final MappingGuard guard) {
        if (guard.end()) {
            register.remove(guard);
        }
    }

    private void readAll() {
        UserfaultEvents events = new UserfaultEvents();
        try {
            while (!stopped) {
                if (kernel.await(LOOK_NANOS)) {
                    pending.incrementAndGet(); // Before the read, which releases whoever made the change.
                    kernel.read(events);
                    changes.addAndGet(events.count());
                    toTell.add(events);
                    final UserfaultEvents next = unused.poll();
                    events = next == null ? new UserfaultEvents() : next;
                }
            }
        } catch (final RuntimeException | Error e) {
            fail("the thread that reads the userfaultfd failed: " + e);
        } finally {
            register.close();
            toTell.add(END);
        }
    }

    /** From here on it is never quiet until every guard is ended. */
    private void lose(final String why) {
        pending.incrementAndGet();
        whyNot = why + "; nothing is watched any more";
    }

    private void fail(final String why) {
        lose(why);
        LOG.log(System.Logger.Level.ERROR, whyNot);
    }

    /**
     * When the JVM ends, its threads are stopped for good and code of others still runs, in atexit handlers and
     * destructors. If that unmapped something watched, the process would never end.
     */
    void shutDown() {
        lose("the JVM shuts down");
        stop();
    }

    private void tellAll() {
        try {
            for (UserfaultEvents events = toTell.take(); events != END; events = toTell.take()) {
                for (int i = 0; i < events.count(); i++) {
                    tell(events, i);
                }
                events.clear();
                unused.add(events);
                pending.decrementAndGet();
            }
        } catch (final InterruptedException | RuntimeException | Error e) {
            fail("the thread that tells of changes failed: " + e);
            stop();
        }
        if (whyNot != null) {
            register.everything().forEach(guard -> tell(guard, guard.from(), guard.to()));
            pending.set(0);
        }
    }

    private void tell(final UserfaultEvents events, final int index) {
        final long from = events.from(index);
        final long to = events.to(index);
        for (final MappingGuard guard : register.changed(events, index)) {
            tell(guard, Math.max(from, guard.from()), Math.min(to, guard.to()));
        }
    }

    private static void tell(final MappingGuard guard, final long from, final long to) {
        if (guard.change()) {
            try {
                guard.listener().changed(guard, from, to);
            } catch (final RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "a listener failed for " + guard, e);
            }
        }
    }

    private void stop() {
        stopped = true;
        kernel.stop();
    }

    void close() {
        if (kernel == null) {
            return;
        }
        stop();
        for (final Thread thread : threads) {
            join(thread);
        }
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (final IllegalStateException e) {
            LOG.log(System.Logger.Level.DEBUG, "closed while the JVM shuts down", e);
        }
    }

    private static void join(final Thread thread) {
        if (thread != Thread.currentThread() && !Uninterrupted.join(thread, JOIN_NANOS)) {
            LOG.log(System.Logger.Level.WARNING, "{0} has not ended: {1}", thread.getName(), thread.getState());
        }
    }

    @Override
    public String toString() {
        final String why = whyNot;
        return why == null ? String.format("%d changes, %d pending, %s", changes.get(), pending.get(), register) : why;
    }
}
