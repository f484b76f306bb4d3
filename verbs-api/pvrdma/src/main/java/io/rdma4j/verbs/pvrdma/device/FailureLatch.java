/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.jfr.Flight;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Remembers the first reason why the device was given up, and what the device looked like then. A device that was given
 * up may still take commands: then what it has can be taken from it. One that lost a response, is gone, or refused even
 * that is told nothing more. Thread-safe.
 */
final class FailureLatch {
    private static final String OPEN_AGAIN = "close the device and open it again";

    private final Object deviceName;
    private final AtomicReference<Reason> reason = new AtomicReference<>();
    private volatile Supplier<String> stateDump = () -> "";
    private volatile Runnable listener = () -> { };
    private volatile String stateAtFailure = "";
    private volatile boolean deaf;

    private record Reason(String why, String hint) {
    }

    FailureLatch(final Object deviceName) {
        this.deviceName = deviceName;
    }

    void stateDump(final Supplier<String> dump) {
        stateDump = dump;
    }

    void onFailure(final Runnable newListener) {
        listener = newListener;
    }

    /** Only the first reason counts: what follows is a consequence. */
    void fail(final String why) {
        fail(why, OPEN_AGAIN, false);
    }

    /** The same, with what can be done about it, and whether no command reaches the device any more. */
    void fail(final String why, final String hint, final boolean isDeaf) {
        final boolean first = reason.compareAndSet(null, new Reason(why, hint));
        if (isDeaf) {
            deaf = true;
        }
        if (first) {
            Flight.deviceFailed(deviceName, why, hint);
            // First those who would go on: the state may have to wait for a lock.
            listener.run();
            stateAtFailure = dump();
        }
    }

    /** The same, of a device that no command reaches any more. */
    void failDeaf(final String why) {
        fail(why, OPEN_AGAIN, true);
    }

    /** True once no command reaches the device; there is a reason then. */
    boolean isDeaf() {
        return deaf;
    }

    /** Whoever found the failure must get on with it, whatever state the device is in. */
    private String dump() {
        try {
            return stateDump.get();
        } catch (final RuntimeException e) {
            return "no state: " + e;
        }
    }

    Object deviceName() {
        return deviceName;
    }

    boolean failed() {
        return reason.get() != null;
    }

    String reason() {
        final Reason first = reason.get();
        return first == null ? null : first.why;
    }

    /** What to do; null as long as nothing is wrong. */
    String hint() {
        final Reason first = reason.get();
        return first == null ? null : first.hint;
    }

    String stateAtFailure() {
        return stateAtFailure;
    }

    void check(final String operation) {
        final Reason first = reason.get();
        if (first != null) {
            throw RdmaException.of(operation)
                .device(deviceName)
                .detail("the device failed before: %s", first.why)
                .errno(RdmaException.EBADFD)
                .hint("%s", first.hint)
                .build();
        }
    }
}
