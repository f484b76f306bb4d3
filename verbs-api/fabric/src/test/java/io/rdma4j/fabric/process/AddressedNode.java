/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.process;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.testing.TestNode;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;

/** An addressed endpoint with its vector. */
final class AddressedNode extends TestNode {
    final AddressVector vector = keep(domain.openAddressVector(new AvAttributes()));
    final AddressedEndpoint endpoint;

    AddressedNode(final RdmaContext context, final EndpointType type, final EndpointOptions options) {
        super(new Hints().context(context).endpointType(type).addressFormat(AddressFormat.DEVICE), 4096);
        endpoint = keep(
            domain.openAddressedEndpoint(options.completionQueue(cq).addressVector(vector).sizes(8, 8)));
    }

    /** With time enough for a machine that does much else. */
    static EndpointOptions patient() {
        return new EndpointOptions().connectTimeout(Duration.ofSeconds(60));
    }

    @Override
    protected Duration patience() {
        return Duration.ofSeconds(60);
    }

    void receive(final long context) {
        post(() -> endpoint.receive(at(0), 64, null, -1, context));
    }

    void send(final int length, final long to, final long context) {
        post(() -> endpoint.send(at(64), length, null, to, context));
    }
}
