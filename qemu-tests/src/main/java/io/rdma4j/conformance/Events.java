/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Asynchronous events, awaited with a deadline. */
final class Events {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Set<AsyncEventType> OF_QPS =
        EnumSet.of(AsyncEventType.QP_FATAL, AsyncEventType.QP_REQ_ERR, AsyncEventType.QP_ACCESS_ERR,
            AsyncEventType.COMM_EST, AsyncEventType.QP_LAST_WQE_REACHED);

    private Events() {
    }

    /** An event of this type comes for this object; those of others before it are passed over. */
    static AsyncEvent expect(
        final ConformanceEnv env, final RdmaContext context, final AsyncEventType type, final Object element) {
        final List<AsyncEvent> others = new ArrayList<>();
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        while (System.nanoTime() - deadline < 0) {
            final AsyncEvent event = context.awaitAsyncEvent(Duration.ofNanos(deadline - System.nanoTime()));
            if (event != null) {
                event.acknowledge();
                if (event.type() == type && event.element() == element) {
                    return event;
                }
                others.add(event);
            }
        }
        throw new AssertionError("no " + type + " came for " + element + ", but " + others);
    }

    /** The same, where the device has events at all. */
    static void expectIfAny(
        final ConformanceEnv env, final RdmaContext context, final AsyncEventType type, final Object element) {
        if (context.supports(Feature.ASYNC_EVENTS)
            && (!OF_QPS.contains(type) || context.supports(Feature.QP_EVENTS))) {
            expect(env, context, type, element);
        }
    }

    /** None comes for this object for a while; others are passed over. */
    static void none(final RdmaContext context, final Object element, final Duration time) {
        final long end = System.nanoTime() + time.toNanos();
        AsyncEvent event;
        do {
            event = context.awaitAsyncEvent(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            if (event != null) {
                event.acknowledge();
                event.acknowledge();
                Check.that(event.element() != element, "there came %s", event);
            }
        } while (event != null || System.nanoTime() - end < 0);
    }
}
