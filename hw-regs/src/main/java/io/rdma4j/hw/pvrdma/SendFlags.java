/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * Flags of a work request in a send queue, {@code enum pvrdma_send_flags}.
 */
public final class SendFlags {
    /** Wait for earlier reads and atomics. */
    public static final int PVRDMA_SEND_FENCE = 1 << 0;
    /** Ask for a completion also on success. */
    public static final int PVRDMA_SEND_SIGNALED = 1 << 1;
    /** Raise a solicited event at the peer. */
    public static final int PVRDMA_SEND_SOLICITED = 1 << 2;
    /** Data in the WQE: no layout for it exists, the device does not do it. */
    public static final int PVRDMA_SEND_INLINE = 1 << 3;
    /** Have the checksum computed. */
    public static final int PVRDMA_SEND_IP_CSUM = 1 << 4;

    /** The names of the bits, without their C prefix. */
    public static final Names NAMES = Names.ofBits("FENCE", "SIGNALED", "SOLICITED", "INLINE", "IP_CSUM");

    private SendFlags() {
    }
}
