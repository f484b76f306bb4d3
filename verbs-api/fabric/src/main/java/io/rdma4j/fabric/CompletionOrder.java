/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** In which order completions are reported (comp_order of libfabric before 2.0). */
public enum CompletionOrder {
    /** Messages in the order in which they were posted, RMA and atomics likewise, but in no order among each other. */
    NONE(0),
    /** All in the order in which they were posted. */
    STRICT(511);

    private final int value;

    CompletionOrder(final int value) {
        this.value = value;
    }

    /**
     * The value in libfabric's headers.
     *
     * @return a number.
     */
    public int value() {
        return value;
    }
}
