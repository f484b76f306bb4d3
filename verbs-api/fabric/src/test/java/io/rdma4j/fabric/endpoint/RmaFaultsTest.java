/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.testing.Done;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** The same fault is the same error, whosever the keys are and however memory is named. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RmaFaultsTest {
    @RegisterExtension
    final Sides sides = new Sides();

    /** Half of the memory of a side. */
    private static MemoryRegion half(final Side side, final long key, final MrAccess... access) {
        return side.keep(side.domain.register(
            new MrAttributes().buffer(side.at(0), Side.SIZE / 2).access(access).requestedKey(key)));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aFaultHasTheSameErrnoInEachMode(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion writable = half(b, 5, MrAccess.REMOTE_WRITE);
        final MemoryRegion readable = half(b, 6, MrAccess.REMOTE_READ);
        final MemoryRegion brief = half(b, 7, MrAccess.REMOTE_WRITE);
        final long write = mode.key(a, writable);
        final long read = mode.key(a, readable);
        final long closed = mode.key(a, brief);
        final long base = writable.base();
        final long end = base + Side.SIZE / 2;
        brief.close();
        for (int round = 0; round < 2; round++) {
            a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, base, closed, 1));
            a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, base, 0x7fff_fff0L, 2));
            a.fails(FiErrno.FI_EACCES, () -> a.ep.write(a.at(0), 8, desc, base, read, 3));
            a.fails(FiErrno.FI_EACCES, () -> a.ep.read(a.at(0), 8, desc, base, write, 4));
            a.fails(FiErrno.FI_EACCES, () -> a.ep.fetchAdd(a.at(0), desc, 1, base, read, 5));
            a.fails(FiErrno.FI_EINVAL, () -> a.ep.write(a.at(0), 8, desc, end - 7, write, 6));
            a.fails(FiErrno.FI_EINVAL, () -> a.ep.read(a.at(0), 8, desc, base - 8, read, 7));
            a.succeeds(() -> a.ep.write(a.at(0), 8, desc, end - 8, write, 8));
            a.succeeds(() -> a.ep.read(a.at(0), 8, desc, end - 8, read, 9));
        }
        assertThat(a.ep.isConnected()).isTrue();
        mode.release(a, write);
        mode.release(a, read);
        mode.release(a, closed);
    }

    /** The calls for raw keys are for any region (fi_mr_raw_attr). */
    @ParameterizedTest
    @EnumSource(value = Mode.class, names = "RAW.*", mode = EnumSource.Mode.MATCH_ALL)
    void aRawKeyOfARegionWithoutRemoteRightsGivesNone(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final MemoryRegion desc = a.local();
        final MemoryRegion closedToPeers = both[1].local();
        final long key = mode.key(a, closedToPeers);
        a.fails(FiErrno.FI_EACCES, () -> a.ep.write(a.at(0), 8, desc, closedToPeers.base(), key, 1));
        a.fails(FiErrno.FI_EACCES, () -> a.ep.read(a.at(0), 8, desc, closedToPeers.base(), key, 2));
        a.fails(FiErrno.FI_EACCES, () -> a.ep.fetchAdd(a.at(0), desc, 1, closedToPeers.base(), key, 3));
        assertThat(a.ep.isConnected()).isTrue();
        mode.release(a, key);
    }

    /** No memory is reached, so neither key nor range is looked at, as the InfiniBand specification has it. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void nothingIsWrongWithNoBytes(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final Side b = both[1];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = half(b, 5, MrAccess.REMOTE_WRITE);
        final long key = mode.key(a, region);
        final long base = region.base();
        final Message message = new Message(1).add(a.at(0), 0, desc).remote(base - 1, 0x7fff_fff0L).context(7);
        assertThat(a.ep.write(a.at(0), 0, desc, base, key, 1)).isZero();
        assertThat(a.ep.read(a.at(0), 0, desc, base, key, 2)).as("no right").isZero();
        assertThat(a.ep.write(a.at(0), 0, desc, base + Side.SIZE, key, 3)).as("beyond").isZero();
        assertThat(a.ep.read(a.at(0), 0, desc, base, 0x7fff_fff0L, 4)).as("unknown key").isZero();
        assertThat(a.ep.write(a.at(0), 0, desc, -1, 0x7fff_ffff_ffffL, 5)).as("wide key").isZero();
        assertThat(a.ep.writeWithData(a.at(0), 0, null, 77, base - 1, key, 6)).as("before").isZero();
        assertThat(a.ep.writeMessage(message, 0)).isZero();
        for (int i = 1; i <= 7; i++) {
            final Done one = a.next();
            assertThat(one.context()).as(one.toString()).isEqualTo(i);
            assertThat(one.errno()).as(one.toString()).isZero();
        }
        assertThat(b.next().data()).isEqualTo(77);
        assertThat(((FabricEndpoint) a.ep).mended()).isZero();
        mode.release(a, key);
    }

    @Test
    void argumentsAndDescriptorsAreLookedAtBeforeTheKey() {
        final Side[] both = sides.pair(Mode.APPLICATION_KEY_OFFSETS::hints);
        final Side a = both[0];
        final MemoryRegion closed = a.local();
        closed.close();
        final MemoryRegion readOnly = a.register(9, MrAccess.WRITE);
        final MemoryRegion desc = a.local();
        // Each key is another one, so that none is known.
        refused("closed", FiErrno.FI_EINVAL, () -> a.ep.write(a.at(0), 8, closed, 0, 101, 1));
        refused("no right", FiErrno.FI_EACCES, () -> a.ep.read(a.at(0), 8, readOnly, 0, 102, 1));
        refused("of another domain", FiErrno.FI_EDOMAIN, () -> a.ep.write(a.at(0), 8, both[1].local(), 0, 103, 1));
        refused("beyond", FiErrno.FI_EINVAL, () -> a.ep.write(a.at(Side.SIZE - 7), 8, desc, 0, 104, 1));
        refused("negative", FiErrno.FI_EINVAL, () -> a.ep.write(a.at(0), -1, desc, 0, 105, 1));
        refused("null", FiErrno.FI_EINVAL, () -> a.ep.write(0, 8, null, 0, 106, 1));
        refused("atomic", FiErrno.FI_EINVAL, () -> a.ep.fetchAdd(a.at(0), closed, 1, 0, 107, 1));
        final Message message = new Message(1).add(a.at(0), 8, closed).remote(0, 108);
        refused("message", FiErrno.FI_EINVAL, () -> a.ep.writeMessage(message, 0));
        refused("all is well", FiErrno.FI_EAGAIN, () -> a.ep.write(a.at(0), 8, desc, 0, 109, 1));
    }

    private static void refused(final String what, final int errno, final IntSupplier operation) {
        assertThat(FiErrno.name(-operation.getAsInt())).as(what).isEqualTo(FiErrno.name(errno));
    }

    /** Where raw keys are demanded, the number that was asked for is no key, on whichever side that is. */
    @ParameterizedTest
    @EnumSource(names = {"RAW_VIRT", "RAW_OFFSETS", "RAW_PROV_KEY"})
    void aKeyThatWasNotMappedIsNone(final Mode mode) {
        final Side[] both = sides.pair(mode::hints);
        final Side a = both[0];
        final MemoryRegion desc = a.local();
        final MemoryRegion region = both[1].register(0x77);
        final long key = mode.key(a, region);
        final long base = region.base();
        final Done refused = a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, base, 0x77, 1));
        assertThat(refused.text()).contains("not mapped");
        final byte[] raw = new byte[region.rawKeySize()];
        region.rawAttributes(raw);
        a.succeeds(() -> a.ep.write(a.at(0), 8, desc, base, key, 2));
        mode.release(a, key);
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, base, key, 3));
    }

    @Test
    void aRegionWithARawKeyIsNotFoundByItsNumber() {
        final Side a = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints());
        final Side b = sides.open(Mode.RAW_OFFSETS.hints());
        Side.connect(a, b);
        final MemoryRegion desc = a.local();
        final MemoryRegion region = b.register(0x77);
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, 0, 0x77, 1));
        final long key = Mode.RAW_OFFSETS.key(a, region);
        a.succeeds(() -> a.ep.write(a.at(0), 8, desc, 0, key, 2));
        a.domain.unmapKey(key);
    }
}
