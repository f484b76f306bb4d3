/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.LivePublisher;
import io.rdma4j.verbs.spi.PublishedObject;

import java.util.Objects;

/** The entry of an object of a layer above, of which nothing is known here. */
final class PublishedEntry implements PublishedObject {
    private final LiveEntry entry;
    private final int counters;

    PublishedEntry(final LivePublisher live, final LiveKind kind, final int number, final long... attributes) {
        entry = live.add(kind, number);
        counters = kind.counters().size();
        for (int place = 0; place < attributes.length; place++) {
            entry.set(place, attributes[place]);
        }
        entry.publish();
    }

    @Override
    public void count(final int place, final long total) {
        entry.count(Objects.checkIndex(place, counters), total);
    }

    @Override
    public void close() {
        entry.close();
    }
}
