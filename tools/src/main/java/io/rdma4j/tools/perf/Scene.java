/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.verbs.RdmaContext;

import java.util.ArrayList;
import java.util.List;

/**
 * Who is waiting, for messages to people.
 *
 * @param context device of the end that waits.
 * @param peer    device of the other end; null if that is elsewhere.
 * @param ends    the ends that are in this process.
 */
record Scene(RdmaContext context, RdmaContext peer, List<End> ends) {
    String address() {
        return context.address();
    }

    String describe() {
        final List<String> parts = new ArrayList<>();
        ends.forEach(end -> parts.add(end.toString()));
        if (peer == null) {
            parts.add("the other end is in another process");
        }
        return String.join("; ", parts);
    }

    String dump() {
        return context.dump() + (peer == null || peer == context ? "" : System.lineSeparator() + peer.dump());
    }
}
