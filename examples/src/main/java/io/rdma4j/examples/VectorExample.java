/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.PinnedMemory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** An address vector gives addresses short names; by services a whole range is inserted with one call. */
final class VectorExample {
    private static final String NODE = "127.0.0.1";
    private static final int COUNT = 3;
    private static final int FIRST_PORT = 20_000;
    private static final int PORTS = 40_000;
    private static final int TRIES = 20;

    private VectorExample() {
    }

    static void run(final String device, final Page page) throws Exception {
        final FabricInfo info = Addressed.info(device, EndpointType.DGRAM, AddressFormat.SOCKADDR_IN);
        try (Fabric fabric = Fabrics.open(info)) {
            final int port = new Random().nextInt(PORTS) + FIRST_PORT;
            final List<Addressed> ends = open(fabric, info, port, TRIES);
            try {
                show(ends, page);
            } finally {
                for (final Addressed end : ends) {
                    end.close();
                }
            }
        }
    }

    /** Endpoints of services that follow each other; from another port if one of them is somebody's. */
    private static List<Addressed> open(
        final Fabric fabric, final FabricInfo info, final int port, final int tries) throws Exception {
        final List<Addressed> ends = new ArrayList<>();
        try {
            for (int i = 0; i < COUNT; i++) {
                ends.add(new Addressed(fabric.openDomain(info), Integer.toString(port + i)));
            }
            return ends;
        } catch (final FabricException e) {
            for (final Addressed end : ends) {
                end.close();
            }
            if (tries == 0 || e.errno() != FiErrno.FI_EADDRINUSE) {
                throw e;
            }
            return open(fabric, info, FIRST_PORT + (port + COUNT - FIRST_PORT) % PORTS, tries - 1);
        }
    }

    private static void show(final List<Addressed> ends, final Page page) {
        final Addressed near = ends.get(0);
        final byte[] first = near.endpoint().address().bytes();
        final int port = (first[2] & 0xff) << 8 | first[3] & 0xff;
        page.section("names: %d services of one node, inserted by one call", COUNT);
        final long[] names = new long[COUNT];
        page.done("insertSymmetric(node, 1, service, 3)", near.vector().insertSymmetric(
            NODE, 1, Integer.toString(port), COUNT, names, null) + " inserted: " + Arrays.toString(names));
        page.done("lookup(2)", near.vector().lookup(names[2]).equals(ends.get(2).endpoint().address())
            ? "the address of the third" : "another address");
        page.done("straddr(...)", near.vector().straddr(ends.get(2).endpoint().address())
            .replace(Integer.toString(port + 2), "PORT"));
        page.section("names come and go: the lowest that is free is taken");
        near.vector().remove(new long[] {names[1]}, 1, 0);
        page.done("remove(1), lookup(1)", refusal(() -> near.vector().lookup(names[1])));
        page.done("insert(address)", near.vector().insert(ends.get(1).endpoint().address()));
        page.section("a message by name");
        final PinnedMemory in = ends.get(1).memory(16);
        ends.get(1).post(() -> ends.get(1).endpoint().receive(in.buffer(), 0, 16, FiAddr.UNSPEC, 1));
        final PinnedMemory out = near.memory("to number 1");
        near.post(() -> near.endpoint().send(out.buffer(), 0, 11, 1, 2));
        page.done("send(..., 1, ...)", near.with(ends.get(1)).await().result());
        page.done("received", ends.get(1).await().length() + " bytes: " + End.text(in, 11));
    }

    private static String refusal(final Runnable call) {
        try {
            call.run();
            return "done";
        } catch (final FabricException e) {
            return FiErrno.name(e.errno());
        }
    }
}
