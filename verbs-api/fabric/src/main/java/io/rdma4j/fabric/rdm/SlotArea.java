/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Registered memory for slots of one size.
 *
 * @param buffer  all of it.
 * @param address as the device names its first byte.
 * @param lkey    its key.
 * @param stride  bytes of a slot, with the header.
 */
record SlotArea(UnsafeBuffer buffer, long address, int lkey, int stride) {
    int count() {
        return buffer.capacity() / stride;
    }
}
