/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.event.WaitObjects;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.verbs.Feature;

/** What a completion queue can be opened with. */
final class CqRules {
    /** Without a way to make a queue larger later on it is made so at once. */
    private static final int FIXED_SIZE = 4096;

    private CqRules() {
    }

    static void check(final String operation, final CqAttributes attributes) {
        if (attributes == null) {
            throw Failures.invalid(operation, "attributes is null");
        }
        if (attributes.size() < 0) {
            throw Failures.invalid(operation, "size is %d, allowed are 0 and more", attributes.size());
        }
        WaitObjects.checked(operation, attributes.waitObject());
        if (attributes.format() == null) {
            throw Failures.invalid(operation, "format is null");
        }
    }

    /** Entries of the verbs queue. */
    static int entries(final EndpointHost host, final int size) {
        final int fixed = Math.min(FIXED_SIZE, host.context().attributes().maxCqe());
        return host.context().supports(Feature.CQ_RESIZE) ? Math.max(1, size) : Math.max(size, fixed);
    }
}
