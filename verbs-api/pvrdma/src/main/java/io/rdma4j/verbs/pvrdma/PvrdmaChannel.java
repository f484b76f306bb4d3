/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.spi.Errors;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/** A completion channel. The device knows nothing of it. */
final class PvrdmaChannel extends PvrdmaObject implements CompletionChannel {
    final ChannelEvents events;
    private final int number;
    private final Set<PvrdmaCq> cqs = new LinkedHashSet<>();

    PvrdmaChannel(final PvrdmaContext context, final int number) {
        super(context);
        this.number = number;
        this.events = new ChannelEvents(this, context.completionEvents);
    }

    @Override
    public RdmaContext context() {
        return context;
    }

    @Override
    public CompletionQueue await(final Duration timeout) {
        Errors.notNull(timeout, CompletionEvents.OPERATION, context, "timeout");
        return context.completionEvents.await(events, timeout);
    }

    @Override
    public void wakeUp() {
        context.completionEvents.wakeUp(events);
    }

    /** Adds a CQ that has its events here. */
    synchronized void attach(final PvrdmaCq cq, final String operation) {
        requireOpen(operation);
        cqs.add(cq);
    }

    synchronized void detach(final PvrdmaCq cq) {
        cqs.remove(cq);
    }

    @Override
    synchronized void leave() {
        if (!cqs.isEmpty()) {
            throw Errors.error(RdmaException.EBUSY, "close completion channel", context, "%s is used by %s", this, cqs);
        }
        super.leave();
    }

    @Override
    void destroy() {
        context.completionEvents.end(events);
        context.forget(this);
    }

    synchronized String dump() {
        return this + " cqs=" + cqs + " events=" + context.completionEvents.count(events);
    }

    @Override
    public String toString() {
        return "channel " + number;
    }
}
