/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;

import java.io.IOException;
import java.nio.file.Files;

import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames that refer to payload in memory of the sender, and what a sender may say that is not so. */
@Timeout(60)
class ShmReferenceTest extends ShmFixture {
    private static final int SIZE = 1 << 20;
    private static final int HEADERS = 12;

    private Fd file;
    private MappedMemory memory;

    @BeforeEach
    void share() {
        file = sealed();
        Libc.ftruncate(file.fd(), SIZE);
        memory = MappedMemory.map(0, SIZE, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_SHARED, file.fd(), 0);
        for (int i = 0; i < SIZE; i++) {
            UnsafeApi.putByte(memory.address() + i, pattern(i));
        }
    }

    @AfterEach
    void stopSharing() {
        memory.close();
        file.close();
    }

    private static Fd sealed() {
        final Fd made = Fd.of(Libc.memfdCreate("shared", LibcConstants.MFD_ALLOW_SEALING), "shared");
        FileCalls.addSeals(made.fd(), LibcConstants.F_SEAL_SHRINK);
        return made;
    }

    private static byte pattern(final long at) {
        return (byte) (at * 31 + (at >> 8));
    }

    private ShmCarrier follower(final Gid gid) throws IOException {
        return register(ShmCarrier.open(place(), SMALL_RING, true, () -> -1), gid);
    }

    private ShmCarrier sharing(final int descriptor, final Gid gid) throws IOException {
        return register(ShmCarrier.open(place(), SMALL_RING, false, () -> descriptor), gid);
    }

    private static boolean refer(final Lane lane, final long offset, final int length) {
        lane.lock().lock();
        try {
            final long at = lane.claimReference(HEADERS, offset, length, 1);
            if (at == 0) {
                return false;
            }
            UnsafeApi.putLong(at, offset);
            UnsafeApi.putInt(at + Long.BYTES, length);
            lane.commit(0, 0, 0);
            return true;
        } finally {
            lane.lock().unlock();
        }
    }

    private static void awaitFollowed(final ShmCarrier reader, final Lane lane) {
        await("references are followed", () -> {
            assertThat(reader.poll(frame -> { }, 1)).isZero();
            return lane.takesReferences(SIZE);
        });
    }

    private static void checkReferred(final Frame frame, final long offset, final int length) {
        assertThat(frame.length).isEqualTo(HEADERS + length);
        assertThat(frame.referred).isEqualTo(length);
        assertThat(UnsafeApi.getLong(frame.address)).isEqualTo(offset);
        for (int i = 0; i < length; i++) {
            if (UnsafeApi.getByte(frame.body + HEADERS + i) != pattern(offset + i)) {
                throw new AssertionError("byte " + i + " of " + length + " at " + offset);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "0, 64", "4095, 2", "123, 131072", "1048512, 64"})
    void payloadIsReadWhereItIs(final long offset, final int length) throws Exception {
        final ShmCarrier b = follower(B);
        final Lane lane = sharing(file.fd(), A).lane(A, B);
        awaitFollowed(b, lane);
        assertThat(refer(lane, offset, length)).isTrue();
        await("the frame", () -> b.poll(frame -> {
            checkReferred(frame, offset, length);
            assertThat(frame.isIntact()).isTrue();
        }, 1) == 1);
        assertThat(ShmPattern.send(lane, 5)).isTrue();
        receive(b, 5, 1);
    }

    @ParameterizedTest
    @CsvSource({"-1, 64", "-9223372036854775808, 64", "9223372036854775807, 64", "1048576, 1", "1048513, 64", "0, 0",
        "0, -1", "0, -2147483648", "0, 131073", "0, 2147483647", "9223372036854771712, 131072"})
    void aReferenceThatLeadsNowhereClosesTheRing(final long offset, final int length) throws Exception {
        final ShmCarrier b = follower(B);
        final Lane other = carrier(C).lane(C, B);
        final Lane lane = sharing(file.fd(), A).lane(A, B);
        awaitFollowed(b, lane);
        assertThat(refer(lane, offset, length)).isTrue();
        await("the ring is closed", () -> {
            assertThat(b.poll(frame -> { }, 8)).isZero();
            return b.brokenRings() == 1;
        });
        assertThat(ShmPattern.send(other, 4)).isTrue();
        receive(b, 4, 1);
    }

    @Test
    void whatWasNotOfferedIsNotFollowed() throws Exception {
        final ShmCarrier b = carrier(B);
        final Lane lane = sharing(file.fd(), A).lane(A, B);
        assertThat(ShmPattern.send(lane, 1)).isTrue();
        receive(b, 1, 1);
        assertThat(lane.takesReferences(SIZE)).isFalse();
        assertThat(refer(lane, 0, 64)).isTrue();
        await("the ring is closed", () -> {
            assertThat(b.poll(frame -> { }, 8)).isZero();
            return b.brokenRings() == 1;
        });
    }

    /** What a process says that it shares may be anything; frames that carry everything go on. */
    @Test
    void onlySealedMemoryOfThisUserIsFollowed() throws Exception {
        place();
        try (Fd plain = Fd.open(Files.write(folder.resolveSibling("plain"), new byte[8192]).toString(),
                LibcConstants.O_RDWR);
            Fd unsealed = Fd.of(Libc.memfdCreate("unsealed", LibcConstants.MFD_ALLOW_SEALING), "unsealed");
            Fd empty = sealed()) {
            Libc.ftruncate(unsealed.fd(), SIZE);
            for (final int descriptor : new int[] {plain.fd(), unsealed.fd(), empty.fd(), 0, 999_999_999}) {
                try (ShmCarrier b = ShmCarrier.open(place(), SMALL_RING, true, () -> -1);
                    ShmCarrier a = ShmCarrier.open(place(), SMALL_RING, false, () -> descriptor)) {
                    b.bind(B);
                    a.bind(A);
                    final Lane lane = a.lane(A, B);
                    assertThat(ShmPattern.send(lane, 1)).isTrue();
                    receive(b, 1, 1);
                    assertThat(lane.takesReferences(SIZE)).as("descriptor %d", descriptor).isFalse();
                    assertThat(b.refusals()).isEqualTo(1);
                }
            }
        }
    }

    @Test
    void hugePagesAreNotFollowed() throws Exception {
        try (Undo undo = new Undo()) {
            final Fd huge = Fd.of(Libc.memfdCreate("huge", LibcConstants.MFD_HUGETLB | LibcConstants.MFD_HUGE_2MB
                | LibcConstants.MFD_ALLOW_SEALING), "huge");
            undo.add(huge::close);
            Libc.ftruncate(huge.fd(), 1 << 21);
            FileCalls.addSeals(huge.fd(), LibcConstants.F_SEAL_SHRINK);
            final ShmCarrier b = follower(B);
            final Lane lane = sharing(huge.fd(), A).lane(A, B);
            assertThat(ShmPattern.send(lane, 1)).isTrue();
            receive(b, 1, 1);
            assertThat(lane.takesReferences(SIZE)).isFalse();
        }
    }

    @Test
    void aFileMayGrowMeanwhile() throws Exception {
        final ShmCarrier b = follower(B);
        final Lane lane = sharing(file.fd(), A).lane(A, B);
        awaitFollowed(b, lane);
        Libc.ftruncate(file.fd(), 4 * SIZE);
        assertThat(refer(lane, 4 * SIZE - 64, 64)).isTrue();
        await("the frame", () -> b.poll(frame -> assertThat(UnsafeApi.getByte(frame.body + HEADERS)).isZero(), 1) == 1);
        assertThat(refer(lane, 77, 64)).isTrue();
        await("the frame", () -> b.poll(frame -> checkReferred(frame, 77, 64), 1) == 1);
    }

    @Test
    void framesReferToTheFirst64GiBOfAFile() throws Exception {
        Libc.ftruncate(file.fd(), ShmRing.MOST_SHARED + SIZE);
        final ShmCarrier b = follower(B);
        final Lane lane = sharing(file.fd(), A).lane(A, B);
        awaitFollowed(b, lane);
        assertThat(lane.takesReferences(ShmRing.MOST_SHARED)).isTrue();
        assertThat(lane.takesReferences(ShmRing.MOST_SHARED + 1)).isFalse();
        assertThat(refer(lane, ShmRing.MOST_SHARED - 64, 64)).isTrue();
        await("the frame", () -> b.poll(frame -> assertThat(UnsafeApi.getByte(frame.body + HEADERS)).isZero(), 1) == 1);
        assertThat(refer(lane, ShmRing.MOST_SHARED - 63, 64)).isTrue();
        await("the ring is closed", () -> {
            assertThat(b.poll(frame -> { }, 8)).isZero();
            return b.brokenRings() == 1;
        });
    }

    /** The peer's file grows, and this process cannot map it any more: its rings stay, and carry everything. */
    @Test
    void whoHasNoRoomForTheFileIsSentTheBytes() throws Exception {
        final ShmCarrier b = follower(B);
        final Lane lane = sharing(file.fd(), A).lane(A, B);
        awaitFollowed(b, lane);
        Libc.ftruncate(file.fd(), ShmRing.MOST_SHARED);
        try (Undo taken = new Undo()) {
            takeAddresses(taken);
            assertThat(refer(lane, SIZE, 64)).isTrue();
            assertThat(ShmPattern.send(lane, 5)).isTrue();
            receive(b, 5, 1);
        }
        assertThat(lane.takesReferences(SIZE)).isFalse();
        assertThat(b.brokenRings()).isZero();
        assertThat(refer(lane, 77, 64)).as("was on its way").isTrue();
        await("the frame", () -> b.poll(frame -> checkReferred(frame, 77, 64), 1) == 1);
    }

    /** Nothing as large as the file fits anywhere then; all else does. */
    private static void takeAddresses(final Undo taken) {
        long length = 1L << 47;
        while (length >= ShmRing.MOST_SHARED) {
            try {
                taken.add(MappedMemory.map(0, length, LibcConstants.PROT_NONE, LibcConstants.MAP_PRIVATE
                    | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_NORESERVE, -1, 0)::close);
            } catch (final RdmaException e) {
                length /= 2;
            }
        }
    }

    @Test
    void whatIsWithdrawnWhileItIsReadDoesNotCount() throws Exception {
        final ShmCarrier b = follower(B);
        final ShmCarrier a = sharing(file.fd(), A);
        final Lane lane = a.lane(A, B);
        awaitFollowed(b, lane);
        assertThat(refer(lane, 0, 64)).isTrue();
        await("the frame", () -> b.poll(frame -> {
            assertThat(frame.isIntact()).isTrue();
            a.withdraw();
            assertThat(frame.isIntact()).isFalse();
        }, 1) == 1);
        assertThat(refer(lane, 0, 64)).isTrue();
        await("the next one counts", () -> b.poll(frame -> assertThat(frame.isIntact()).isTrue(), 1) == 1);
        a.withdraw();
        assertThat(refer(lane, 0, 64)).isTrue();
        await("nothing was left to be withdrawn", () ->
            b.poll(frame -> assertThat(frame.isIntact()).isTrue(), 1) == 1);
    }

    @Test
    void whoClosesWithdraws() throws Exception {
        final ShmCarrier b = follower(B);
        final ShmCarrier a = sharing(file.fd(), A);
        final Lane lane = a.lane(A, B);
        awaitFollowed(b, lane);
        assertThat(refer(lane, 0, 64)).isTrue();
        a.close();
        await("the frame", () -> b.poll(frame -> assertThat(frame.isIntact()).isFalse(), 1) == 1);
    }
}
