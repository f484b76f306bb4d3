/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.hw.pvrdma.EventType;

/** A receive queue that several QPs take from. */
final class SharedReceiveQueue {
    private final EngineContext context;
    private final int handle;
    private final ProtectionDomain pd;
    private final ReceiveQueue receives;
    private volatile int limit;
    private int users;
    private boolean failed;

    SharedReceiveQueue(EngineContext context, int handle, ProtectionDomain pd, ReceiveQueue receives) {
        this.context = context;
        this.handle = handle;
        this.pd = pd;
        this.receives = receives;
    }

    int handle() {
        return handle;
    }

    ProtectionDomain pd() {
        return pd;
    }

    ReceiveQueue receives() {
        return receives;
    }

    int limit() {
        return limit;
    }

    /** Asks for one event when fewer receives than this are posted, at once if they are; 0 for none. */
    void arm(int value) {
        receives.lock().lock();
        limit = value;
        checkLimit();
        receives.lock().unlock();
    }

    /** Under the receive queue's lock, after a receive was taken or the limit was set. */
    void checkLimit() {
        if (limit > 0 && receives.available() < limit) {
            limit = 0;
            context.events().async(EventType.PVRDMA_EVENT_SRQ_LIMIT_REACHED, handle);
        }
    }

    /** Under the receive queue's lock: the ring cannot be used. */
    void fail() {
        if (!failed) {
            failed = true;
            context.events().async(EventType.PVRDMA_EVENT_SRQ_ERR, handle);
        }
    }

    void use() {
        users++;
    }

    void letGo() {
        users--;
    }

    boolean isUsed() {
        return users > 0;
    }

    @Override
    public String toString() {
        return String.format("srq 0x%x limit %d %s", handle, limit, receives);
    }
}
