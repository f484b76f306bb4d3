/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.base.LiveKind;

import static io.rdma4j.driver.live.LiveLayout.ATTRIBUTES_OFFSET;
import static io.rdma4j.driver.live.LiveLayout.ATTRIBUTE_COUNT_OFFSET;
import static io.rdma4j.driver.live.LiveLayout.HANDLE_OFFSET;
import static io.rdma4j.driver.live.LiveLayout.ID_OFFSET;
import static io.rdma4j.driver.live.LiveLayout.KIND_OFFSET;
import static io.rdma4j.driver.live.LiveLayout.OBJECT_COUNTERS_LENGTH;
import static io.rdma4j.driver.live.LiveLayout.OBJECT_COUNTERS_OFFSET;
import static io.rdma4j.driver.live.LiveLayout.OBJECT_LENGTH;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/** An object in the table, or one that found no place there and is written where nobody reads. Thread-safe. */
final class LiveRecord implements LiveEntry {
    private static final int ALIGNMENT = 128;
    /** Of all that are not seen and have no counters: there may be many, and memory of their own is dear. */
    private static final UnsafeBuffer NO_COUNTERS = unseen();

    private final LiveTable table;
    private final int place;
    private final LiveKind kind;
    private final int handle;
    private final long id;
    private final long[] attributes;
    private final UnsafeBuffer record;
    private final UnsafeBuffer counters;
    private final LivePublisher.LiveEnd end;
    private boolean closed;

    /**
     * Of a place that was taken for it.
     *
     * @param end called once, when it is closed.
     */
    LiveRecord(final LiveTable table, final int place, final LiveKind kind, final int handle, final long id,
        final LivePublisher.LiveEnd end) {
        this.table = table;
        this.place = place;
        this.end = end;
        this.kind = kind;
        this.handle = handle;
        this.id = id;
        this.attributes = new long[kind.attributes().size()];
        this.record = isSeen() ? table.buffer(place, 0, OBJECT_LENGTH) : null;
        this.counters = isSeen() ? table.buffer(place, OBJECT_COUNTERS_OFFSET, OBJECT_COUNTERS_LENGTH)
            : kind.counters().isEmpty() ? NO_COUNTERS : unseen();
        counters.setMemory(0, OBJECT_COUNTERS_LENGTH, (byte) 0);
    }

    private static UnsafeBuffer unseen() {
        return new UnsafeBuffer(BufferUtil.allocateDirectAligned(OBJECT_COUNTERS_LENGTH, ALIGNMENT));
    }

    private boolean isSeen() {
        return LiveTable.isPlace(place);
    }

    @Override
    public synchronized LiveEntry set(final int attribute, final long value) {
        if (attribute < 0 || attribute >= attributes.length) {
            throw new IllegalArgumentException(
                kind + " has attributes 0 to " + (attributes.length - 1) + ", not " + attribute);
        }
        attributes[attribute] = value;
        return this;
    }

    @Override
    public synchronized void publish() {
        if (closed || !isSeen()) {
            return;
        }
        final long ticket = table.begin(place);
        record.putLong(ID_OFFSET, id);
        record.putInt(KIND_OFFSET, kind.code());
        record.putInt(HANDLE_OFFSET, handle);
        record.putInt(ATTRIBUTE_COUNT_OFFSET, attributes.length);
        for (int i = 0; i < attributes.length; i++) {
            record.putLong(ATTRIBUTES_OFFSET + i * Long.BYTES, attributes[i]);
        }
        table.end(place, ticket);
    }

    @Override
    public UnsafeBuffer counters() {
        return counters;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            if (isSeen()) {
                table.hide(place);
                table.free(place);
            }
            end.close();
        }
    }

    @Override
    public String toString() {
        return kind + " " + handle + (isSeen() ? "" : " (not published)") + (closed ? " closed" : "");
    }
}
