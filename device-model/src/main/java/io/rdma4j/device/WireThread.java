/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import io.rdma4j.base.Uninterrupted;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.engine.Engine;
import io.rdma4j.device.wire.Carrier;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;

/**
 * The thread of a device with a wire: takes what comes, answers, and looks after what waits. It spins for a moment,
 * makes way for others, then sleeps until something comes. While others poll in vain, they do that instead.
 */
final class WireThread {
    private static final int SPINS = 20;
    /** So often it looks before it asks whether others serve the wire. */
    private static final int LOOKS = 32;
    /** Who has served it as often meanwhile, by some thirty polls, polls all the time; not who polls once a message. */
    private static final int OFTEN = 4;
    private static final int YIELDS = 200;
    private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** Whoever comes knocks. */
    private static final long LONG_SLEEP_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long HELPED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** After a fault, which may come again at once. */
    private static final long FAULT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Engine engine;
    private final Carrier carrier;
    private final Counters counters;
    private final Thread thread;
    private volatile boolean closed;

    WireThread(String device, Engine engine, Carrier carrier, Counters counters,
        BiFunction<String, Runnable, Thread> threads) {
        this.engine = engine;
        this.carrier = carrier;
        this.counters = counters;
        this.thread = threads.apply("rdma4j-wire-" + device, this::run);
    }

    void start() {
        thread.start();
    }

    /** Whatever goes wrong once, as where there is no memory for a moment: without this thread the device is deaf. */
    private void run() {
        while (!closed) {
            try {
                serve();
            } catch (final RuntimeException | Error e) {
                count(e);
                LockSupport.parkNanos(FAULT_NANOS);
            }
        }
    }

    private void count(Throwable fault) {
        try {
            counters.record(Counter.INTERNAL_ERRORS, "wire's thread: %s", fault);
        } catch (final OutOfMemoryError e) {
            // It was counted before there was no memory for the words.
            return;
        }
    }

    private void serve() {
        int idle = 0;
        int looks = 0;
        int helped = 0;
        while (!closed) {
            if (looks == LOOKS) {
                if (engine.helped() - helped >= OFTEN) {
                    // Who polls all the time needs the processor more than this does, and the wire just as well.
                    idle = 0;
                    LockSupport.parkNanos(HELPED_NANOS);
                }
                helped = engine.helped();
                looks = 0;
            }
            looks++;
            if (engine.progress() > 0) {
                idle = 0;
            } else if (idle < SPINS) {
                idle++;
                Thread.onSpinWait();
            } else if (idle < SPINS + YIELDS) {
                idle++;
                Thread.yield();
            } else {
                engine.await(carrier.isLonely() ? LONG_SLEEP_NANOS : SLEEP_NANOS);
            }
        }
    }

    /**
     * Ends the thread. Called once nothing new begins; the engine's queues may still be there.
     *
     * @return whether it has ended, so that what it uses can be given back.
     */
    boolean close() {
        closed = true;
        carrier.wakeUp();
        LockSupport.unpark(thread);
        return thread != Thread.currentThread() && Uninterrupted.join(thread, PATIENCE_NANOS);
    }
}
