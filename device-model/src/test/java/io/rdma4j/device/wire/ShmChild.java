/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.RdmaException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.agrona.UnsafeApi;

/** The other process: says "open" when it is ready, and ends when nobody writes to it any more. */
final class ShmChild {
    private ShmChild() {
    }

    /** What to do, the folder, whose GID ends with what, and the other's. */
    public static void main(final String[] args) throws IOException {
        final Gid own = gid(args[2]);
        final Gid other = gid(args[3]);
        try (ShmCarrier carrier = ShmCarrier.open(ShmFolder.prepare(Path.of(args[1])), ShmRing.LEAST_DATA)) {
            carrier.bind(own);
            System.out.println("open");
            switch (args[0]) {
                case "echo" -> echo(carrier);
                case "stream" -> stream(carrier, own, other);
                default -> untilTold();
            }
        } catch (final RdmaException e) {
            System.out.println("errno " + e.errno());
        }
    }

    static Gid gid(final String low) {
        return new Gid(ShmFixture.A.high(), Long.parseLong(low, 16));
    }

    private static void untilTold() throws IOException {
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
    }

    private static boolean isTold() throws IOException {
        return System.in.available() > 0;
    }

    /** Sends everything back. */
    private static void echo(final ShmCarrier carrier) throws IOException {
        final FrameReceiver receiver = frame -> back(carrier, frame);
        while (!isTold()) {
            if (carrier.poll(receiver, 16) == 0) {
                carrier.await(TimeUnit.MILLISECONDS.toNanos(100));
            }
        }
    }

    private static void back(final ShmCarrier carrier, final Frame frame) {
        final Lane lane = carrier.lane(new Gid(frame.destGidHigh, frame.destGidLow),
            new Gid(frame.sourceGidHigh, frame.sourceGidLow));
        if (lane == null) {
            return;
        }
        lane.lock().lock();
        try {
            long at = lane.claim(frame.length);
            while (at == 0 && lane.isOpen()) {
                Thread.yield();
                at = lane.claim(frame.length);
            }
            if (at != 0) {
                UnsafeApi.copyMemory(frame.body, at, frame.length);
                lane.commit(frame.trafficClass, frame.flowLabel, frame.hopLimit);
            }
        } finally {
            lane.lock().unlock();
        }
    }

    /** Sends without an end. */
    private static void stream(final ShmCarrier carrier, final Gid own, final Gid other) throws IOException {
        final Lane lane = carrier.lane(own, other);
        for (long next = 0; lane.isOpen() && !isTold();) {
            if (ShmPattern.send(lane, next)) {
                next++;
            } else {
                carrier.poll(frame -> { }, 1);
                Thread.yield();
            }
        }
    }
}
