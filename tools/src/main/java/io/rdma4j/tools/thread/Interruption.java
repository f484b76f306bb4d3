/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.thread;

import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C, as an orderly end: the first one does not end the process as long as this is open. The second one does, for
 * whoever hangs somewhere, such as in a pipe that nobody empties. Only one at a time. The class of the JDK is reached
 * by reflection, since javac warns of it without a way to say that it is meant; where it is not there Ctrl-C does what
 * it always does.
 */
public final class Interruption implements AutoCloseable {
    private static final String SIGNAL = "sun.misc.Signal";
    private static final String HANDLER = "sun.misc.SignalHandler";
    private static final String INTERRUPT = "INT";

    private final CountDownLatch pressed = new CountDownLatch(1);
    /** Volatile, since Ctrl-C is told by a thread of its own. */
    private volatile Object before;

    /** Ctrl-C is this one's from now on. */
    public Interruption() {
        before = exchange(null);
        if (pressed.getCount() == 0) {
            close(); // Pressed before it was known what to give back.
        }
    }

    private void press() {
        pressed.countDown();
        close();
    }

    /**
     * Waits.
     *
     * @param nanos how long at most.
     * @return true if Ctrl-C was pressed, or the thread interrupted, before the time was over.
     */
    public boolean await(final long nanos) {
        try {
            return pressed.await(nanos, TimeUnit.NANOSECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private Object exchange(final Object handler) {
        try {
            final Class<?> signal = Class.forName(SIGNAL);
            final Class<?> type = Class.forName(HANDLER);
            final Object own = handler != null ? handler : Proxy.newProxyInstance(type.getClassLoader(),
                new Class<?>[] {type}, (proxy, method, args) -> {
                    press();
                    return null;
                });
            return signal.getMethod("handle", signal, type)
                .invoke(null, signal.getConstructor(String.class).newInstance(INTERRUPT), own);
        } catch (final ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    @Override
    public void close() {
        if (before != null) {
            exchange(before);
        }
    }
}
