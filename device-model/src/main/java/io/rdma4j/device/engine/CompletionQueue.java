/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.common.SpinLock;
import io.rdma4j.device.memory.PageTable;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.queues.CqeProducer;
import io.rdma4j.queues.Padded;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A completion queue. Between {@link #begin()} and {@link #end} the caller writes one entry and holds the queue's lock.
 *
 * <p>Arming takes the lock too. So a driver that arms and then looks once more either finds the completion, or it came
 * later and finds the queue armed: no wake-up is lost, and completing needs no fence for it.
 *
 * <p>Entries can be {@linkplain #hold held}, to be shown together: a driver that looks at the index all the time has
 * its line taken away, and takes it back, for each store.
 */
final class CompletionQueue extends Padded {
    private static final int ARMED_ANY = Uar.CQ_ARM;
    private static final int ARMED_SOLICITED = Uar.CQ_ARM_SOL;

    private final int handle;
    private final int context;
    private final EngineContext engine;
    private final boolean notifiesAlways;
    private final boolean armsWithBoth;
    private PageTable pages;
    private CqeProducer ring;
    private final SpinLock lock = new SpinLock();
    private int armed;
    private int held;
    /** Whether one of those that are held is for who armed the queue for solicited completions. */
    private boolean holdsSolicited;
    private volatile boolean failed;
    private volatile boolean dead;
    private int users;

    CompletionQueue(EngineContext engine, int handle, int context, int count, PageTable pages) {
        this.engine = engine;
        this.handle = handle;
        this.context = context;
        this.pages = pages;
        this.notifiesAlways = engine.has(Quirk.NOTIFY_ALWAYS);
        this.armsWithBoth = engine.has(Quirk.ARM_BOTH);
        this.ring = ring(pages, count);
    }

    private static CqeProducer ring(PageTable pages, int count) {
        return new CqeProducer(pages.buffer(0), RingState.RX_OFFSET,
            pages.buffers(1, RingGeometry.pagesFor(count, Cqe.LENGTH)), count, Cqe.LENGTH);
    }

    /**
     * Goes on in other memory, with the completions that the driver has not consumed at its beginning. What the queue
     * is armed for stays.
     *
     * @param next  state page and entries.
     * @param count of entries.
     * @return false if the pending completions do not fit, or the queue has failed; then nothing has changed.
     */
    boolean resize(PageTable next, int count) {
        final CqeProducer bigger = ring(next, count);
        lock.lock();
        try {
            final boolean possible = !failed && !dead && pages.isCurrent() && next.isCurrent()
                && ring.copyTo(bigger) >= 0;
            if (possible) {
                pages = next;
                ring = bigger;
            }
            return possible;
        } finally {
            lock.unlock();
        }
    }

    /** Whether completions are lost for good. */
    boolean hasFailed() {
        return failed;
    }

    int handle() {
        return handle;
    }

    int context() {
        return context;
    }

    SpinLock lock() {
        return lock;
    }

    int count() {
        return ring.count();
    }

    PageTable pages() {
        return pages;
    }

    void use() {
        users++;
    }

    void letGo() {
        users--;
    }

    boolean isUsed() {
        return users > 0;
    }

    /** When this returns, nobody writes into it any more. */
    void end() {
        lock.lock();
        dead = true;
        pages.release();
        ring.release();
        lock.unlock();
    }

    /**
     * Takes the lock and a free entry, which still has the bytes of the completion before. If false, neither is held
     * and the completion is lost.
     */
    boolean begin() {
        lock.lock();
        if (claim()) {
            return true;
        }
        try {
            overflow();
        } finally {
            lock.unlock();
        }
        return false;
    }

    /** Takes the next free entry; the caller has the lock. */
    boolean claim() {
        return !dead && !failed && pages.isCurrent() && ring.claim();
    }

    /** As {@link #begin}, but if there is no entry, nobody is told. */
    boolean tryBegin() {
        lock.lock();
        if (!claim()) {
            lock.unlock();
            return false;
        }
        return true;
    }

    private void overflow() {
        if (failed || dead) {
            engine.counters().increment(Counter.CQ_OVERFLOWS);
        } else {
            failed = !engine.has(Quirk.NO_EVENTS);
            engine.counters().record(ring.isCorrupt() ? Counter.CORRUPT_RINGS : Counter.CQ_OVERFLOWS,
                "cq 0x%x: %s", handle, pages.isCurrent() ? ring : "unmapped");
            engine.events().async(EventType.PVRDMA_EVENT_CQ_ERR, handle);
            if (failed) {
                engine.cqFailed(this);
            }
        }
    }

    /** Where the entry is in this process. */
    long address() {
        return ring.address();
    }

    UnsafeBuffer page() {
        return ring.page();
    }

    int offset() {
        return ring.offset();
    }

    /**
     * Gives the lock back without showing the entry. Memory that an application lent and then cut off ends in an error
     * of the JVM, which comes up somewhere behind the copy: only the message is lost by it, and not the queue.
     */
    void abandon() {
        lock.unlock();
    }

    /**
     * Keeps the entry, to be shown at {@link #endHeld}, and the lock.
     *
     * @param solicited whether it concerns who armed the queue for solicited completions.
     */
    void hold(boolean solicited) {
        ring.hold();
        held++;
        holdsSolicited |= solicited;
    }

    /**
     * Shows the entry to the driver and gives the lock back.
     *
     * @param solicited whether it concerns who armed the queue for solicited completions: such a receive, or an error.
     */
    void end(boolean solicited) {
        try {
            ring.publish();
            tell(solicited);
        } finally {
            lock.unlock();
        }
    }

    /** Shows to the driver what is held, if anything is, and gives the lock back. */
    void endHeld() {
        try {
            if (held > 0) {
                final boolean solicited = holdsSolicited;
                held = 0;
                holdsSolicited = false;
                ring.show();
                tell(solicited);
            }
        } finally {
            lock.unlock();
        }
    }

    private void tell(boolean solicited) {
        final boolean interrupt = armed != 0 && (solicited || (armed & ARMED_ANY) != 0);
        if (interrupt) {
            armed = 0;
        }
        if (interrupt || notifiesAlways) {
            engine.events().completion(handle, interrupt);
        }
    }

    /**
     * Arms the queue for one notification.
     *
     * @param word the doorbell, of which the two arm bits count.
     */
    void arm(int word) {
        final int bits = word & (ARMED_ANY | ARMED_SOLICITED);
        lock.lock();
        if (!armsWithBoth) {
            armed |= bits;
        } else if (bits == (ARMED_ANY | ARMED_SOLICITED)) {
            armed = ARMED_ANY;
        } else if (bits == ARMED_ANY) {
            armed = 0;
        }
        lock.unlock();
    }

    /** For tests: makes the producer's index in memory one that cannot be. */
    void corruptIndex() {
        lock.lock();
        pages.buffer(0).putInt(RingState.RX_PROD_TAIL_OFFSET, 0x7fff_ffff);
        lock.unlock();
    }

    @Override
    public String toString() {
        return String.format("cq 0x%x %s armed 0x%x%s%s", handle, pages.isCurrent() ? ring : "(unmapped)", armed,
            failed ? " failed" : "", dead ? " dead" : "");
    }
}
