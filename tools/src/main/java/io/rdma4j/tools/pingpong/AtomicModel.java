/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;

/** What the peer's word has to be, computed here. It begins with 0. */
interface AtomicModel {
    SendOpcode opcode();

    /** The word now. */
    long value();

    /** Chooses the operands of a round trip. */
    void prepare(SendRequest request, long iteration);

    /** Does here what the device did there. */
    void apply(long compareOrAdd, long swap);
}
