/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.PinnedMemory;

import java.time.Duration;
import java.util.Arrays;

/**
 * One rank of an all-to-all over reliable datagrams: it sends two characters to each rank, itself too, and ends up with
 * two of each. Connections come about when the first message goes; nobody makes them.
 */
final class Rank implements AutoCloseable {
    private static final int PIECE = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long PAUSE_MILLIS = 50;

    private final Addressed addressed;
    private final int me;
    private final long[] peers;

    Rank(final Fabric fabric, final FabricInfo info, final int me, final int count, final String service) {
        addressed = new Addressed(fabric.openDomain(info), service);
        this.me = me;
        peers = new long[count];
    }

    static FabricInfo info(final String device, final AddressFormat format) {
        return Addressed.info(device, EndpointType.RDM, format);
    }

    FabricAddress address() {
        return addressed.endpoint().address();
    }

    /** Where the addresses are at hand. */
    void know(final FabricAddress[] all) {
        addressed.vector().insert(all, peers, null);
    }

    /** Where they are those of services that follow each other: asks until all of them are there. */
    void know(final String node, final int service) throws InterruptedException {
        final long end = System.nanoTime() + PATIENCE.toNanos();
        while (addressed.vector().insertSymmetric(node, 1, Integer.toString(service), peers.length, peers, null)
            < peers.length) {
            if (System.nanoTime() - end >= 0) {
                throw new IllegalStateException("not all ranks are there: " + Arrays.toString(peers));
            }
            final long[] there = Arrays.stream(peers).filter(peer -> peer != FiAddr.NOTAVAIL).toArray();
            addressed.vector().remove(there, there.length, 0);
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    /** What it has in the end: in the place of each rank what that one sent. */
    String allToAll() {
        final int count = peers.length;
        final PinnedMemory out = addressed.memory(PIECE * count);
        final PinnedMemory in = addressed.memory(PIECE * count);
        for (int i = 0; i < count; i++) {
            final int at = PIECE * i;
            out.buffer().putStringWithoutLengthAscii(at, me + "" + i);
            // From this rank only, so that it comes to its place (FI_DIRECTED_RECV).
            post(addressed.post(() -> addressed.endpoint().receive(in.buffer(), at, PIECE, peers[at / PIECE], 1)));
        }
        for (int step = 0; step < count; step++) {
            final int at = PIECE * ((me + step) % count);
            post(addressed.post(() -> addressed.endpoint().send(out.buffer(), at, PIECE, peers[at / PIECE], 2)));
        }
        for (int i = 0; i < 2 * count; i++) {
            final String result = addressed.await().result();
            if (!result.equals(FiErrno.name(FiErrno.FI_SUCCESS))) {
                throw new IllegalStateException("rank " + me + ": " + result);
            }
        }
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : " ").append(in.buffer().getStringWithoutLengthAscii(PIECE * i, PIECE));
        }
        return text.toString();
    }

    private static void post(final int code) {
        if (code != 0) {
            throw new IllegalStateException(FiErrno.name(code));
        }
    }

    @Override
    public void close() {
        addressed.close();
    }
}
