/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** Is told of asynchronous events, see {@link RdmaContext#listen}. */
@FunctionalInterface
public interface AsyncEventListener {
    /**
     * Something happened. The event is acknowledged when this returns, or earlier by {@link AsyncEvent#acknowledge()}:
     * a listener that closes the object that the event names acknowledges first, else the closing is refused.
     *
     * <p>May take as long as it wants: it delays the events after this one, and nothing else. What it throws is
     * counted, and the next event is delivered all the same.
     *
     * @param event what happened.
     */
    void onAsyncEvent(AsyncEvent event);
}
