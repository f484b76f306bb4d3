/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pvrdma;

import io.rdma4j.RdmaException;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Remembers the first reason why the device was given up, and what the device looked like then. A device that was given
 * up may still take commands: then what it has can be taken from it. One that lost a response, is gone, or refused even
 * that is told nothing more. Thread-safe.
 */
final class FailureLatch {
    private final Object deviceName;
    private final AtomicReference<String> reason = new AtomicReference<>();
    private volatile Supplier<String> stateDump = () -> "";
    private volatile Runnable listener = () -> { };
    private volatile String stateAtFailure = "";
    private volatile boolean deaf;

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
        if (reason.compareAndSet(null, why)) {
            stateAtFailure = dump();
            listener.run();
        }
    }

    /** The same, of a device that no command reaches any more. */
    void failDeaf(final String why) {
        deaf = true;
        fail(why);
    }

    /** True once no command reaches the device. */
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

    boolean failed() {
        return reason.get() != null;
    }

    String reason() {
        return reason.get();
    }

    String stateAtFailure() {
        return stateAtFailure;
    }

    void check(final String operation) {
        final String why = reason.get();
        if (why != null) {
            throw RdmaException.of(operation)
                .device(deviceName)
                .detail("the device failed before: %s", why)
                .errno(RdmaException.EBADFD)
                .hint("close the device and open it again")
                .build();
        }
    }
}
