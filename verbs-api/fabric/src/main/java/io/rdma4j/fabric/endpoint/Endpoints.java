/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
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
     * @throws io.rdma4j.fabric.FabricException FI_ENOCQ without a completion queue, FI_EDOMAIN, FI_EINVAL, FI_ENOMEM,
     *                                          FI_EBADFD.
     */
    public static MsgEndpoint openEndpoint(final EndpointHost host, final EndpointOptions options) {
        return FabricEndpoint.open(host, options);
    }

    /**
     * Opens an endpoint that can be brought together with others.
     *
     * @param host    its domain.
     * @param options its queues, sizes and rights.
     * @param pieces  of its messages; null if each is one of the device.
     * @param factory of what does that.
     * @return the endpoint; the caller owns it.
     * @throws io.rdma4j.fabric.FabricException as above, and what the factory says.
     */
    public static MsgEndpoint openEndpoint(
        final EndpointHost host, final EndpointOptions options, final Messages.Factory pieces,
        final ConnectionManager.Factory factory) {
        final FabricEndpoint endpoint = FabricEndpoint.open(host, options, pieces);
        try (Undo undo = new Undo()) {
            undo.add(endpoint::close);
            endpoint.manage(factory.make(endpoint, options));
            undo.forget();
            return endpoint;
        }
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
        if (size < 1) {
            throw Failures.invalid("open completion queue", "size is %d, allowed are 1 and more", size);
        }
        return FabricCompletionQueue.open(host, new CqAttributes().size(size));
    }
}
