/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** State of a port, in the order of {@code enum ibv_port_state}. */
public enum PortState {
    /** No state is known. */
    NOP,
    /** Link is down. */
    DOWN,
    /** Link is up, not configured. */
    INIT,
    /** Configured, no data yet. */
    ARMED,
    /** Data can flow. */
    ACTIVE,
    /** Was active, link is flapping. */
    ACTIVE_DEFER;

    /**
     * From the number on the wire.
     *
     * @param value 0 to 5.
     * @return the state; {@link #NOP} for any other number.
     */
    public static PortState of(final int value) {
        final PortState[] states = values();
        return value >= 0 && value < states.length ? states[value] : NOP;
    }
}
