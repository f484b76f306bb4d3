/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** Transport of a QP. */
public enum QpType {
    /** Reliable connection. */
    RC,
    /** Unreliable datagram. */
    UD
}
