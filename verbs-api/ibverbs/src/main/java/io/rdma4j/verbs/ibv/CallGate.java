/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.ReturnCode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets one thread at a time call the library with an object, as long as that is there. Who destroys the object shuts
 * the gate, then waits until nobody is inside.
 */
final class CallGate {
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final VarHandle INSIDE;

    static {
        try {
            INSIDE = MethodHandles.lookup().findVarHandle(CallGate.class, "inside", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** OK while calls are let in, else the code that refuses them. */
    private volatile int code;
    private volatile boolean inside;

    CallGate(final int code) {
        this.code = code;
    }

    /**
     * Goes in.
     *
     * @return OK if {@link #leave()} is to follow, else the code that refuses.
     */
    int enter() {
        // The compiler must not look at the code first; a processor may, which awaitEmpty() reckons with.
        INSIDE.setOpaque(this, true);
        VarHandle.acquireFence();
        final int refusal = code;
        if (refusal != ReturnCode.OK) {
            leave();
        }
        return refusal;
    }

    void leave() {
        INSIDE.setRelease(this, false);
    }

    int code() {
        return code;
    }

    /** Says what is to be answered from now on; nothing opens a gate that was shut for good. */
    synchronized void set(final int next) {
        if (code != ReturnCode.CLOSED) {
            code = next;
        }
    }

    /** The same if the answer is this one until now. */
    synchronized void set(final int expected, final int next) {
        if (code == expected) {
            code = next;
        }
    }

    /**
     * Waits longer than a processor keeps a store to itself: less than a microsecond, and not over an interruption. Who
     * went in before he could see what the caller stored is seen afterwards. A
     * fence for each call would take as long as the call.
     */
    static void settle() {
        final long began = System.nanoTime();
        while (System.nanoTime() - began < PAUSE_NANOS) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Waits until nobody is inside who went in before; the gate is shut, or what he was to see is stored. */
    void awaitEmpty(final String operation, final IbvContext context, final Object what, final String inWhat) {
        settle();
        LibraryWait.until(operation, context, what, () -> !inside, () -> "a thread does not come out of " + inWhat);
    }
}
