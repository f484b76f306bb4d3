/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.TestBudget;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;

/** Lookups allocate nothing. */
@Timeout(120)
class AvAllocationTest {
    private static final int STEPS = TestBudget.rounds(10_000, 50_000);
    private static final int MANY = 1_000;

    @ParameterizedTest
    @CsvSource({"TABLE,false", "MAP,false", "TABLE,true", "MAP,true"})
    void lookups(final AvType type, final boolean symmetric) {
        final FabricAddressVector vector =
            symmetric ? new AvRig().open(type, AvFlag.SYMMETRIC) : new AvRig().open(type);
        final long[] names = new long[MANY];
        Arrays.setAll(names, i -> i);
        vector.insert(AvRig.devices(0, MANY), names, new AvInsert().userIds(true));
        final PeerAddress peer = new PeerAddress();
        final UnsafeBuffer to = new UnsafeBuffer(new byte[64]);
        final int[] at = {0};
        final long[] wrong = {0};
        assertThat((long) Allocations.perStep(STEPS, () -> {
            final int i = at[0] = (at[0] + 1) % MANY;
            wrong[0] |= vector.find(names[i], peer) ? 0 : 1;
            wrong[0] |= vector.find(-5, peer) ? 1 : 0;
            wrong[0] |= vector.source(peer.gidHigh(), peer.gidLow(), peer.qpn()) ^ i;
            wrong[0] |= vector.nameOf(peer.gidHigh(), peer.gidLow(), peer.qpn()) ^ names[i];
            wrong[0] |= vector.lookup(names[i], to, 0, 64) ^ 32;
            wrong[0] |= vector.lookup(names[i], to, 0, 20) ^ 32;
        })).isZero();
        assertThat(wrong[0]).isZero();
    }

    @Test
    void lookupsOfSockets() {
        for (final AvFlag[] flags : new AvFlag[][] {{}, {AvFlag.SYMMETRIC}}) {
            final FabricAddressVector vector = new AvRig(AddressFormat.SOCKADDR_IN).open(AvType.TABLE, flags);
            final FabricAddress[] all = new FabricAddress[MANY];
            Arrays.setAll(all, i -> AvRig.socket("10.0.0.1", 1 + i));
            vector.insert(all, null, null);
            final UnsafeBuffer to = new UnsafeBuffer(new byte[64]);
            final int[] at = {0};
            final long[] wrong = {0};
            assertThat((long) Allocations.perStep(STEPS, () -> {
                at[0] = (at[0] + 1) % MANY;
                wrong[0] |= vector.lookup(at[0], to, 0, 64) ^ 16;
            })).isZero();
            assertThat(wrong[0]).isZero();
        }
    }
}
