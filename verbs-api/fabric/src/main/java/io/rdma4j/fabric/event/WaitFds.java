/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.wait.WaitFd;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.WaitObject;

/** Opens wait descriptors. */
final class WaitFds {
    private WaitFds() {
    }

    /** Null unless one was asked for. */
    static WaitFd openFor(final String operation, final WaitObject waitObject) {
        try {
            return waitObject == WaitObject.FD ? WaitFd.open() : null;
        } catch (final RdmaException e) {
            throw FabricException.from(operation, e);
        }
    }
}
