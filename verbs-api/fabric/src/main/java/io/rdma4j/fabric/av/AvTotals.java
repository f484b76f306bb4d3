/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.live.AvKind;
import io.rdma4j.verbs.spi.PublishedObject;

/** What others see of a vector. Told at the end of a change, not of each address. */
final class AvTotals {
    private volatile PublishedObject published = PublishedObject.NONE;
    /** Both guarded by the lock of {@link Contents}. */
    private long inserted;
    private long removed;
    private long failed;

    void publishAs(final PublishedObject vector) {
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
        final PublishedObject vector = published;
        vector.count(AvKind.ADDRESSES, addresses);
        vector.count(AvKind.INSERTED, inserted);
        vector.count(AvKind.REMOVED, removed);
    }

    synchronized void failed(final int more) {
        failed += more;
        published.count(AvKind.FAILED, failed);
    }

    synchronized void close() {
        published.close();
        published = PublishedObject.NONE;
    }
}
