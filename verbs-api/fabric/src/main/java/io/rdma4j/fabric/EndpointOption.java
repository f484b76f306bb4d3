/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Options of the level FI_OPT_ENDPOINT (fi_setopt, fi_getopt). */
public enum EndpointOption {
    /**
     * FI_OPT_MIN_MULTI_RECV: room in bytes that a buffer has to have left that takes several messages, 1 to 2^31 - 1;
     * of receives that are posted afterwards. For endpoints and contexts whose domain has
     * {@link Capability#MULTI_RECV}. First what {@link EndpointOptions#leastMultiReceive} says.
     */
    MIN_MULTI_RECV,
    /**
     * FI_OPT_CM_DATA_SIZE: bytes that connecting, accepting and refusing can tell the other side. For connected
     * endpoints; read only.
     */
    CM_DATA_SIZE,
    /** FI_OPT_BUFFERED_MIN: of buffered receives, which are not here. */
    BUFFERED_MIN,
    /** FI_OPT_BUFFERED_LIMIT: of buffered receives, which are not here. */
    BUFFERED_LIMIT
}
