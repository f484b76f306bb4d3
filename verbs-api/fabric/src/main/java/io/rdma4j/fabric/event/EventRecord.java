/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.fabric.ConnectionRequest;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;

/**
 * An event of any kind. Made in steps: {@code EventRecord.of(CONNREQ, endpoint, context).request(request)}.
 *
 * @param event         what happened.
 * @param fid           what it is about; may be null.
 * @param context       of what was asked for; may be null.
 * @param data          a number; 0 for none.
 * @param request       for CONNREQ; null else.
 * @param told          what the other side told; never changed.
 * @param errno         0 if nothing failed.
 * @param providerError what went wrong; empty if nothing did.
 */
public record EventRecord(FabricEvent event, Object fid, Object context, long data, ConnectionRequest request,
    byte[] told, int errno, String providerError) implements EventEntry {
    private static final byte[] NOTHING = {};

    /**
     * An event that tells of nothing else.
     *
     * @param event   what happened.
     * @param fid     what it is about; may be null.
     * @param context of what was asked for; may be null.
     * @return the event.
     */
    public static EventRecord of(final FabricEvent event, final Object fid, final Object context) {
        return new EventRecord(event, fid, context, 0, null, NOTHING, FiErrno.FI_SUCCESS, "");
    }

    /**
     * With a number.
     *
     * @param number what {@link EventEntry#data} tells.
     * @return a copy.
     */
    public EventRecord data(final long number) {
        return new EventRecord(event, fid, context, number, request, told, errno, providerError);
    }

    /**
     * With a request.
     *
     * @param asked what {@link EventEntry#request} tells.
     * @return a copy.
     */
    public EventRecord request(final ConnectionRequest asked) {
        return new EventRecord(event, fid, context, data, asked, told, errno, providerError);
    }

    /**
     * With what the other side told.
     *
     * @param bytes copied; null for nothing.
     * @return a copy.
     */
    public EventRecord privateData(final byte[] bytes) {
        final byte[] copy = bytes == null || bytes.length == 0 ? NOTHING : bytes.clone();
        return new EventRecord(event, fid, context, data, request, copy, errno, providerError);
    }

    /**
     * As a failure.
     *
     * @param number a number of {@link FiErrno}, positive.
     * @param text   what went wrong, one sentence.
     * @return a copy.
     */
    public EventRecord failed(final int number, final String text) {
        return new EventRecord(event, fid, context, data, request, told, number, text);
    }

    @Override
    public MemoryRegion region() {
        return fid instanceof MemoryRegion ? (MemoryRegion) fid : null;
    }

    @Override
    public byte[] privateData() {
        return told.length == 0 ? NOTHING : told.clone();
    }

    @Override
    public boolean isError() {
        return errno != FiErrno.FI_SUCCESS;
    }

    @Override
    public String toString() {
        return event + (fid == null ? "" : " of " + fid) + (data == 0 ? "" : ", data " + data)
            + (told.length == 0 ? "" : ", " + told.length + " bytes of private data")
            + (isError() ? ": " + FiErrno.name(errno) + ", " + providerError : "");
    }
}
