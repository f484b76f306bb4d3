/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.base.LiveKind;

/**
 * An object of another process (or this one) as it was at one moment.
 *
 * @param kind       what it is.
 * @param id         its number in the life of the device, from 1; never used again.
 * @param handle     what the device calls it.
 * @param attributes values in the order of {@link LiveKind#attributes()}.
 * @param counters   totals in the order of {@link LiveKind#counters()}.
 */
public record LiveObject(LiveKind kind, long id, int handle, long[] attributes, long[] counters) {
    /**
     * One attribute.
     *
     * @param place of the kind.
     * @return its value; 0 where the writer knew no such attribute.
     */
    public long attribute(final int place) {
        return place < attributes.length ? attributes[place] : 0;
    }

    /**
     * One counter.
     *
     * @param place of the kind.
     * @return its total; 0 where the writer knew no such counter.
     */
    public long counter(final int place) {
        return place < counters.length ? counters[place] : 0;
    }
}
