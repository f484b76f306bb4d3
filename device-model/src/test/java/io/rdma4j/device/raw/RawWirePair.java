/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

/**
 * Two devices that reach each other by shared memory, a queue pair of each, not connected yet, and memory. Nobody
 * serves the wires but who posts and polls, so packets wait as long as a test wants.
 */
public final class RawWirePair implements AutoCloseable {
    private static final String OPTIONS = "?shortcut=false&progress=poll&wire=shm";

    public final RawDriver left;
    public final RawDriver right;
    public final RawCq leftCq;
    public final RawCq rightCq;
    public final RawQp a;
    public final RawQp b;
    public final RawRegion from;
    public final RawRegion to;

    public RawWirePair(String name) {
        left = RawDriver.ready("emulated:" + name + "left" + OPTIONS);
        right = RawDriver.ready("emulated:" + name + "right" + OPTIONS);
        leftCq = left.createCq(16);
        rightCq = right.createCq(16);
        a = left.createQp(RawQp.with().cq(leftCq));
        b = right.createQp(RawQp.with().cq(rightCq));
        from = left.register(500, 0);
        to = right.register(500, RawPair.ALL);
    }

    @Override
    public void close() {
        left.close();
        right.close();
    }
}
