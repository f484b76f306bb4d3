/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

/** An address vector, as others see it. Each total is told by one thread at a time. */
public interface PublishedVector extends AutoCloseable {
    /** One that nobody sees. */
    PublishedVector NONE = new PublishedVector() {
        @Override
        public void contents(final long addresses, final long inserted, final long removed) {
            // Nobody sees them.
        }

        @Override
        public void failed(final long total) {
            // Nobody sees it.
        }

        @Override
        public void close() {
            // Nobody saw it.
        }
    };

    /**
     * What is in it, and came to that.
     *
     * @param addresses that are there; in a vector that processes share, at the last change of this one.
     * @param inserted  by this process, so far.
     * @param removed   by this process, so far.
     */
    void contents(long addresses, long inserted, long removed);

    /**
     * Addresses that could not be inserted.
     *
     * @param total so far.
     */
    void failed(long total);

    /** Nobody sees it any more. Harmless when called again. */
    @Override
    void close();
}
