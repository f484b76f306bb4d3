/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static io.rdma4j.fabric.region.Domains.remote;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.info.Discovery;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Raw keys: told, mapped, unmapped (checklist 36-38, 65). */
@Timeout(60)
class RawKeyTest {
    @RegisterExtension
    final Domains domains = new Domains();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);

    @Test
    void theSizeIsToldByProbingAndByTheDomain() {
        final Domain domain = domains.open();
        try (MemoryRegion region = domain.register(remote(buffer, 1))) {
            assertThat(region.rawKeySize()).isEqualTo(domain.info().domainAttributes().mrKeySize())
                .isEqualTo(Discovery.RAW_KEY_SIZE).isEqualTo(RawKey.LENGTH);
            assertRefused(FiErrno.FI_ETOOSMALL, () -> region.rawAttributes(new byte[0]), "0 bytes", "64");
            assertRefused(FiErrno.FI_ETOOSMALL, () -> region.rawAttributes(new byte[RawKey.LENGTH - 1]));
            assertInvalid(() -> region.rawAttributes(null), "null");
            final byte[] larger = new byte[RawKey.LENGTH + 3];
            larger[RawKey.LENGTH] = 9;
            assertThat(region.rawAttributes(larger)).isEqualTo(region.base());
            assertThat(larger[RawKey.LENGTH]).as("beyond the key").isEqualTo((byte) 9);
        }
    }

    @Test
    void aMappedKeyMeansTheRegion() {
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.RAW).demand(MrMode.RAW));
        final MappedKeys mapped = Domains.regionsOf(domain).mappedKeys();
        try (MemoryRegion region = domain.register(remote(buffer, 77))) {
            assertThat(region.key()).as("with FI_MR_RAW").isEqualTo(MemoryRegion.KEY_NOTAVAIL);
            final byte[] raw = new byte[region.rawKeySize()];
            final long base = region.rawAttributes(raw);
            final long key = domain.mapRaw(base, raw);
            final DirectoryEntry entry = mapped.find(key);
            assertThat(entry.key()).isEqualTo(77);
            assertThat(entry.length()).isEqualTo(PAGE);
            assertThat(entry.rkey()).isEqualTo(((FabricRegion) region).body().devices().keys().rkey());
            assertThat(entry.access()).isEqualTo(
                DirectoryLayout.READ | DirectoryLayout.WRITE | DirectoryLayout.ATOMIC);
            assertRefused(FiErrno.FI_EBUSY, domain::close, "1 mapped key", "1 region");
            domain.unmapKey(key);
            assertThat(mapped.find(key)).isNull();
            assertInvalid(() -> domain.unmapKey(key), "not mapped");
        }
        assertThat(domain.isClosed()).isFalse();
    }

    @Test
    void mappedKeysKeepADomainOpen() {
        final Domain domain = domains.open();
        final long key;
        try (MemoryRegion region = domain.register(remote(buffer, 77))) {
            final byte[] raw = new byte[region.rawKeySize()];
            key = domain.mapRaw(region.rawAttributes(raw), raw);
        }
        assertRefused(FiErrno.FI_EBUSY, domain::close, "1 mapped key still open");
        domain.unmapKey(key);
        domain.close();
    }

    @Test
    void aKeyOfTheWrongLengthOrContentIsRefused() {
        final Domain domain = domains.open();
        final byte[] raw = new byte[RawKey.LENGTH];
        final long base;
        try (MemoryRegion region = domain.register(remote(buffer, 77))) {
            base = region.rawAttributes(raw);
        }
        assertInvalid(() -> domain.mapRaw(base, null), "null");
        assertInvalid(() -> domain.mapRaw(base, Arrays.copyOf(raw, RawKey.LENGTH - 1)), "63 bytes", "64");
        assertInvalid(() -> domain.mapRaw(base, Arrays.copyOf(raw, RawKey.LENGTH + 1)), "65 bytes");
        assertInvalid(() -> domain.mapRaw(base, new byte[RawKey.LENGTH]), "no raw key");
        assertInvalid(() -> domain.mapRaw(base + 1, raw), "base is 0x1");
        for (int i = 0; i < RawKey.LENGTH; i++) {
            final byte[] flipped = raw.clone();
            flipped[i] ^= 1;
            assertInvalid(() -> domain.mapRaw(base, flipped), "no raw key");
        }
    }

    /** Peers may run another version: it has to know by the magic what it cannot read. */
    @Test
    void theMagicTellsARegionInPiecesFromOthers() {
        final byte[] raw = new byte[RawKey.LENGTH];
        RawKey.write(inPieces(0), raw);
        assertThat(Arrays.copyOfRange(raw, 16, 20)).containsExactly(1, 0, 'K', 'R');
        RawKey.write(inPieces(DirectoryLayout.MOST_PIECES), raw);
        assertThat(Arrays.copyOfRange(raw, 16, 20)).containsExactly(1, 0, 'P', 'R');
        assertThat(RawKey.read(4, raw)).isEqualTo(inPieces(DirectoryLayout.MOST_PIECES));
        RawKey.write(inPieces(DirectoryLayout.MOST_PIECES + 1), raw);
        assertInvalid(() -> RawKey.read(4, raw), "no raw key");
    }

    private static DirectoryEntry inPieces(final int pieces) {
        return new DirectoryEntry(9, 1, 2, 3, 4, DirectoryLayout.READ | pieces << DirectoryLayout.PIECES_SHIFT, 6, 7);
    }

    @Test
    void mappedKeysAreFoundUntilTheyAreUnmappedAndNeverAgain() {
        final MappedKeys keys = new MappedKeys();
        for (int place = 0; place < 64; place++) {
            assertThat(keys.find(0xfffe_0000_0001_0000L | place)).as("made up, place %d", place).isNull();
        }
        final Set<Long> seen = new HashSet<>();
        for (int round = 0; round < 3; round++) {
            final long[] now = new long[1000];
            for (int i = 0; i < now.length; i++) {
                final DirectoryEntry entry = new DirectoryEntry(i, 1, 2, 3, 4, 5, 6, 7);
                now[i] = keys.map(entry);
                assertThat(MappedKeys.isMapped(now[i])).isTrue();
                assertThat(seen.add(now[i])).as("a key is given once").isTrue();
                assertThat(keys.find(now[i])).isSameAs(entry);
            }
            for (final long key : now) {
                keys.unmap(key);
                assertThat(keys.find(key)).isNull();
            }
        }
        assertThat(keys.size()).isZero();
        assertThat(keys.find(0)).isNull();
        assertThat(keys.find(-1)).isNull();
    }

    @Test
    void thereIsALimitOfMappedKeys() {
        final MappedKeys keys = new MappedKeys();
        final DirectoryEntry entry = new DirectoryEntry(1, 1, 2, 3, 4, 5, 6, 7);
        final long first = keys.map(entry);
        for (int i = 1; i < MappedKeys.LIMIT; i++) {
            keys.map(entry);
        }
        assertRefused(FiErrno.FI_ENOMEM, () -> keys.map(entry), "65536");
        keys.unmap(first);
        assertThat(keys.find(keys.map(entry))).isSameAs(entry);
    }
}
