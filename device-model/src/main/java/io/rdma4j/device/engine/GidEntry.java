/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

/**
 * One bound GID.
 *
 * @param high first half, big endian.
 * @param low  second half.
 * @param type 1 RoCE v1, 2 RoCE v2.
 */
public record GidEntry(long high, long low, int type) {
    @Override
    public String toString() {
        return String.format("%016x:%016x v%d", high, low, type);
    }
}
