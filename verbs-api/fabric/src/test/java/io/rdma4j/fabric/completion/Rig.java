/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A domain of an emulated device, and an endpoint whose queue is another one: something to report about. */
final class Rig implements BeforeEachCallback, AfterEachCallback {
    private static final AtomicInteger NAMES = new AtomicInteger();

    RdmaContext context;
    Domain domain;
    MsgEndpoint endpoint;
    private Fabric fabric;
    private FabricCompletionQueue own;
    private final List<FabricCompletionQueue> queues = new ArrayList<>();

    /** What was read. */
    record Seen(Endpoint endpoint, OperationKind kind, long context, long length, boolean hasData, int data,
        long source, long overflow, int errno) {
        static Seen of(final CompletionEntry entry) {
            return new Seen(entry.endpoint(), entry.kind(), entry.context(), entry.length(), entry.hasData(),
                entry.data(), entry.source(), entry.overflow(), entry.errno());
        }
    }

    @Override
    public void beforeEach(final ExtensionContext test) {
        context = RdmaDevices.open("emulated:cq" + NAMES.incrementAndGet());
        final FabricInfo info = Fabrics.getInfo(new Hints().context(context)
            .capabilities(Capability.MSG, Capability.RMA).mrMode(MrMode.ALLOCATED)).get(0);
        fabric = Fabrics.open(info);
        domain = fabric.openDomain(info);
        own = (FabricCompletionQueue) domain.openCompletionQueue(8);
        endpoint = domain.openEndpoint(new EndpointOptions().sizes(4, 4).completionQueue(own));
    }

    FabricCompletionQueue open(final CqAttributes attributes) {
        final FabricCompletionQueue queue = (FabricCompletionQueue) domain.openCompletionQueue(attributes);
        queues.add(queue);
        return queue;
    }

    FabricCompletionQueue open() {
        return open(new CqAttributes());
    }

    Report success(final FabricCompletionQueue queue, final OperationKind kind, final long operation) {
        return queue.report().set(endpoint, kind, operation, 10 * operation);
    }

    @Override
    public void afterEach(final ExtensionContext test) {
        try {
            if (test.getExecutionException().isEmpty()) {
                endpoint.close();
                queues.forEach(FabricCompletionQueue::close);
                own.close();
                domain.close();
                fabric.close();
            }
        } finally {
            context.close();
        }
    }
}
