/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.fabric.testing.TestDomain;
import io.rdma4j.verbs.RdmaContext;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Opens the queues of a test, and an endpoint whose queue is another one: something to report about. */
final class Queues extends TestDevices implements BeforeEachCallback {
    RdmaContext context;
    Domain domain;
    MsgEndpoint endpoint;

    @Override
    public void beforeEach(final ExtensionContext test) {
        context = device("");
        domain = keep(new TestDomain(new Hints().context(context).capabilities(Capability.MSG, Capability.RMA)
            .mrMode(MrMode.ALLOCATED))).domain;
        endpoint = keep(domain.openEndpoint(
            new EndpointOptions().sizes(4, 4).completionQueue(keep(domain.openCompletionQueue(8)))));
    }

    FabricCompletionQueue open(final CqAttributes attributes) {
        return keep((FabricCompletionQueue) domain.openCompletionQueue(attributes));
    }

    FabricCompletionQueue open() {
        return open(new CqAttributes());
    }

    Report success(final FabricCompletionQueue queue, final OperationKind kind, final long operation) {
        return queue.report().set(endpoint, kind, operation, 10 * operation);
    }
}
