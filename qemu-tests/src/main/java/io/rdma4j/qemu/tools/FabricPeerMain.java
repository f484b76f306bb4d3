/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The process whose memory another one uses: it makes progress, and tells what its memory has when it is asked. */
public final class FabricPeerMain {
    /** The line that asks. */
    static final String LOOK = "look";

    private static final long LIFE_NANOS = TimeUnit.MINUTES.toNanos(3);
    private static final long PAUSE_NANOS = 100_000;

    private final StringBuilder line = new StringBuilder();

    private FabricPeerMain() {
    }

    /**
     * Entry point. The first line of its input introduces the other process; it ends with its input, or when it has
     * told, or after minutes.
     *
     * @param args the address of the device.
     * @throws IOException if the input cannot be read.
     */
    public static void main(final String[] args) throws IOException {
        try (FabricPeer peer = new FabricPeer(args[0])) {
            System.out.println(peer.introduction());
            final FabricPeerMain main = new FabricPeerMain();
            peer.meet(main.nextLine(peer));
            if (LOOK.equals(main.nextLine(peer))) {
                System.out.println(peer.seen());
            }
            // The other one closes first: what it still says to this one is answered.
            main.nextLine(peer);
        }
    }

    /** The next line of the input, progress meanwhile; empty at its end. */
    private String nextLine(final FabricPeer peer) throws IOException {
        final long end = System.nanoTime() + LIFE_NANOS;
        while (System.nanoTime() - end < 0) {
            while (System.in.available() > 0) {
                final int next = System.in.read();
                if (next == '\n') {
                    final String whole = line.toString();
                    line.setLength(0);
                    return whole;
                }
                line.append(new String(new byte[] {(byte) next}, StandardCharsets.US_ASCII));
            }
            peer.progress();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return "";
    }
}
