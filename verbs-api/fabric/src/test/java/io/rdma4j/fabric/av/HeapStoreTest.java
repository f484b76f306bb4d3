/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvType;

import org.junit.jupiter.api.Test;

/** Addresses of one process, one call at a time. */
class HeapStoreTest {
    /** As most are that are asked about again. */
    @Test
    void anAddressThatIsWhereItWasStaysTheFirstOfItsPeer() {
        final HeapStore store = new HeapStore(AvType.TABLE, AddressFormat.DEVICE, 0);
        final AvEntry entry = new AvEntry();
        entry.inserted(AvRig.device(1));
        final var device = AvRig.device(1);
        entry.device(device.gid().high(), device.gid().low(), device.qpn(), device.qkey(), 0);
        final long first = store.insert(entry);
        store.insert(entry);
        assertThat(store.resolved(0, 0, entry)).isTrue();
        assertThat(placeOf(store, entry)).isEqualTo(first);
        final AvEntry other = new AvEntry();
        other.device(device.gid().high(), device.gid().low(), device.qpn(), device.qkey() + 1, 0);
        assertThat(store.resolved(0, 0, other)).isTrue();
        assertThat(placeOf(store, other)).isEqualTo(first);
    }

    private static long placeOf(final HeapStore store, final AvEntry entry) {
        return store.placeOf(entry.gidHigh(), entry.gidLow(), entry.qpn(), Integer.toUnsignedLong(entry.qkey()));
    }
}
