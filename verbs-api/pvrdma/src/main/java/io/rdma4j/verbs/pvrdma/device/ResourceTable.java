/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.RdmaException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The handles of one kind of object. A place is reserved before the device is asked, so that the device never sees a
 * request that exceeds its table. Thread-safe.
 */
final class ResourceTable {
    private final String kind;
    private final String limitName;
    private final int limit;
    private final Object deviceName;
    private final Set<Integer> handles = new LinkedHashSet<>();
    private int reserved;

    ResourceTable(final String kind, final String limitName, final int limit, final Object deviceName) {
        this.kind = kind;
        this.limitName = limitName;
        this.limit = limit;
        this.deviceName = deviceName;
    }

    synchronized void reserve() {
        if (handles.size() + reserved >= limit) {
            throw full("", null);
        }
        reserved++;
    }

    private RdmaException full(final String why, final RdmaException cause) {
        return RdmaException.of("create " + kind)
            .device(deviceName)
            .detail("%d exist, and %s of the device is %d%s", handles.size() + reserved, limitName, limit, why)
            .errno(RdmaException.ENOMEM)
            .hint("close a %s that is not needed", kind)
            .cause(cause)
            .build();
    }

    synchronized void cancel() {
        reserved--;
    }

    /** A device may have room for less than its limit: of a table whose first place it does not use. */
    synchronized RdmaException refused(final RdmaException refusal) {
        return refusal.errno() == RdmaException.ENOMEM ? full("; it refused: " + refusal.getMessage(), refusal)
            : refusal;
    }

    /** Turns a reservation into an object; false if the device gave the handle before. */
    synchronized boolean enter(final int handle) {
        reserved--;
        return handles.add(handle);
    }

    /** Forgets an object; false if there is none. */
    synchronized boolean leave(final int handle) {
        return handles.remove(handle);
    }

    /**
     * Turns an object into a reservation: it still counts, but its handle is free, as the device may give it to another
     * thread before this one knows that the object is gone. {@link #cancel} or {@link #enter} follows. False if there
     * is no such object.
     */
    synchronized boolean exit(final int handle) {
        final boolean existed = handles.remove(handle);
        reserved += existed ? 1 : 0;
        return existed;
    }

    synchronized void require(final String operation, final int handle) {
        if (!handles.contains(handle)) {
            throw RdmaException.of(operation)
                .device(deviceName)
                .detail("there is no %s with handle %d; %d exist", kind, handle, handles.size())
                .errno(RdmaException.EINVAL)
                .build();
        }
    }

    synchronized List<Integer> youngestFirst() {
        final List<Integer> list = new ArrayList<>(handles);
        Collections.reverse(list);
        return list;
    }

    int limit() {
        return limit;
    }

    synchronized int count() {
        return handles.size();
    }

    @Override
    public String toString() {
        return kind + " " + count() + "/" + limit;
    }
}
