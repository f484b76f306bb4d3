/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.region.Domains.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.verbs.WcStatus;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Peers get what was granted, and never more (checklist 8-10): each set of rights, against each access. */
@Timeout(60)
class RightsTest {
    @RegisterExtension
    final Domains domains = new Domains();

    static Stream<Set<MrAccess>> sets() {
        final MrAccess[] all = {MrAccess.SEND, MrAccess.RECV, MrAccess.READ, MrAccess.WRITE, MrAccess.REMOTE_READ,
            MrAccess.REMOTE_WRITE};
        return IntStream.range(1, 1 << all.length).mapToObj(bits -> {
            final Set<MrAccess> set = EnumSet.noneOf(MrAccess.class);
            IntStream.range(0, all.length).filter(i -> (bits >> i & 1) != 0).forEach(i -> set.add(all[i]));
            return set;
        });
    }

    @ParameterizedTest
    @MethodSource("sets")
    void peersGetWhatWasGranted(final Set<MrAccess> access) {
        final Domain domain = domains.open();
        final ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);
        final FabricRegion region = (FabricRegion) domain.register(
            new MrAttributes().buffer(buffer).access(access).requestedKey(3));
        final RegionDevice.Keys keys = region.body().devices().keys();
        try (Wire wire = new Wire(keys.realm())) {
            // Without remote rights there is no key for peers: they try the local one.
            final int key = region.plan().isRemote() ? keys.rkey() : keys.lkey();
            final boolean write = access.contains(MrAccess.REMOTE_WRITE);
            assertThat(wire.read(keys.iova(), key, 8) == WcStatus.SUCCESS).as("read")
                .isEqualTo(access.contains(MrAccess.REMOTE_READ));
            assertThat(wire.write(keys.iova(), key, 8) == WcStatus.SUCCESS).as("write").isEqualTo(write);
            final long aligned = keys.iova() + 7 & -8;
            assertThat(wire.add(aligned, key, 1) == WcStatus.SUCCESS).as("atomic").isEqualTo(write);
        }
        assertThat(region.allows(MrAccess.bits(access))).isTrue();
        assertThat(region.allows(MrAccess.bits(EnumSet.complementOf(EnumSet.copyOf(access))))).isFalse();
        region.close();
    }
}
