/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.base.Cleanup;

import java.util.ArrayList;
import java.util.List;

/**
 * Address handles that were closed while datagrams were under way: the library forbids to destroy them, our interface
 * lets an application close them. They wait here until the send queues have passed what they held then.
 */
final class ClosedHandles {
    private static final String CLOSE = "close AH";

    private final IbvPd pd;
    private final List<Closed> waiting = new ArrayList<>();
    private final Turn sweeping;

    ClosedHandles(final IbvPd pd) {
        this.pd = pd;
        this.sweeping = new Turn(pd.context, pd);
    }

    /** A handle, and how far each send queue had got when it was closed. */
    private record Closed(IbvAh handle, List<SendPath> paths, int[] ends) {
        boolean isUnused() {
            for (int i = 0; i < ends.length; i++) {
                if (!paths.get(i).isPast(ends[i])) {
                    return false;
                }
            }
            return true;
        }
    }

    private List<IbvQp> datagramQps() {
        return pd.qps().stream().filter(qp -> qp.sends.isDatagram()).toList();
    }

    /** Whoever is posting with a closed handle has read that it is open: what he posts comes before the next end. */
    void awaitPosts() {
        datagramQps().forEach(qp -> qp.sends.gate.awaitEmpty(CLOSE, pd.context, qp, "its send queue"));
    }

    /** Adds one that nobody is posting with any more. */
    void add(final IbvAh handle) {
        final List<SendPath> paths = datagramQps().stream().map(qp -> qp.sends).toList();
        synchronized (this) {
            waiting.add(new Closed(handle, paths, paths.stream().mapToInt(SendPath::end).toArray()));
        }
        sweep();
    }

    /** Destroys those that nobody needs any more. */
    void sweep() {
        sweeping.run(CLOSE, () -> Cleanup.all(takeUnused(), closed -> closed.handle.destroyNow()));
    }

    private synchronized List<Closed> takeUnused() {
        final List<Closed> unused = waiting.stream().filter(Closed::isUnused).toList();
        waiting.removeAll(unused);
        return unused;
    }
}
