/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/*
 * What the polling thread writes with each poll must not share a cache line, nor a pair of lines, which the prefetcher
 * fetches together, with what another thread reads: the garbage collector likes to put queues beside each other. The
 * JVM lays out the fields of a superclass before those of a subclass, hence one class for each group.
 */

/** Keeps the object before this one in the heap, and what is read only, away. */
abstract class PaddingBeforePoller extends PvrdmaObject {
    long p00;
    long p01;
    long p02;
    long p03;
    long p04;
    long p05;
    long p06;
    long p07;
    long p08;
    long p09;
    long p10;
    long p11;
    long p12;
    long p13;
    long p14;

    PaddingBeforePoller(final PvrdmaContext context) {
        super(context);
    }
}

/** What the polling thread writes. */
abstract class PollerState extends PaddingBeforePoller {
    static final VarHandle CONSUMED;
    static final VarHandle POLLING;
    private static final VarHandle SHARED_THROUGH;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            CONSUMED = lookup.findVarHandle(PollerState.class, "consumed", long.class);
            POLLING = lookup.findVarHandle(PollerState.class, "polling", long.class);
            SHARED_THROUGH = lookup.findVarHandle(PollerState.class, "sharedThrough", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** CQEs given back since the beginning; their index in the ring is the low bits. */
    long consumed;
    /** CQEs that the poller has looked at and not given back, with the one at hand. */
    int held;
    int pokeIn = 1;
    /** 1 in a poll, else 0. The JVM would put a boolean beside that of a superclass, in front of the room. */
    long polling;
    /** Before this position nobody counts a receive of a shared queue any more. */
    private volatile long sharedThrough;

    PollerState(final PvrdmaContext context) {
        super(context);
    }

    /**
     * Whether the caller is the one to count the receive of a shared queue that completed at a position. The poller
     * gives a batch back at its end, or never where the CQ is closed meanwhile: who closes it finds CQEs again that
     * were counted. Both go through the ring in order, and whichever comes first to a position has it; a store and a
     * look at the other one's would need a full fence too.
     */
    final boolean takeShared(final long position) {
        long before;
        do {
            before = sharedThrough;
            if (position < before) {
                return false;
            }
        } while (!SHARED_THROUGH.compareAndSet(this, before, position + 1));
        return true;
    }
}

/** The padded state of a poller. */
abstract class PollerFields extends PollerState {
    long p20;
    long p21;
    long p22;
    long p23;
    long p24;
    long p25;
    long p26;
    long p27;
    long p28;
    long p29;
    long p30;
    long p31;
    long p32;
    long p33;
    long p34;

    PollerFields(final PvrdmaContext context) {
        super(context);
    }
}
