/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** What a completion completes. */
public enum WcOpcode {
    /** A send. */
    SEND,
    /** An RDMA write. */
    RDMA_WRITE,
    /** An RDMA read. */
    RDMA_READ,
    /** A compare-and-swap. */
    COMP_SWAP,
    /** A fetch-and-add. */
    FETCH_ADD,
    /** A masked compare-and-swap. */
    MASKED_COMP_SWAP,
    /** A masked fetch-and-add. */
    MASKED_FETCH_ADD,
    /** A bind of a memory window. */
    BIND_MW,
    /** A local invalidate. */
    LOCAL_INV,
    /** A fast registration. */
    FAST_REG_MR,
    /** A receive. */
    RECV,
    /** A receive that was used up by an RDMA write with immediate data. */
    RECV_RDMA_WITH_IMM,
    /** Not known: an error completion of a device that does not say, or a number that it made up. */
    UNKNOWN
}
