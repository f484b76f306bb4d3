/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;

/** An authorization key says which peers reach a region; the device itself sees to it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AuthKeyTest {
    private static final int TAG_OFFSET = 16;
    private static final byte[] SECRET = "swordfish".getBytes(StandardCharsets.UTF_8);

    @RegisterExtension
    final Sides sides = new Sides();

    @ParameterizedTest
    @EnumSource(Mode.class)
    void strangersStayOut(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion open = b.register(1);
        final MemoryRegion closed = b.keep(b.domain.register(new MrAttributes().buffer(b.memory).requestedKey(2)
            .authKey(SECRET).access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE)));
        final long key = mode.key(a, closed);
        final long openKey = mode.key(a, open);
        b.bytes.putLong(0, 5);
        a.bytes.putLong(0, 6);
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, closed.base(), key, 1));
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.read(a.at(8), 8, desc, closed.base(), key, 1));
        assertThat(b.bytes.getLong(0)).isEqualTo(5);
        assertThat(a.bytes.getLong(8)).isZero();

        final MsgEndpoint mine = a.domain.openEndpoint(new EndpointOptions().completionQueue(a.cq).authKey(SECRET));
        final MsgEndpoint theirs = b.domain.openEndpoint(new EndpointOptions().completionQueue(b.cq).authKey(SECRET));
        assertRefused(FiErrno.FI_ECONNREFUSED, () -> mine.connect(b.ep.name()));
        mine.connect(theirs.name());
        theirs.connect(mine.name());
        // Local memory that was registered under the domain's key can be used all the same.
        a.succeeds(() -> mine.write(a.at(0), 8, desc, closed.base(), key, 2));
        assertThat(b.bytes.getLong(0)).isEqualTo(6);
        a.fails(FiErrno.FI_EKEYREJECTED, () -> mine.read(a.at(8), 8, null, open.base(), openKey, 3));
        a.succeeds(() -> a.ep.read(a.at(8), 8, desc, open.base(), openKey, 4));
        mode.release(a, key);
        mode.release(a, openKey);
        mine.close();
        theirs.close();
    }

    private static byte[] forged(final byte[] name, final byte[] tag) {
        final byte[] bytes = name.clone();
        System.arraycopy(tag, TAG_OFFSET, bytes, TAG_OFFSET, 8);
        new UnsafeBuffer(bytes).putInt(PeerName.CRC_OFFSET, PeerName.crc(bytes), ByteOrder.LITTLE_ENDIAN);
        return bytes;
    }

    /** What a stranger can see of a name does not make a name of his own. */
    @Test
    void copyingFromNamesOfOthersDoesNotHelp() {
        final Side a = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints().authKey(SECRET));
        final Side friend = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints().authKey(SECRET));
        final Side stranger = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints().authKey("herring".getBytes(
            StandardCharsets.UTF_8)));
        final Side nobody = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints());
        for (final byte[] seen : List.of(a.ep.name(), friend.ep.name(), nobody.ep.name())) {
            assertRefused(FiErrno.FI_ECONNREFUSED, () -> a.ep.connect(forged(stranger.ep.name(), seen)));
            assertRefused(FiErrno.FI_ECONNREFUSED, () -> a.ep.connect(forged(nobody.ep.name(), seen)));
        }
        for (int offset = 44; offset < 80; offset++) {
            final byte[] altered = friend.ep.name();
            altered[offset] ^= 1;
            final int code = errno(a, forged(altered, altered));
            assertThat(code).as("byte %d", offset).isIn(FiErrno.FI_ECONNREFUSED, FiErrno.FI_EINVAL);
        }
        assertThat(a.ep.isConnected()).isFalse();
        Side.connect(a, friend);
        final MemoryRegion region = friend.register(1);
        a.succeeds(() -> a.ep.write(a.at(0), 8, null, region.base(), region.key(), 1));
    }

    private static int errno(final Side side, final byte[] name) {
        try {
            side.ep.connect(name);
            return 0;
        } catch (final FabricException e) {
            return e.errno();
        }
    }

    @Test
    void namesWithoutAKeyHaveNoTag() {
        assertThat(PeerName.decode(sides.open(Mode.PROV_KEY_VIRT.hints()).ep.name()).authTag()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"PROV_KEY_VIRT", "APPLICATION_KEY_OFFSETS"})
    void keyOfTheDomain(final Mode mode) {
        final Side a = sides.open(mode.hints().authKey(SECRET));
        final Side b = sides.open(mode.hints().authKey(SECRET));
        final Side c = sides.open(mode.hints());
        assertRefused(FiErrno.FI_ECONNREFUSED, () -> c.ep.connect(a.ep.name()));
        assertRefused(FiErrno.FI_ECONNREFUSED, () -> a.ep.connect(c.ep.name()));
        Side.connect(a, b);
        final MemoryRegion region = b.register(1);
        a.succeeds(() -> a.ep.write(a.at(0), 8, null, region.base(), region.key(), 1));
    }
}
