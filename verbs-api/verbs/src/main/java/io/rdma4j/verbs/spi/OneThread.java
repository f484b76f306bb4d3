/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Finds out whether two threads are in a place for one, where the system property {@code rdma4j.checks} says so. Where
 * it does not, {@link #CHECKED} is a constant false, by which the compilers leave out all that hangs on it.
 */
public final class OneThread {
    /** Whether anything is checked. */
    public static final boolean CHECKED = Boolean.getBoolean("rdma4j.checks");

    private static final VarHandle INSIDE;

    static {
        try {
            INSIDE = MethodHandles.lookup().findVarHandle(OneThread.class, "inside", Thread.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String place;
    @SuppressWarnings("unused") // By a VarHandle.
    private Thread inside;

    /**
     * Makes the guard of a place.
     *
     * @param place to be read after "are in".
     */
    public OneThread(final String place) {
        this.place = place;
    }

    /**
     * A guard, if guards are wanted.
     *
     * @param place to be read after "are in".
     * @return null if nothing is checked.
     */
    public static OneThread of(final String place) {
        return CHECKED ? new OneThread(place) : null;
    }

    /**
     * Goes in.
     *
     * @return false if this thread is inside already; {@link #leave()} is to follow only if true.
     * @throws IllegalStateException if another thread is.
     */
    public boolean enter() {
        final Thread me = Thread.currentThread();
        final Thread other = (Thread) INSIDE.compareAndExchange(this, (Thread) null, me);
        if (other != null && other != me) {
            throw new IllegalStateException("two threads are in " + place + " at the same time: " + me + " and "
                + other + ". It is for one thread at a time");
        }
        return other == null;
    }

    /** Goes out. */
    public void leave() {
        INSIDE.setRelease(this, (Thread) null);
    }
}
