/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** What a send work request asks for. */
public enum SendOpcode {
    /** Send a message. */
    SEND,
    /** Send a message with 32 bits of immediate data. */
    SEND_WITH_IMM,
    /** Send a message and invalidate a key of the peer. */
    SEND_WITH_INV,
    /** Write to the peer's memory. */
    RDMA_WRITE,
    /** Write to the peer's memory and use up a receive with 32 bits of immediate data. */
    RDMA_WRITE_WITH_IMM,
    /** Read the peer's memory. */
    RDMA_READ,
    /** Compare 64 bits of the peer's memory and swap them if equal. */
    ATOMIC_CMP_AND_SWP,
    /** Add to 64 bits of the peer's memory. */
    ATOMIC_FETCH_AND_ADD,
    /** Read the peer's memory, then invalidate a key of this side's. */
    RDMA_READ_WITH_INV,
    /** Compare some of 64 bits of the peer's memory and swap some of them if equal. */
    MASKED_ATOMIC_CMP_AND_SWP,
    /** Add to fields of 64 bits of the peer's memory. */
    MASKED_ATOMIC_FETCH_AND_ADD,
    /** Invalidate a key of this side's: of a window of type 2 or of a fast registration. Has no elements. */
    LOCAL_INV,
    /** Give a fast region its memory, place, rights and key. Has no elements. */
    FAST_REG_MR,
    /** Bind a memory window of type 2 to a part of a region. Has no elements. */
    BIND_MW
}
