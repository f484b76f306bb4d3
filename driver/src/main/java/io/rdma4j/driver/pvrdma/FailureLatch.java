/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pvrdma;

import io.rdma4j.RdmaException;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Remembers the first reason why the device was given up, and what the device looked like then. Thread-safe. */
final class FailureLatch {
    private final Object deviceName;
    private final AtomicReference<String> reason = new AtomicReference<>();
    private volatile Supplier<String> stateDump = () -> "";
    private volatile Runnable listener = () -> { };
    private volatile String stateAtFailure = "";

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
