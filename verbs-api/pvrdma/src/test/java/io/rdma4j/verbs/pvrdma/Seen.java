/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.driver.live.LiveViews;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.QpKind;

import java.util.List;
import java.util.Optional;

/** What others see of a device of this process. */
final class Seen {
    private Seen() {
    }

    static LiveView open(final RdmaContext context) {
        return LiveViews.ofPid(ProcessHandle.current().pid(), context.address());
    }

    static List<LiveObject> all(final RdmaContext context, final LiveKind kind) {
        try (LiveView view = open(context)) {
            final List<LiveObject> objects = view.objects(kind);
            assertThat(view.troubles()).as("troubles").isEmpty();
            return objects;
        }
    }

    static Optional<LiveObject> find(final RdmaContext context, final LiveKind kind, final int handle) {
        return all(context, kind).stream().filter(object -> object.handle() == handle).findAny();
    }

    static LiveObject one(final RdmaContext context, final LiveKind kind, final int handle) {
        return find(context, kind, handle).orElseThrow(() -> new AssertionError(
            "no " + kind + " " + handle + " among " + all(context, kind)));
    }

    static LiveObject qp(final QueuePair qp) {
        return one(((PvrdmaQp) qp).context, QpKind.KIND, ((PvrdmaQp) qp).handle);
    }

    static LiveObject cq(final CompletionQueue cq) {
        return one(((PvrdmaCq) cq).context, CqKind.KIND, ((PvrdmaCq) cq).handle);
    }
}
