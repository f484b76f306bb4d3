/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

/** An object of a layer above, as others see it. Each total is told by one thread at a time. */
public interface PublishedObject extends AutoCloseable {
    /** One that nobody sees. */
    PublishedObject NONE = new PublishedObject() {
        @Override
        public void count(final int place, final long total) {
            // Nobody sees it.
        }

        @Override
        public void close() {
            // Nobody saw it.
        }
    };

    /**
     * Tells a total.
     *
     * @param place of a counter, for the kind of the object.
     * @param total so far.
     */
    void count(int place, long total);

    /** Nobody sees it any more. Harmless when called again. */
    @Override
    void close();
}
