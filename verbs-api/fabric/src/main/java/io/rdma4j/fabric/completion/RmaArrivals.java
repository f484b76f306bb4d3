/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.base.Deadline;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Where the peers' RMA comes in, of all connected endpoints that have a completion queue for their receives: one verbs
 * queue, whatever the number of endpoints.
 *
 * <p>A lane inwards has to be mended although its application may not call anything for long. So the device's event
 * thread does that, and all lanes of the queue, with the verbs queue, belong to whoever {@link #busy holds them}: the
 * thread that reads tries, and goes on without if the event thread is at it. What arrived goes through a ring for each
 * endpoint to the reader; rings with something new are in a list, so that idle ones cost nothing.
 */
public final class RmaArrivals {
    private static final int BATCH = 64;
    private static final int FIXED_SIZE = 8192;
    private static final long LONGEST_HOLD_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final InwardLane[] NONE = new InwardLane[0];

    private final EndpointHost host;
    private final long longestHoldNanos;
    private final CompletionQueue cq;
    private final CompletionHandler note = this::note;
    /** Taken by compareAndSet, given back by a store which the next taker meets. */
    private final AtomicBoolean busy = new AtomicBoolean();
    /** Rings that the reader does not know of yet, the last one first. */
    private final AtomicReference<ArrivalRing> listed = new AtomicReference<>();
    /** By number; null where there is none. Replaced when it changes, by a thread that holds this object's lock. */
    private volatile InwardLane[] lanes = NONE;
    private int reserved;
    /** The reader found it held; volatile, stored before its second try and looked at after giving it back. */
    private volatile boolean missed;
    /** For the holder: a lane may have failed. */
    private boolean failed;
    /** For the reader: rings that were read, whose lanes may post receives again. */
    private ArrivalRing drawn;

    RmaArrivals(final EndpointHost host, final int size) {
        this.host = host;
        this.longestHoldNanos = LONGEST_HOLD_NANOS;
        final boolean grows = host.context().supports(Feature.CQ_RESIZE);
        final int wanted = grows ? size : Math.max(size, FIXED_SIZE);
        this.cq = host.context().createCq(Math.min(wanted, host.context().attributes().maxCqe()),
            FabricCompletionQueue.channelOf(host));
    }

    /**
     * Where receives of lanes complete.
     *
     * @return polled by the holder only.
     */
    public CompletionQueue cq() {
        return cq;
    }

    /**
     * Makes room for a lane, before it is made.
     *
     * @param entries how many completions may be there at once.
     */
    public synchronized void reserve(final int entries) {
        final int wanted = Math.min(2 * (reserved + entries), host.context().attributes().maxCqe());
        if (wanted > cq.capacity() && host.context().supports(Feature.CQ_RESIZE)) {
            // Held, as who drains it meanwhile would find nothing, and lose what is there.
            hold();
            try {
                cq.resize(wanted);
            } finally {
                letGo();
            }
        }
        reserved += entries;
    }

    /**
     * Gives room back.
     *
     * @param entries as they were reserved.
     */
    public synchronized void giveBack(final int entries) {
        reserved -= entries;
    }

    /**
     * Makes a lane known.
     *
     * @param lane to be told of its completions.
     * @return its number, for {@link WorkId}.
     */
    public synchronized int attach(final InwardLane lane) {
        final InwardLane[] now = lanes;
        int number = 0;
        while (number < now.length && now[number] != null) {
            number++;
        }
        final InwardLane[] next = Arrays.copyOf(now, Math.max(now.length, number + 1));
        next[number] = lane;
        lanes = next;
        return number;
    }

    /**
     * The lane is gone. What arrived stays to be read.
     *
     * @param lane harmless if it was not attached.
     */
    public synchronized void detach(final InwardLane lane) {
        final InwardLane[] next = lanes.clone();
        for (int i = 0; i < next.length; i++) {
            next[i] = next[i] == lane ? null : next[i];
        }
        lanes = next;
    }

    /** Takes the lanes, or fails after 10 s. */
    public void hold() {
        if (!holdInTime()) {
            throw Failures.of("use endpoint", FiErrno.FI_EBUSY, "lanes inwards are held by another thread for 10 s")
                .build();
        }
    }

    /**
     * Takes the lanes.
     *
     * @return false if another thread had them for 10 s.
     */
    public boolean holdInTime() {
        final long deadline = System.nanoTime() + longestHoldNanos;
        while (!busy.compareAndSet(false, true)) {
            if (Deadline.isOver(deadline)) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }

    /** Gives them back; and does what the reader wanted to do meanwhile, who may not come again for long. */
    public void letGo() {
        // Released for whoever takes it next.
        busy.set(false);
        while (missed && busy.compareAndSet(false, true)) {
            missed = false;
            refillAll();
            busy.set(false);
        }
    }

    private void refillAll() {
        for (final InwardLane lane : lanes) {
            if (lane != null) {
                lane.refill();
            }
        }
    }

    /** Reader: whether it has them; if not, the one that has them sees that they were wanted. */
    private boolean tryHold() {
        if (busy.compareAndSet(false, true)) {
            return true;
        }
        missed = true;
        return busy.compareAndSet(false, true);
    }

    /** Reader: notes what arrived, and lets lanes post receives again; false if another thread has the lanes now. */
    boolean gather() {
        if (!tryHold()) {
            return false;
        }
        try {
            cq.poll(note, BATCH);
            refillDrawn();
            if (failed) {
                mendFailed();
            }
            return true;
        } finally {
            // For whoever takes it next. Only this thread says that it has missed it, and it has it.
            busy.setRelease(false);
        }
    }

    private void mendFailed() {
        failed = false;
        for (final InwardLane lane : lanes) {
            if (lane != null) {
                lane.mendIfFailed();
            }
        }
    }

    private void note(final Completion completion) {
        final int number = WorkId.port(completion.wrId());
        final InwardLane[] now = lanes;
        if (number < now.length && now[number] != null && now[number].arrived(completion)) {
            failed = true;
        }
    }

    /** Holder: notes all that arrived. Ends also if more comes all the time. */
    public void drain() {
        for (int left = cq.capacity(); left >= 0 && cq.poll(note, BATCH) > 0; left--) {
            Thread.onSpinWait();
        }
    }

    /** Holder: notes some of what arrived. */
    public void drainSome() {
        cq.poll(note, BATCH);
    }

    /** From any thread: a ring has something, and the reader is not told yet. */
    void list(final ArrivalRing ring) {
        ArrivalRing before;
        do {
            before = listed.get();
            ring.nextArrived = before;
        } while (!listed.compareAndSet(before, ring));
    }

    /** Reader: moves rings that have something new to those that are read, in the order in which they came. */
    void moveTo(final ReadyRings ready) {
        if (listed.get() == null) {
            return;
        }
        ArrivalRing ring = reversed(listed.getAndSet(null));
        while (ring != null) {
            final ArrivalRing next = ring.nextArrived;
            ring.nextArrived = null;
            ready.add(ring);
            ring = next;
        }
    }

    private static ArrivalRing reversed(final ArrivalRing last) {
        ArrivalRing first = null;
        ArrivalRing ring = last;
        while (ring != null) {
            final ArrivalRing before = ring.nextArrived;
            ring.nextArrived = first;
            first = ring;
            ring = before;
        }
        return first;
    }

    /** Reader: something was taken out of a ring. */
    void drawn(final ArrivalRing ring) {
        if (!ring.isDrawn) {
            ring.isDrawn = true;
            ring.nextDrawn = drawn;
            drawn = ring;
        }
    }

    /** Reader: the peers whose data were taken may go on at once. */
    void refill() {
        if (drawn != null && tryHold()) {
            try {
                refillDrawn();
            } finally {
                letGo();
            }
        }
    }

    private void refillDrawn() {
        while (drawn != null) {
            final ArrivalRing ring = drawn;
            drawn = ring.nextDrawn;
            ring.nextDrawn = null;
            ring.isDrawn = false;
            ring.lane().refill();
        }
    }

    /** Asks for an event of what arrives next; a code. */
    int arm() {
        return cq.requestNotify(false);
    }

    void close() {
        cq.close();
    }

    @Override
    public String toString() {
        return "arrivals on " + cq + (busy.get() ? ", held" : "");
    }
}
