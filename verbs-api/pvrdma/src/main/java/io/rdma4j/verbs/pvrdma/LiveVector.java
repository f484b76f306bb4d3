/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.live.LiveAttributes;
import io.rdma4j.driver.live.LiveCounters;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.LiveKind;
import io.rdma4j.verbs.spi.PublishedVector;

/** The entry of an address vector. */
final class LiveVector implements PublishedVector {
    private final LiveEntry entry;

    LiveVector(final PvrdmaContext context, final int type, final int flags) {
        entry = context.device.live().add(LiveKind.AV, context.nextNumber());
        entry.set(LiveAttributes.Av.TYPE, type).set(LiveAttributes.Av.FLAGS, flags).publish();
    }

    @Override
    public void contents(final long addresses, final long inserted, final long removed) {
        entry.count(LiveCounters.Av.ADDRESSES, addresses);
        entry.count(LiveCounters.Av.INSERTED, inserted);
        entry.count(LiveCounters.Av.REMOVED, removed);
    }

    @Override
    public void failed(final long total) {
        entry.count(LiveCounters.Av.FAILED, total);
    }

    @Override
    public void close() {
        entry.close();
    }
}
