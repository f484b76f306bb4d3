/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

/** What a message asks of its responder. */
public enum Operation {
    /** Put the payload where the next receive says. */
    SEND,
    /** Put the payload at the remote address. */
    WRITE,
    /** Fetch the payload from the remote address. */
    READ,
    /** Replace 8 bytes at the remote address if they are as expected, and fetch what they were. */
    COMPARE_SWAP,
    /** Add to 8 bytes at the remote address, and fetch what they were. */
    FETCH_ADD,
    /** Replace some bits of 8 bytes at the remote address if others are as expected, and fetch what they were. */
    MASKED_COMPARE_SWAP,
    /** Add to fields side by side in 8 bytes at the remote address, and fetch what they were. */
    MASKED_FETCH_ADD
}
