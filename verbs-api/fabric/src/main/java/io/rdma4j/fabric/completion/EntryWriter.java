/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.CqFormat;
import io.rdma4j.fabric.OperationKind;

import java.nio.ByteOrder;

import org.agrona.MutableDirectBuffer;

/**
 * Writes completions as libfabric's structures: struct fi_cq_entry, fi_cq_msg_entry, fi_cq_data_entry,
 * fi_cq_tagged_entry of rdma/fi_eq.h, on a machine of 64 bits; flags of rdma/fabric.h.
 */
final class EntryWriter {
    private static final int FLAGS = 8;
    private static final int LENGTH = 16;
    private static final int BUFFER = 24;
    private static final int DATA = 32;
    private static final int TAG = 40;
    private static final long FI_MSG = 1L << 1;
    private static final long FI_RMA = 1L << 2;
    private static final long FI_TAGGED = 1L << 3;
    private static final long FI_ATOMIC = 1L << 4;
    private static final long FI_READ = 1L << 8;
    private static final long FI_WRITE = 1L << 9;
    private static final long FI_RECV = 1L << 10;
    private static final long FI_SEND = 1L << 11;
    private static final long FI_REMOTE_WRITE = 1L << 13;
    private static final long FI_MULTI_RECV = 1L << 16;
    private static final long FI_REMOTE_CQ_DATA = 1L << 17;
    private static final long LOW = 0xffff_ffffL;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private final CqFormat format;
    private final int size;

    EntryWriter(final CqFormat format) {
        this.format = format;
        this.size = format.size();
    }

    CqFormat format() {
        return format;
    }

    /** Whether so many fit. */
    boolean fits(final MutableDirectBuffer to, final int offset, final int count) {
        return count > 0 && Payloads.isRoom(to, offset, (long) count * size);
    }

    void write(final Entry entry, final MutableDirectBuffer to, final int offset, final int index) {
        final int at = offset + index * size;
        to.putLong(at, entry.context(), ORDER);
        if (format == CqFormat.CONTEXT) {
            return;
        }
        to.putLong(at + FLAGS, flags(entry), ORDER);
        to.putLong(at + LENGTH, entry.length(), ORDER);
        if (format == CqFormat.MSG) {
            return;
        }
        to.putLong(at + BUFFER, entry.buffer(), ORDER);
        to.putLong(at + DATA, entry.data() & LOW, ORDER);
        if (format == CqFormat.TAGGED) {
            to.putLong(at + TAG, entry.tag(), ORDER);
        }
    }

    private static long flags(final Entry entry) {
        return flags(entry.kind()) | (entry.hasData() ? FI_REMOTE_CQ_DATA : 0)
            | (entry.isBufferReleased() ? FI_MULTI_RECV : 0);
    }

    /** An atomic that fetches is FI_READ, as fi_cq(3) has it. */
    static long flags(final OperationKind kind) {
        return switch (kind) {
            case SEND -> FI_SEND | FI_MSG;
            case RECEIVE -> FI_RECV | FI_MSG;
            case READ -> FI_READ | FI_RMA;
            case WRITE -> FI_WRITE | FI_RMA;
            case ATOMIC -> FI_READ | FI_ATOMIC;
            case ATOMIC_UPDATE -> FI_WRITE | FI_ATOMIC;
            case REMOTE_WRITE -> FI_REMOTE_WRITE | FI_RMA;
            case TAGGED_SEND -> FI_SEND | FI_TAGGED;
            case TAGGED_RECEIVE -> FI_RECV | FI_TAGGED;
        };
    }
}
