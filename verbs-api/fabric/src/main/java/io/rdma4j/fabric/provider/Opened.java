/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.region.OpenObjects;

/** Objects that were just opened. Stateless. */
final class Opened {
    private Opened() {
    }

    /** Makes one known to its owner; if that is closed by now, it is closed, too. */
    static <T> T keep(
        final OpenObjects owner, final String operation, final String kind, final T object, final Runnable close) {
        try (Undo undo = new Undo()) {
            undo.add(close);
            owner.add(operation, kind, object);
            undo.forget();
            return object;
        }
    }
}
