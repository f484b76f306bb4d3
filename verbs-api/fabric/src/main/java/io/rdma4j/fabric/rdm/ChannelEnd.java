/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

/** Whose memory a channel uses. */
interface ChannelEnd {
    /** It is closed, and no slot is in use any more. */
    void drained(Channel channel);

    /** It is closed, and no message of it waits any more, nor one that was cut. */
    void settled(Channel channel);
}
