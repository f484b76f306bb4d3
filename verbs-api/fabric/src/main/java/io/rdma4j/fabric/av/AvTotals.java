/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.verbs.spi.PublishedVector;

/** What others see of a vector. Told at the end of a change, not of each address. */
final class AvTotals {
    private volatile PublishedVector published = PublishedVector.NONE;
    /** Both guarded by the lock of {@link Contents}. */
    private long inserted;
    private long removed;
    private long failed;

    void publishAs(final PublishedVector vector) {
        published = vector;
    }

    void inserted() {
        inserted++;
    }

    void removed() {
        removed++;
    }

    /** With the lock of {@link Contents}. */
    void show(final long addresses) {
        published.contents(addresses, inserted, removed);
    }

    synchronized void failed(final int more) {
        failed += more;
        published.failed(failed);
    }

    synchronized void close() {
        published.close();
        published = PublishedVector.NONE;
    }
}
