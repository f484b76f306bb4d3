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
import java.util.Map;

/** Which objects a device has: to say whose a key or a handle is that is found in a ring. */
final class Published {
    private final LiveView view;
    private final Map<Integer, Integer> regions = new HashMap<>();
    private final Map<Integer, LiveObject> qps = new HashMap<>();

    Published(final LiveView view) {
        this.view = view;
        for (final LiveObject mr : view.objects(MrKind.KIND)) {
            regions.put((int) mr.attribute(MrKind.LKEY), mr.handle());
        }
        addQps();
    }

    /** Adds the queue pairs that were made since; those that were destroyed since stay. */
    void addQps() {
        for (final LiveObject qp : view.objects(QpKind.KIND)) {
            qps.put(qp.handle() & Uar.HANDLE_MASK, qp);
        }
    }

    /** The handle of the region that has a local key; null if none is known to. */
    Integer regionOf(final int lkey) {
        return regions.get(lkey);
    }

    /** The queue pair that a completion names; null if there is none. */
    LiveObject qp(final long inCqe) {
        return qps.get((int) inCqe & Uar.HANDLE_MASK);
    }
}
