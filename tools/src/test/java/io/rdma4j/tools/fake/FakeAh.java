/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.ProtectionDomain;

/** The way to a peer. */
record FakeAh(ProtectionDomain pd, AhAttributes attributes) implements AddressHandle {
    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void close() {
        // Has nothing.
    }
}
