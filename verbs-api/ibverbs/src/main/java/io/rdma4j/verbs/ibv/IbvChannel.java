/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Deadline;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.spi.Errors;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/** A completion channel. */
final class IbvChannel extends IbvObject implements CompletionChannel {
    final CompletionEvents events;
    private final int number;
    private final Set<IbvCq> cqs = new LinkedHashSet<>();

    private IbvChannel(final IbvContext context, final CompletionEvents events) {
        super(context);
        this.events = events;
        this.number = context.nextNumber();
    }

    static IbvChannel create(final IbvContext context, final String operation) {
        return new IbvChannel(context, CompletionEvents.create(context, operation));
    }

    @Override
    public RdmaContext context() {
        return context;
    }

    @Override
    public CompletionQueue await(final Duration timeout) {
        Errors.notNull(timeout, CompletionEvents.OPERATION, context, "timeout");
        requireOpen(CompletionEvents.OPERATION);
        return events.await(this, null, Deadline.nanos(timeout));
    }

    @Override
    public void wakeUp() {
        events.wakeUp();
    }

    void endWaits() {
        events.endWaits();
    }

    synchronized void attach(final IbvCq cq, final String operation) {
        requireOpen(operation);
        cqs.add(cq);
    }

    synchronized void detach(final IbvCq cq) {
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
    void awaitOthers() {
        events.end(this);
    }

    @Override
    void destroy() {
        events.close();
        context.forget(this);
    }

    @Override
    public String toString() {
        return "channel " + number;
    }
}
