/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * States of a port, {@code enum pvrdma_port_state}.
 */
public final class PortState {
    /** No state. */
    public static final int PVRDMA_PORT_NOP = 0;
    /** No link. */
    public static final int PVRDMA_PORT_DOWN = 1;
    /** Link, not configured. */
    public static final int PVRDMA_PORT_INIT = 2;
    /** Configured, not in use. */
    public static final int PVRDMA_PORT_ARMED = 3;
    /** In use. */
    public static final int PVRDMA_PORT_ACTIVE = 4;
    /** In use; link lost for a moment. */
    public static final int PVRDMA_PORT_ACTIVE_DEFER = 5;

    /** The names of the values, without their C prefix. */
    public static final Names NAMES = value -> switch (value) {
        case PVRDMA_PORT_NOP -> "NOP";
        case PVRDMA_PORT_DOWN -> "DOWN";
        case PVRDMA_PORT_INIT -> "INIT";
        case PVRDMA_PORT_ARMED -> "ARMED";
        case PVRDMA_PORT_ACTIVE -> "ACTIVE";
        case PVRDMA_PORT_ACTIVE_DEFER -> "ACTIVE_DEFER";
        default -> null;
    };

    private PortState() {
    }
}
