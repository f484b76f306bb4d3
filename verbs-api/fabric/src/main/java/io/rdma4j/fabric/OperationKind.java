/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** What a completion is of. */
public enum OperationKind {
    /** A message was sent. */
    SEND,
    /** A message was received. */
    RECEIVE,
    /** RMA read. */
    READ,
    /** RMA write. */
    WRITE,
    /** An atomic that fetches what was there. */
    ATOMIC,
    /** A peer's write that carried data. */
    REMOTE_WRITE,
    /** A tagged message was sent. */
    TAGGED_SEND,
    /** A tagged message was received, or looked for. */
    TAGGED_RECEIVE,
    /** An atomic that fetches nothing. */
    ATOMIC_UPDATE
}
