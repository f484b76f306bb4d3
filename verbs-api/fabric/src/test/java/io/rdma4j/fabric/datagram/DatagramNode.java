/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.fabric.testing.TestNode;

import java.time.Duration;

/** Datagram endpoints with one vector, one queue and one memory. */
final class DatagramNode extends TestNode {
    private static final Duration SILENCE = Duration.ofMillis(50);

    final AddressVector vector = keep(domain.openAddressVector(new AvAttributes()));

    private DatagramNode(final Hints hints) {
        super(hints.endpointType(EndpointType.DGRAM), 1 << 16);
    }

    /** With a device of its own. */
    static DatagramNode on(final TestDevices devices, final String options) {
        return on(devices, new Hints().context(devices.device(options)));
    }

    static DatagramNode on(final TestDevices devices, final Hints hints) {
        return devices.keep(new DatagramNode(hints.mrMode().isEmpty() ? hints.mrMode(MrMode.ALLOCATED) : hints));
    }

    EndpointOptions options() {
        return new EndpointOptions().completionQueue(cq).addressVector(vector).sizes(16, 16);
    }

    AddressedEndpoint open() {
        return open(options());
    }

    AddressedEndpoint open(final EndpointOptions options) {
        return keep(domain.openAddressedEndpoint(options));
    }

    /** The name of an endpoint, of this node or another one. */
    long name(final AddressedEndpoint endpoint) {
        return vector.insert(endpoint.address());
    }

    /** All of the memory. */
    MemoryRegion region() {
        return keep(domain.register(new MrAttributes().buffer(memory).access(MrAccess.SEND, MrAccess.RECV)));
    }

    Done sent(final AddressedEndpoint endpoint) {
        return next(one -> one.endpoint() == endpoint && one.kind() == OperationKind.SEND);
    }

    Done received(final AddressedEndpoint endpoint) {
        return next(one -> one.endpoint() == endpoint && one.kind() == OperationKind.RECEIVE);
    }

    /** Nothing comes for a while. */
    void silence() {
        final long end = Deadline.after(SILENCE);
        while (!Deadline.isOver(end)) {
            take();
            Thread.yield();
        }
        assertThat(done).isEmpty();
    }
}
