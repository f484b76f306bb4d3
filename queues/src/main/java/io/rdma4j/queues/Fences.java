/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import java.lang.invoke.VarHandle;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The ordered accesses to memory that driver and device share, named for their direction. On x86 the stores and loads
 * are plain instructions which the compiler must not move; {@link #armedBeforeLoads()} is the only real fence.
 */
final class Fences {
    private Fences() {
    }

    /** Driver stores an index, or rings: everything it stored or loaded before is done when the device sees it. */
    static void toDevice(final long address, final int value) {
        UnsafeApi.putIntRelease(null, address, value);
    }

    /** Driver loads an index of the device: what the device stored before storing it is visible afterwards. */
    static int fromDevice(final long address) {
        return UnsafeApi.getIntAcquire(null, address);
    }

    /** Device stores an index; meets {@link #fromDevice}. */
    static void toDriver(final UnsafeBuffer state, final int offset, final int index) {
        state.putIntRelease(offset, index);
    }

    /** The same where the address is known: no field of the buffer has to be loaded again after such an access. */
    static void toDriver(final long address, final int index) {
        UnsafeApi.putIntRelease(null, address, index);
    }

    /** Device loads an index of the driver; meets {@link #toDevice}. */
    static int fromDriver(final UnsafeBuffer state, final int offset) {
        return state.getIntAcquire(offset);
    }

    /** The same where the address is known. */
    static int fromDriver(final long address) {
        return UnsafeApi.getIntAcquire(null, address);
    }

    /**
     * A load may overtake an earlier store to another place, also on x86. Whoever arms a queue and then looks whether
     * it is empty would otherwise look first, and sleep although a completion came between.
     */
    static void armedBeforeLoads() {
        VarHandle.fullFence();
    }
}
