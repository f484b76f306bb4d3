/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.live.QpKind;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Which objects a device has: to say whose a key or a handle is that is found in a ring. */
final class Published {
    /** The program chooses the low byte of a fast region's key anew with each registration. */
    private static final int CHOSEN = 0xff;

    private final LiveView view;
    private final Map<Integer, Integer> regions = new HashMap<>();
    private final Map<Integer, Integer> fastRegions = new HashMap<>();
    /** Of memory that is the driver's. */
    private final Set<Integer> inlineKeys = new HashSet<>();
    private final Map<Integer, LiveObject> qps = new HashMap<>();

    Published(final LiveView view) {
        this.view = view;
        addRegions();
        addQps();
    }

    /** Adds the regions that were registered since; those that were closed since stay. */
    void addRegions() {
        for (final LiveObject mr : view.objects(MrKind.KIND)) {
            final int lkey = (int) mr.attribute(MrKind.LKEY);
            regions.put(lkey, mr.handle());
            if ((mr.attribute(MrKind.FLAGS) & MrKind.FAST) != 0) {
                fastRegions.put(lkey & ~CHOSEN, mr.handle());
            }
        }
    }

    /** Adds the queue pairs that were made since; those that were destroyed since stay. */
    void addQps() {
        for (final LiveObject qp : view.objects(QpKind.KIND)) {
            qps.put(qp.handle() & Uar.HANDLE_MASK, qp);
            if (qp.attribute(QpKind.INLINE_LKEY) >= 0) {
                inlineKeys.add((int) qp.attribute(QpKind.INLINE_LKEY));
            }
        }
    }

    /** The handle of the region that has a local key; null if none is known to. */
    Integer regionOf(final int lkey) {
        final Integer region = regions.get(lkey);
        return region != null ? region : fastRegions.get(lkey & ~CHOSEN);
    }

    /** Whether anything has a local key. */
    boolean isLkey(final int lkey) {
        return regionOf(lkey) != null || inlineKeys.contains(lkey);
    }

    /** The queue pair that a completion names; null if there is none. */
    LiveObject qp(final long inCqe) {
        return qps.get((int) inCqe & Uar.HANDLE_MASK);
    }
}
