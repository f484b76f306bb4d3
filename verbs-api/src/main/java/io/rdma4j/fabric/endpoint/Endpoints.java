/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.region.EndpointHost;

/** Where a domain gets its endpoints and completion queues from. Stateless. */
public final class Endpoints {
    private Endpoints() {
    }

    /**
     * Opens an endpoint.
     *
     * @param host    its domain.
     * @param options its queues, sizes and rights.
     * @return the endpoint; the caller owns it.
     * @throws io.rdma4j.fabric.FabricException FI_ENOCQ without a completion queue, FI_EINVAL, FI_ENOMEM, FI_EBADFD.
     */
    public static MsgEndpoint openEndpoint(final EndpointHost host, final EndpointOptions options) {
        return FabricEndpoint.open(host, options);
    }

    /**
     * Opens a completion queue.
     *
     * @param host its domain.
     * @param size least number of entries, above 0.
     * @return the queue; the caller owns it.
     * @throws io.rdma4j.fabric.FabricException FI_EINVAL, FI_ENOMEM, FI_EBADFD.
     */
    public static CompletionQueue openCompletionQueue(final EndpointHost host, final int size) {
        return FabricCompletionQueue.open(host, size);
    }
}
