/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.testing.Patience;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** Layout of a key directory, and what a peer that reads meanwhile can see. */
@Timeout(60)
class DirectoryTest {
    private static final long NONCE = 0x0123_4567_89ab_cdefL;
    private static final DirectoryEntry ENTRY = new DirectoryEntry(0x1122_3344_5566_7788L, 0x99aa_bbcc,
        0x1000_0000_0200L, 0x4000, 0x7f00_0000_0200L, DirectoryLayout.READ | DirectoryLayout.WRITE,
        0x0dd0_0dd0, 0x2000_0000_0008L);

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[2 * DirectoryLayout.ENTRY_LENGTH]);

    @Test
    void theBytesAreThoseOfTheLayout() {
        DirectoryLayout.write(buffer, 64, ENTRY, DirectoryLayout.LIVE, NONCE);
        final StringBuilder hex = new StringBuilder();
        for (int i = 64; i < 128; i++) {
            hex.append(String.format("%02x", buffer.getByte(i)));
        }
        assertThat(hex.toString()).isEqualTo("b72207def1ec603c" + "8877665544332211"
            + "02000000" + "ccbbaa99" + "0002000000100000" + "0040000000000000"
            + "0002000000" + "7f0000" + "03000000" + "d00dd00d" + "0800000000200000");
        assertThat(DirectoryLayout.read(buffer, 64)).isEqualTo(ENTRY);
        assertThat(DirectoryLayout.state(buffer, 64)).isEqualTo(DirectoryLayout.LIVE);
    }

    /** Whoever searches has to begin where whoever writes does, whatever their versions are. */
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 746", "77, 499", "1234605616436508552, 489", "-1, 158"})
    void aSearchBeginsWhereTheLayoutSays(final long key, final int slot) {
        assertThat(DirectoryLayout.slotOf(key, 1024)).isEqualTo(slot);
        assertThat(DirectoryLayout.slotOf(key, 64)).isEqualTo(slot % 64);
    }

    @Test
    void namesOfRegionsInPiecesAreToldFromOtherKeys() {
        assertThat(DirectoryLayout.nameOf(5)).isEqualTo(0xfffd_0000_0000_0005L);
        assertThat(DirectoryLayout.isName(0xfffd_0000_0000_0005L)).isTrue();
        for (final long key : new long[] {0, -1, 5, 0xfffd, 0xfffe_0000_0000_0005L, 0xfffc_ffff_ffff_ffffL}) {
            assertThat(DirectoryLayout.isName(key)).as("0x%x", key).isFalse();
        }
    }

    @Test
    void fieldsFollowEachOtherWithoutGapOrOverlap() {
        final List<Integer> offsets = List.of(DirectoryLayout.CHECK_OFFSET, DirectoryLayout.KEY_OFFSET,
            DirectoryLayout.STATE_OFFSET, DirectoryLayout.RKEY_OFFSET, DirectoryLayout.DEVICE_BASE_OFFSET,
            DirectoryLayout.LENGTH_OFFSET, DirectoryLayout.FABRIC_BASE_OFFSET, DirectoryLayout.ACCESS_OFFSET,
            DirectoryLayout.CELL_RKEY_OFFSET, DirectoryLayout.CELL_IOVA_OFFSET, DirectoryLayout.ENTRY_LENGTH);
        assertThat(offsets).containsExactly(0, 8, 16, 20, 24, 32, 40, 48, 52, 56, 64);
    }

    @Test
    void eachBitCountsForTheCheck() {
        DirectoryLayout.write(buffer, 0, ENTRY, DirectoryLayout.LIVE, NONCE);
        assertThat(DirectoryLayout.isIntact(buffer, 0, NONCE)).isTrue();
        assertThat(DirectoryLayout.isIntact(buffer, 0, NONCE + 1)).as("another directory's").isFalse();
        for (int bit = 0; bit < DirectoryLayout.ENTRY_LENGTH * Byte.SIZE; bit++) {
            flip(bit);
            assertThat(DirectoryLayout.isIntact(buffer, 0, NONCE)).as("bit %d", bit).isFalse();
            flip(bit);
        }
    }

    private void flip(final int bit) {
        buffer.putByte(bit / 8, (byte) (buffer.getByte(bit / 8) ^ 1 << bit % 8));
    }

    @Test
    void anEntryThatWasNeverUsedIsWholeAndFree() {
        assertThat(DirectoryLayout.isIntact(buffer, 0, NONCE)).isTrue();
        assertThat(DirectoryLayout.state(buffer, 0)).isEqualTo(DirectoryLayout.FREE);
        for (int bit = 0; bit < DirectoryLayout.ENTRY_LENGTH * Byte.SIZE; bit++) {
            flip(bit);
            assertThat(DirectoryLayout.isIntact(buffer, 0, NONCE)).as("bit %d", bit).isFalse();
            flip(bit);
        }
        DirectoryLayout.write(buffer, 0, ENTRY, DirectoryLayout.LIVE, NONCE);
        DirectoryLayout.clear(buffer, 0, DirectoryLayout.REMOVED, NONCE);
        assertThat(DirectoryLayout.isIntact(buffer, 0, NONCE)).isTrue();
        assertThat(DirectoryLayout.state(buffer, 0)).isEqualTo(DirectoryLayout.REMOVED);
        assertThat(DirectoryLayout.key(buffer, 0)).isZero();
        DirectoryLayout.clear(buffer, 0, DirectoryLayout.FREE, NONCE);
        assertThat(buffer).isEqualTo(new UnsafeBuffer(new byte[128]));
    }

    /** All mixtures of the words of two entries, as a read that is overtaken sees them: none passes for a third one. */
    @Test
    void noMixtureOfTwoEntriesIsTakenForOne() {
        final DirectoryEntry other = new DirectoryEntry(ENTRY.key(), 1, 2, 3, 4, 5, 6, 7);
        final UnsafeBuffer next = new UnsafeBuffer(new byte[DirectoryLayout.ENTRY_LENGTH]);
        DirectoryLayout.write(buffer, 0, ENTRY, DirectoryLayout.LIVE, NONCE);
        DirectoryLayout.write(next, 0, other, DirectoryLayout.DISABLED, NONCE);
        final UnsafeBuffer mixed = new UnsafeBuffer(new byte[DirectoryLayout.ENTRY_LENGTH]);
        for (int words = 1; words < 255; words++) {
            for (int word = 0; word < 8; word++) {
                mixed.putLong(8 * word, (words >> word & 1) == 0 ? buffer.getLong(8 * word) : next.getLong(8 * word));
            }
            // The key is the same in both.
            if ((words | 2) != 0xff && (words & ~2) != 0) {
                assertThat(DirectoryLayout.isIntact(mixed, 0, NONCE)).as("words %x", words).isFalse();
            }
        }
    }

    /** A thread reads as a peer does, without a lock, while entries are written, disabled and removed. */
    @Test
    void aReaderSeesWholeEntriesOrNone() throws InterruptedException {
        final KeyDirectory directory = directory(64);
        final AtomicBoolean end = new AtomicBoolean();
        final AtomicReference<String> wrong = new AtomicReference<>();
        final Thread reader = new Thread(() -> {
            final UnsafeBuffer copy = new UnsafeBuffer(new byte[directory.table().capacity()]);
            while (!end.get()) {
                copy.putBytes(0, directory.table(), 0, copy.capacity());
                look(copy, directory.nonce(), wrong);
            }
        });
        reader.setDaemon(true);
        reader.start();
        for (long i = 0; i < 300_000 && wrong.get() == null; i++) {
            final long key = i % 7;
            directory.put(entry(key, i), i % 3 != 0);
            if (i % 5 == 0) {
                directory.remove(key);
            }
        }
        end.set(true);
        Patience.join(reader);
        assertThat(wrong.get()).isNull();
    }

    /** Of one version each word is told from the others. */
    private static DirectoryEntry entry(final long key, final long version) {
        return new DirectoryEntry(key, (int) version, version, version, version, (int) version, (int) version, version);
    }

    private static void look(final UnsafeBuffer copy, final long nonce, final AtomicReference<String> wrong) {
        for (int offset = 0; offset < copy.capacity(); offset += DirectoryLayout.ENTRY_LENGTH) {
            if (DirectoryLayout.isIntact(copy, offset, nonce) && DirectoryLayout.state(copy, offset) > 1) {
                final DirectoryEntry seen = DirectoryLayout.read(copy, offset);
                if (!seen.equals(entry(seen.key(), seen.length()))) {
                    wrong.set(seen.toString());
                }
            }
        }
    }

    /** A directory in memory of this process; nobody reads it by RDMA. */
    static KeyDirectory directory(final int capacity) {
        return new KeyDirectory(new UnsafeBuffer(java.nio.ByteBuffer.allocateDirect(
            capacity * DirectoryLayout.ENTRY_LENGTH)), NONCE);
    }

    @Test
    void aFullDirectoryRefuses() {
        final KeyDirectory directory = directory(4);
        for (int i = 0; i < 4; i++) {
            directory.put(entry(i, 1), true);
        }
        assertRefused(FiErrno.FI_ENOMR, () -> directory.put(entry(4, 1), true), "full");
        directory.put(entry(3, 2), true);
        directory.remove(2);
        directory.put(entry(4, 1), true);
    }

    @Test
    void anEntrySaysHowPeersMayComeNow() {
        final KeyDirectory directory = directory(4);
        final int offset = DirectoryLayout.slotOf(ENTRY.key(), 4) * DirectoryLayout.ENTRY_LENGTH;
        directory.put(ENTRY, true);
        assertThat(DirectoryLayout.state(directory.table(), offset)).isEqualTo(DirectoryLayout.LIVE);
        directory.put(ENTRY, false);
        assertThat(DirectoryLayout.state(directory.table(), offset)).isEqualTo(DirectoryLayout.DISABLED);
        final DirectoryEntry inPieces = new DirectoryEntry(ENTRY.key(), 1, 2, 3, 4,
            DirectoryLayout.READ | 2 << DirectoryLayout.PIECES_SHIFT, 6, 7);
        directory.put(inPieces, true);
        assertThat(DirectoryLayout.state(directory.table(), offset)).isEqualTo(DirectoryLayout.IN_PIECES);
        assertThat(directory.read(ENTRY.key())).isEqualTo(inPieces);
        directory.remove(ENTRY.key());
        assertThat(directory.read(ENTRY.key())).isNull();
    }

    @Test
    void whatNobodyReadsTakesEverything() {
        final KeyDirectory none = KeyDirectory.unread();
        none.put(ENTRY, true);
        none.remove(1);
        none.close();
        assertThat(none.read(ENTRY.key())).isNull();
        assertThat(none.isReadable()).isFalse();
        assertThat(none.iova() + none.rkey() + none.capacity()).isZero();
        assertThat(none.toString()).contains("no key directory");
    }
}
