/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * What {@link CompletionQueue#read(org.agrona.MutableDirectBuffer, int, int)} writes for each completion (enum
 * fi_cq_format), numbers of rdma/fi_eq.h, in the byte order of this machine.
 */
public enum CqFormat {
    /** DATA. */
    UNSPEC(0, 40),
    /** struct fi_cq_entry: 0 op_context. */
    CONTEXT(1, 8),
    /** struct fi_cq_msg_entry: 0 op_context, 8 flags, 16 len. */
    MSG(2, 24),
    /** struct fi_cq_data_entry: 0 op_context, 8 flags, 16 len, 24 buf (always 0), 32 data. */
    DATA(3, 40),
    /** struct fi_cq_tagged_entry: as DATA, 40 tag. */
    TAGGED(4, 48);

    private final int value;
    private final int size;

    CqFormat(final int value, final int size) {
        this.value = value;
        this.size = size;
    }

    /**
     * The value in libfabric's headers.
     *
     * @return a number.
     */
    public int value() {
        return value;
    }

    /**
     * Bytes of one entry.
     *
     * @return a multiple of 8.
     */
    public int size() {
        return size;
    }
}
