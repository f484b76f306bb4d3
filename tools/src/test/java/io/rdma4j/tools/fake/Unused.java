/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

/** What the fake answers to calls that the commands did not make when it was written. */
final class Unused {
    private Unused() {
    }

    static UnsupportedOperationException call(final String name) {
        return new UnsupportedOperationException("the fake device has no " + name + ": add it");
    }
}
