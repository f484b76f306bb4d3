/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;

import org.junit.jupiter.api.Test;

/** Text of any length is told as it was inserted. */
class TextsTest {
    private final HeapStore store = new HeapStore(AvType.TABLE, AddressFormat.STR, 0);

    private int insert(final String text) {
        final AvEntry entry = new AvEntry();
        entry.inserted(FabricAddress.text(text));
        return AvNames.place(store.insert(entry));
    }

    @Test
    void asLongAsItIs() {
        for (int length = 1; length < 100; length++) {
            final String text = "x".repeat(length - 1) + 'y';
            assertThat(store.inserted(insert(text), 0)).as("%d bytes", length).isEqualTo(FabricAddress.text(text));
        }
    }

    @Test
    void whatIsRemovedTakesNoMemory() {
        store.remove(insert("x"), 0);
        final long before = store.memoryUse();
        final int place = insert("x".repeat(100));
        assertThat(store.memoryUse()).isGreaterThanOrEqualTo(before + 100);
        store.remove(place, 0);
        assertThat(store.memoryUse()).isEqualTo(before);
        assertThat(store.inserted(insert("x"), 0)).isEqualTo(FabricAddress.text("x"));
    }
}
