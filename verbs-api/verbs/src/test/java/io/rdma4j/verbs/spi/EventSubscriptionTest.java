/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.RdmaContext;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

/** The thread that hands events over. Of a real device's events the provider's tests tell. */
class EventSubscriptionTest {
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final RdmaContext context = (RdmaContext) Proxy.newProxyInstance(RdmaContext.class.getClassLoader(),
        new Class<?>[] {RdmaContext.class},
        (proxy, method, args) -> method.getReturnType() == String.class ? "test" : false);

    /** Events that are over when somebody waits for one. */
    private static class NoEvents implements EventSubscription.Source {
        private final AtomicReference<EventSubscription> listener = new AtomicReference<>();
        private volatile boolean over;

        @Override
        public AsyncEvent await(final long nanos, final BooleanSupplier end) {
            over = true;
            return null;
        }

        @Override
        public boolean isExhausted() {
            return over;
        }

        @Override
        public void wakeAll() {
            // Nobody sleeps.
        }

        @Override
        public AtomicReference<EventSubscription> listener() {
            return listener;
        }
    }

    private EventSubscription start(
        final EventSubscription.Source events, final BiFunction<String, Runnable, Thread> threads) {
        return EventSubscription.start(context, events, event -> { }, CLOSE_NANOS, threads);
    }

    @Test
    void anotherOneCanListenWhenThereIsNoThreadForTheFirst() {
        final NoEvents events = new NoEvents();
        final OutOfMemoryError none = new OutOfMemoryError("test: unable to create native thread");
        assertThatThrownBy(() -> start(events, (name, work) -> new Thread(work, name) {
            @Override
            public void start() {
                throw none;
            }
        })).isSameAs(none);
        start(events, DaemonThreads::of).close();
        assertThat(events.listener).as("when it is closed").hasValue(null);
    }

    @Test
    void whoIsInterruptedClosesItAsWell() {
        final Thread closer = Thread.currentThread();
        final NoEvents events = new NoEvents() {
            @Override
            public AsyncEvent await(final long nanos, final BooleanSupplier end) {
                while (!end.getAsBoolean()) {
                    Patience.pause();
                }
                Patience.awaitUndeterred(closer);
                return super.await(nanos, end);
            }
        };
        final EventSubscription subscription = start(events, DaemonThreads::of);
        closer.interrupt();
        final boolean interrupted;
        try {
            subscription.close();
        } finally {
            interrupted = Thread.interrupted();
        }
        assertThat(interrupted).isTrue();
        assertThat(events.listener).hasValue(null);
    }
}
