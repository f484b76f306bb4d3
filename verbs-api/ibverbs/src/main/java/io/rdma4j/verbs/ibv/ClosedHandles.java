/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.base.Cleanup;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Address handles that were closed while datagrams were under way: the library forbids to destroy them, our interface
 * lets an application close them. They wait here until the send queues have passed what they held then.
 */
final class ClosedHandles {
    private final IbvPd pd;
    private final List<Closed> waiting = new ArrayList<>();

    ClosedHandles(final IbvPd pd) {
        this.pd = pd;
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

    synchronized void add(final IbvAh handle) {
        final List<SendPath> paths = new ArrayList<>();
        for (final IbvQp qp : pd.qps()) {
            if (qp.sends.isDatagram()) {
                paths.add(qp.sends);
            }
        }
        // Whoever is posting with it has read that it is open: what he posts comes before the end that is read now.
        paths.forEach(path -> path.gate.awaitEmpty("close AH", pd.context, path));
        waiting.add(new Closed(handle, paths, paths.stream().mapToInt(SendPath::end).toArray()));
        sweep();
    }

    /** Destroys those that nobody needs any more. */
    synchronized void sweep() {
        final Cleanup cleanup = new Cleanup();
        for (final Iterator<Closed> all = waiting.iterator(); all.hasNext();) {
            final Closed closed = all.next();
            if (closed.isUnused()) {
                all.remove();
                cleanup.run(closed.handle::destroyNow);
            }
        }
        cleanup.throwIfFailed();
    }
}
