/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonObject;

/** The bytes of a ring's memory, for {@code --raw}. */
final class RingRaw {
    private static final long MAX_BYTES = 1L << 24;

    private RingRaw() {
    }

    static void add(
        final DumpSource source, final JsonObject section, final String name, final long iova, final long length) {
        if (source.wants(DumpSource.Wish.RAW) && length > 0) {
            source.view().read(iova, (int) Math.min(length, MAX_BYTES))
                .ifPresent(bytes -> Raw.add(source, section, name, iova, bytes));
        }
    }
}
