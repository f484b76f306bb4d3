/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.verbs.PinnedMemory;

/** Datagrams: no connection, any peer of the vector, nothing longer than the path's MTU, and no promise. */
final class DatagramExample {
    private static final int ROOM = 64;

    private DatagramExample() {
    }

    static void run(final String device, final Page page) throws Exception {
        final FabricInfo info = Addressed.info(device, EndpointType.DGRAM, AddressFormat.DEVICE);
        try (Fabric fabric = Fabrics.open(info);
            Addressed near = new Addressed(fabric.openDomain(info), null);
            Addressed far = new Addressed(fabric.openDomain(info), null)) {
            near.with(far);
            far.with(near);
            show(near, far, page);
        }
    }

    private static void show(final Addressed near, final Addressed far, final Page page) {
        page.section("who receives has to know nobody; who sends has the address in its vector");
        final long peer = near.vector().insert(far.endpoint().address());
        page.done("insert(address)", peer);
        final PinnedMemory in = far.memory(ROOM);
        final PinnedMemory out = near.memory("by datagram");
        far.post(() -> far.endpoint().receive(in.buffer(), 0, ROOM, FiAddr.UNSPEC, 1));
        near.post(() -> near.endpoint().send(out.buffer(), 0, 11, peer, 2));
        page.done("send(...)", near.await().result());
        final Addressed.Done received = far.await();
        page.done("received", received.length() + " bytes: " + End.text(in, 11));
        page.done("source", received.source() == FiAddr.NOTAVAIL ? "FI_ADDR_NOTAVAIL" : received.source());
        page.section("whom the receiver has in its vector it knows again");
        page.done("insert(address)", far.vector().insert(near.endpoint().address()));
        far.post(() -> far.endpoint().receive(in.buffer(), 0, ROOM, FiAddr.UNSPEC, 1));
        near.post(() -> near.endpoint().inject(out.buffer(), 0, 11, peer));
        page.done("source", far.await().source());
        page.section("what does not fit into one packet");
        final int most = (int) near.endpoint().domain().info().endpointAttributes().maxMessageSize();
        final PinnedMemory large = near.memory(most + 1);
        page.called("send(one byte more than max_msg_size)",
            near.endpoint().send(large.buffer(), 0, most + 1, peer, 3));
    }
}
