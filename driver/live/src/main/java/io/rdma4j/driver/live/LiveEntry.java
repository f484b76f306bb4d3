/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.base.LiveKind;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * One published object, as its owner sees it. Attributes are set by one thread at a time, and readers see those of one
 * {@link #publish} together; counters are stored one by one. The memory stays valid after {@link #close()} as long as
 * somebody holds the buffer, so that a thread that counts late crashes nothing; nobody reads it then.
 */
public interface LiveEntry extends AutoCloseable {
    /**
     * Sets an attribute; readers see it with the next {@link #publish}.
     *
     * @param place of the kind.
     * @param value its value.
     * @return this.
     */
    LiveEntry set(int place, long value);

    /** Lets readers see the attributes as they are set now. */
    void publish();

    /**
     * The memory of the counters, {@link LiveKind#MAX_COUNTERS} longs in the order of the machine, on a cache line of
     * their own. Writers store totals with {@code putLongOpaque} or the like.
     *
     * @return the same object each time; also where nothing is published.
     */
    UnsafeBuffer counters();

    /**
     * Stores a total.
     *
     * @param place of the kind.
     * @param total what it is now.
     */
    default void count(final int place, final long total) {
        counters().putLongOpaque(place * Long.BYTES, total);
    }

    /** Readers do not see the object any more. Harmless when called again. */
    @Override
    void close();
}
