/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.verbs.live.QpKind;

/** What queues are called. */
final class Queues {
    private Queues() {
    }

    /** The number by which people know an object: of a QP that which peers use, of all others the handle. */
    static String name(final LiveObject object) {
        return object.kind() == QpKind.KIND ? String.format("0x%x", object.attribute(QpKind.QPN))
            : Integer.toUnsignedString(object.handle());
    }
}
