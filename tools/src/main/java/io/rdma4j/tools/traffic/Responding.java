/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** The part of the end that answers. It is over when the other end said farewell. */
interface Responding extends Player {
    /** Messages answered so far. */
    long messages();
}
