/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells endpoints when one of their queue pairs failed. Listens to the device from the first who asks on: a device
 * whose events somebody else listens to, or that has none, tells nothing. Thread-safe.
 */
final class DeviceEvents {
    private final Map<QueuePair, Runnable> actions = new ConcurrentHashMap<>();
    private final RdmaContext context;
    private AsyncEventSubscription subscription;

    DeviceEvents(final RdmaContext context) {
        this.context = context;
    }

    /** Null if nothing will be told. */
    EndpointHost.Subscription listen(final QueuePair qp, final Runnable action) {
        if (!listens()) {
            return null;
        }
        actions.put(qp, action);
        return () -> actions.remove(qp, action);
    }

    private synchronized boolean listens() {
        if (subscription == null && context.supports(Feature.ASYNC_EVENTS)) {
            try {
                subscription = context.listen(this::onEvent);
            } catch (final RdmaException e) {
                if (e.errno() != RdmaException.EBUSY) {
                    throw e;
                }
            }
        }
        return subscription != null;
    }

    private void onEvent(final AsyncEvent event) {
        // Before anything else: an action may close what the event names.
        event.acknowledge();
        switch (event.type()) {
            case QP_ACCESS_ERR, QP_REQ_ERR, QP_FATAL -> run(event.element());
            case EVENTS_LOST -> actions.values().forEach(Runnable::run);
            default -> {
                // Of no meaning to lanes.
            }
        }
    }

    private void run(final Object element) {
        final Runnable action = element instanceof QueuePair ? actions.get(element) : null;
        if (action != null) {
            action.run();
        }
    }

    synchronized void close() {
        if (subscription != null) {
            subscription.close();
            subscription = null;
        }
    }
}
