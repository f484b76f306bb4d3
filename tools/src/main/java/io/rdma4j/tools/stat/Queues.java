/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.driver.live.LiveAttributes;
import io.rdma4j.driver.live.LiveKind;
import io.rdma4j.driver.live.LiveObject;

/** What queues are called. */
final class Queues {
    private Queues() {
    }

    /** The number by which people know an object: of a QP that which peers use, of all others the handle. */
    static String name(final LiveObject object) {
        return object.kind() == LiveKind.QP ? String.format("0x%x", object.attribute(LiveAttributes.Qp.QPN))
            : Integer.toUnsignedString(object.handle());
    }
}
