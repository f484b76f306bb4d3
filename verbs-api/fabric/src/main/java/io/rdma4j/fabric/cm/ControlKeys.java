/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import java.security.SecureRandom;

/** Queue keys of control channels: drawn at random, so that datagrams for an earlier queue pair do not arrive. */
final class ControlKeys {
    private static final SecureRandom RANDOM = new SecureRandom();

    private ControlKeys() {
    }

    /** Not 0, its top bit 0. */
    static int next() {
        return RANDOM.nextInt(Integer.MAX_VALUE - 1) + 1;
    }
}
