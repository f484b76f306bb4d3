/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.state.SealedMemory;
import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.CampaignSeeds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a process of the same user can write, and what it costs: its own connection, and nothing else. */
@Timeout(180)
class ShmHostileTest extends ShmFixture {
    private static final String NAME_OF_A = "gid-fe80000000000000000000000000000a";
    private static final String NAME_OF_B = "gid-fe80000000000000000000000000000b";
    private static final int RINGS = 50;
    private static final int SCRIBBLES = 50;

    /** Each word in place of the first one. */
    @ParameterizedTest
    @ValueSource(longs = {1, -1, -2, ShmRing.PADDING, ShmRing.PADDING | 2, ShmRing.FRAME, ShmRing.FRAME | 2,
        ShmRing.FRAME | 6, ShmRing.FRAME | 0xffff, ShmRing.FRAME | ShmRing.MAX_FRAME + 4, ShmRing.FRAME | 1L << 52 | 64,
        ShmRing.FRAME | 1L << 61 | 64, ShmRing.FRAME | ShmRing.PADDING | 64, 64})
    void aWordThatCannotBeClosesTheRing(final long word) throws Exception {
        final ShmCarrier b = carrier(B);
        final ShmCarrier honest = carrier(C);
        final Lane other = honest.lane(C, B);
        final Lane lane = carrier(A).lane(A, B);
        poke(ring(lane), 0, word);
        await("the ring is closed", () -> {
            assertThat(b.poll(frame -> { }, 8)).isZero();
            return b.brokenRings() == 1;
        });
        assertThat(b.toString()).contains("1 rings from peers", "garbage in the ring from " + A);
        assertThat(ShmPattern.send(other, 4)).isTrue();
        receive(b, 4, 1);
    }

    /** A frame, or padding, that would go over the end. */
    @ParameterizedTest
    @ValueSource(ints = {8, 16, 512, 4096})
    void nothingIsReadBehindTheEnd(final int left) throws Exception {
        final ShmCarrier b = carrier(B);
        final ShmCarrier a = carrier(A);
        final Lane lane = a.lane(A, B);
        final long ring = ring(lane);
        final int record = 16;
        // Whole records up to there; the first one is longer, where they would not meet it.
        final int first = record + (SMALL_RING - left) % record;
        poke(ring, 0, ShmRing.FRAME | first - ShmRing.WORD);
        for (int at = first; at < SMALL_RING - left; at += record) {
            poke(ring, at, ShmRing.FRAME | record - ShmRing.WORD);
        }
        poke(ring, SMALL_RING - left, left == 8 ? ShmRing.FRAME | 4 : ShmRing.FRAME | left);
        final int[] frames = {0};
        await("the ring is closed", () -> {
            b.poll(frame -> frames[0]++, 64);
            return b.brokenRings() == 1;
        });
        assertThat(frames[0]).isEqualTo((SMALL_RING - left) / record);
    }

    /** All over the ring, while it is read; frames are what they are, and the other connection loses nothing. */
    @Campaign(value = "hostile-peer", usual = 8)
    void garbageAnywhere(final long seed) throws Exception {
        final ShmCarrier b = carrier(B);
        final ShmCarrier honest = carrier(C);
        final Lane other = honest.lane(C, B);
        final ShmCarrier a = carrier(A);
        receiveNone(b);
        final Random random = new Random(seed);
        final long[] next = {0};
        final long[] sent = {0};
        final long[] fromA = {0};
        final FrameReceiver receiver = frame -> {
            assertThat(frame.length).isBetween(4, ShmRing.MAX_FRAME);
            if (frame.sourceGidLow == C.low()) {
                ShmPattern.check(frame, next[0]++);
            } else {
                fromA[0]++;
            }
            assertThat(UnsafeApi.getByte(frame.body + frame.length - 1)).isBetween(Byte.MIN_VALUE, Byte.MAX_VALUE);
        };
        for (int round = 0; round < RINGS; round++) {
            final Lane lane = a.lane(A, B);
            final long before = fromA[0];
            await("the ring is found", () -> {
                ShmPattern.send(lane, 0);
                b.poll(receiver, 4);
                return fromA[0] > before;
            });
            while (ShmPattern.send(lane, 0)) {
                // What waits to be read is what garbage can hit.
            }
            try (SealedMemory ring = mapped(lane)) {
                for (int i = 0; i < SCRIBBLES; i++) {
                    scribble(random, ring.address());
                    ShmPattern.send(lane, i);
                    if (ShmPattern.send(other, sent[0])) {
                        sent[0]++;
                    }
                    b.poll(receiver, 1 + random.nextInt(16));
                }
                UnsafeApi.putLongVolatile(null, ring.address() + ShmRing.HEAD_OFFSET, Long.MAX_VALUE);
            }
            await("its writer has given it up", () -> {
                ShmPattern.send(lane, 0);
                a.poll(receiver, 4);
                return !lane.isOpen();
            });
        }
        await("the other connection", () -> {
            b.poll(receiver, 64);
            return next[0] == sent[0];
        });
        assertThat(b.brokenRings()).isPositive();
        assertThat(sent[0]).isPositive();
        CampaignSeeds.count("rings scribbled over", RINGS);
        CampaignSeeds.count("frames in them", (long) RINGS * SCRIBBLES);
    }

    private static void scribble(final Random random, final long ring) {
        final int words = random.nextInt(4);
        for (int i = 0; i < words; i++) {
            final long at = ring + (random.nextInt(8) == 0 ? random.nextInt(ShmRing.DATA_OFFSET / 8)
                : (ShmRing.DATA_OFFSET + random.nextInt(SMALL_RING)) / 8) * 8L;
            final long value = switch (random.nextInt(4)) {
                case 0 -> random.nextLong();
                case 1 -> ShmRing.FRAME | random.nextInt(0x10000);
                case 2 -> ShmRing.PADDING;
                default -> random.nextInt();
            };
            UnsafeApi.putLongVolatile(null, at, value);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, -8, 1, 7, 8, 64, 1L << 40, Long.MIN_VALUE, Long.MAX_VALUE})
    void aPositionOfTheReaderThatCannotBeClosesTheLane(final long head) throws Exception {
        final ShmCarrier a = carrier(A);
        carrier(B);
        final Lane lane = a.lane(A, B);
        final long ring = ring(lane);
        int sent = 0;
        while (ShmPattern.send(lane, sent)) {
            sent++;
        }
        final int before = a.epoch();
        UnsafeApi.putLongVolatile(null, ring + ShmRing.HEAD_OFFSET, head == 8 || head == 64 ? SMALL_RING + head : head);
        assertThat(lane.claim(ShmRing.MAX_FRAME)).isZero();
        assertThat(lane.isOpen()).isFalse();
        await("it is given back", () -> {
            a.poll(frame -> { }, 1);
            return a.epoch() != before;
        });
        final Lane next = a.lane(A, B);
        assertThat(next).isNotSameAs(lane);
        assertThat(ShmPattern.send(next, 0)).isTrue();
    }

    /** The payload may change until it was copied; the headers, and what was said of the frame, do not. */
    @Test
    void headersAreTheDevicesOwn() throws Exception {
        final ShmCarrier b = carrier(B);
        final Lane lane = carrier(A).lane(A, B);
        final long ring = ring(lane);
        for (final int length : new int[] {4, 60, 64, 68, ShmInlet.SMALL, ShmInlet.SMALL + 4, ShmRing.MAX_FRAME}) {
            final long at = lane.claim(length);
            UnsafeApi.setMemory(at, length, (byte) 7);
            lane.commit(0, 0, 0);
            await("a frame", () -> b.poll(frame -> {
                UnsafeApi.setMemory(ring + ShmRing.DATA_OFFSET, SMALL_RING, (byte) 9);
                assertThat(frame.length).isEqualTo(length);
                assertThat(frame.hopLimit).isEqualTo(64);
                for (int i = 0; i < Math.min(length, Frame.OWN); i++) {
                    assertThat(UnsafeApi.getByte(frame.address + i)).isEqualTo((byte) 7);
                }
                assertThat(UnsafeApi.getByte(frame.body + length - 1))
                    .isEqualTo((byte) (length > ShmInlet.SMALL ? 9 : 7));
                UnsafeApi.setMemory(ring + ShmRing.DATA_OFFSET, SMALL_RING, (byte) 0);
            }, 1) == 1);
        }
    }

    /** The last thing that keeps a signal away from the JVM: memory that is cut off. */
    @Test
    void whoSharesMemoryCannotCutItOff() throws Exception {
        final ShmCarrier b = carrier(B);
        final ShmCarrier a = carrier(A);
        final int descriptor = descriptorOf(a.lane(A, B));
        for (final int length : new int[] {0, 4096, ShmRing.DATA_OFFSET}) {
            assertThatThrownBy(() -> Libc.ftruncate(descriptor, length)).isInstanceOfSatisfying(RdmaException.class,
                e -> assertThat(e.errno()).isEqualTo(RdmaException.EPERM));
        }
        assertThat(ShmPattern.send(a.lane(A, B), 0)).isTrue();
        receive(b, 0, 1);
        FileCalls.punchHole(descriptor, 0, Libc.pageSize() + ShmRing.DATA_OFFSET + SMALL_RING);
        receiveNone(b);
    }

    /** A second time, so that the test may write to it when nobody else uses it any more. */
    private SealedMemory mapped(final Lane lane) throws IOException {
        return SealedMemory.open(ProcessHandle.current().pid(), descriptorOf(lane), SMALL_RING, 2 * SMALL_RING);
    }

    private static int descriptorOf(final Lane lane) {
        return ((ShmLane) lane).descriptor();
    }

    /** What is offered may be anything. */
    @Test
    void offersOfOtherThingsAreRefused() throws Exception {
        final ShmCarrier b = carrier(B);
        carrier(A);
        receiveNone(b);
        final String beginning = "ring-fe80000000000000000000000000000b-fe80000000000000000000000000000a-";
        final long enough = ShmRing.DATA_OFFSET + ShmRing.LEAST_DATA;
        try (Fd plain = Fd.open(Files.write(folder.resolveSibling("plain"), new byte[0]).toString(),
                LibcConstants.O_RDWR);
            Fd unsealed = Fd.of(Libc.memfdCreate("unsealed", LibcConstants.MFD_ALLOW_SEALING), "unsealed");
            SealedMemory tooShort = SealedMemory.create("short", 4096);
            SealedMemory nonsense = SealedMemory.create("nonsense", enough)) {
            Libc.ftruncate(plain.fd(), Libc.pageSize() + enough);
            Libc.ftruncate(unsealed.fd(), Libc.pageSize() + enough);
            int nonce = 0;
            for (final int descriptor : new int[] {plain.fd(), unsealed.fd(), tooShort.descriptor(),
                nonsense.descriptor(), 0, 999_999_999}) {
                final long before = b.refusals();
                Files.createFile(folder.resolve(
                    String.format(Locale.ROOT, "%s%016x-%d", beginning, ++nonce, descriptor)));
                await("descriptor " + descriptor + " is refused", () -> {
                    b.poll(frame -> { }, 1);
                    return b.refusals() > before;
                });
            }
        }
        assertThat(files()).as("all are cleared away").containsExactly(NAME_OF_A, NAME_OF_B);
        assertThat(b.toString()).contains("0 rings from peers", "6 refused");
    }

    /** Each time would cost a mapping, of which a process has some 65,000. */
    @Test
    void aRingThatIsOfferedAgainIsRefused() throws Exception {
        final ShmCarrier b = carrier(B);
        final Lane lane = carrier(A).lane(A, B);
        final String offer = files().stream().filter(name -> name.startsWith("ring-")).findFirst().orElseThrow();
        final int number = offer.lastIndexOf('-') + 1;
        ShmPattern.send(lane, 0);
        receive(b, 0, 1);
        // What other tests left may go meanwhile.
        final int mappings = MappedMemory.mappedCount();
        for (final String zeros : new String[] {"", "0", "00", ""}) {
            final long before = b.refusals();
            Files.createFile(folder.resolve(offer.substring(0, number) + zeros + offer.substring(number)));
            await("it is refused: " + b, () -> {
                b.poll(frame -> { }, 1);
                return b.refusals() > before;
            });
        }
        assertThat(MappedMemory.mappedCount()).isLessThanOrEqualTo(mappings);
        assertThat(b.toString()).contains("1 rings from peers", "was offered later, or is the same");
        assertThat(ShmPattern.send(lane, 1)).isTrue();
        receive(b, 1, 1);
    }

    @Test
    void anotherRingOfThePairTakesThePlaceOfTheFirst() throws Exception {
        final ShmCarrier b = carrier(B);
        final Lane lane = carrier(A).lane(A, B);
        receiveNone(b);
        final int mappings = MappedMemory.mappedCount();
        final long first = UnsafeApi.getLong(ring(lane) + ShmRing.NONCE_OFFSET);
        try (ShmFolder.Opened source = place().find(A); ShmFolder.Opened dest = place().find(B);
            SealedMemory memory = SealedMemory.create("rings", ShmRing.DATA_OFFSET + SMALL_RING)) {
            for (int later = 1; later <= 5; later++) {
                final ShmRing.Title title =
                    new ShmRing.Title(first + later, A, source.owner().life(), B, dest.owner().life());
                title.write(memory.address(), SMALL_RING);
                place().offer(title, memory.descriptor());
                await("it is taken", () -> {
                    b.poll(frame -> { }, 1);
                    return offers() == 0;
                });
                assertThat(b.toString()).contains("1 rings from peers");
            }
        }
        assertThat(MappedMemory.mappedCount()).isLessThanOrEqualTo(mappings);
        await("its writer is told that nobody reads the first one", () -> {
            ShmPattern.send(lane, 0);
            return !lane.isOpen();
        });
    }

    /** Whatever the order in which the folder gives them: of two that are offered the later one is read. */
    @Test
    void aRingThatWasGivenUpDoesNotTakeThePlaceOfTheNextOne() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        for (int i = 0; i < 20; i++) {
            final Lane first = a.lane(A, B);
            final long ring = ring(first);
            while (ShmPattern.send(first, 0)) {
                // It looks at the reader's position when it is full.
            }
            UnsafeApi.putLongVolatile(null, ring + ShmRing.HEAD_OFFSET, Long.MAX_VALUE);
            assertThat(ShmPattern.send(first, 0)).isFalse();
            assertThat(first.isOpen()).isFalse();
            final Lane next = a.lane(A, B);
            final int number = i + 1;
            assertThat(ShmPattern.send(next, number)).isTrue();
            final boolean[] arrived = {false};
            await("what the next one carries", () -> {
                b.poll(frame -> arrived[0] |= ShmPattern.number(frame) == number, 64);
                return arrived[0];
            });
            a.poll(frame -> { }, 1);
            ((ShmLane) next).shut();
        }
    }

    @Test
    void ringsFromPeersHaveALimitInAll() throws Exception {
        final Gid[] sources = new Gid[33];
        final Gid[] dests = new Gid[33];
        Arrays.setAll(sources, i -> new Gid(1, 0x100 + i));
        Arrays.setAll(dests, i -> new Gid(1, 0x200 + i));
        final ShmCarrier a = carrier(sources);
        final ShmCarrier b = carrier(dests);
        for (final Gid source : sources) {
            for (final Gid dest : dests) {
                assertThat(a.lane(source, dest)).isNotNull();
            }
        }
        await("some are refused", () -> {
            b.poll(frame -> { }, 1);
            return b.refusals() >= sources.length * dests.length - 1024;
        });
        assertThat(b.toString()).contains("1024 rings from peers");
        final long left = offers();
        assertThat(left).isPositive();
        a.unbind(sources[0]);
        await("those that were refused are taken when there is room", () -> {
            b.poll(frame -> { }, 1);
            return offers() < left;
        });
    }

    private long offers() {
        return Arrays.stream(folder.toFile().list()).filter(name -> name.startsWith("ring-")).count();
    }

    @Test
    void oneRingIsNotAnother() throws Exception {
        final ShmCarrier b = carrier(B);
        final ShmCarrier c = carrier(C);
        final int descriptor = descriptorOf(carrier(A).lane(A, B));
        final String c32 = "00000000000000000000ffff7f000003";
        Files.createFile(folder.resolve("ring-" + c32 + "-fe80000000000000000000000000000a-0000000000000001-"
            + descriptor));
        await("refused", () -> {
            c.poll(frame -> { }, 1);
            return c.refusals() == 1;
        });
        receiveNone(b);
        assertThat(b.refusals()).isZero();
    }

    @Test
    void namesThatMeanNothingAreLeftAlone() throws Exception {
        place();
        Files.createFile(folder.resolve("ring-zz"));
        Files.createFile(folder.resolve("gid-zz"));
        Files.createDirectory(folder.resolve("folder"));
        final ShmCarrier b = carrier(B);
        receiveNone(b);
        assertThat(files()).contains("folder", "ring-zz", NAME_OF_B);
    }

    /** Nobody has it locked: left by a dead process, or cut off. */
    @ParameterizedTest
    @ValueSource(strings = {"", "x", "0123456789abcdef0123456789abcdef0123456789abcdef"})
    void aFileWithoutAnOwnerIsReplaced(final String text) throws Exception {
        place();
        Files.writeString(folder.resolve(NAME_OF_B), text);
        final ShmCarrier a = carrier(A);
        assertThat(a.reaches(B)).isFalse();
        assertThat(files()).containsExactly(NAME_OF_A);
        Files.writeString(folder.resolve(NAME_OF_B), text);
        assertThat(a.lane(A, B)).isNull();
        Files.writeString(folder.resolve(NAME_OF_B), text);
        final ShmCarrier b = carrier(B);
        ShmPattern.send(a.lane(A, B), 1);
        receive(b, 1, 1);
    }

    /** The file of one who lives, written to by somebody else; it is read, so nobody is harmed. */
    @Test
    void aFileThatIsWrittenToLeadsNowhere() throws Exception {
        carrier(B);
        final Path file = folder.resolve(NAME_OF_B);
        final byte[] good = Files.readAllBytes(file);
        final Random random = new Random(22);
        int refused = 0;
        for (int i = 0; i < 100; i++) {
            final byte[] bad = good.clone();
            bad[random.nextInt(bad.length)] ^= (byte) (1 + random.nextInt(255));
            overwrite(file, Arrays.copyOf(bad, i % 7 == 0 ? random.nextInt(bad.length) : bad.length));
            refused += reaches(B) ? 0 : 1;
        }
        assertThat(refused).isGreaterThan(50);
        overwrite(file, good);
        assertThat(reaches(B)).isTrue();
    }

    /** By one who has not met it yet. */
    private boolean reaches(final Gid gid) throws IOException {
        try (ShmCarrier one = ShmCarrier.open(place(), SMALL_RING)) {
            one.bind(C);
            return one.lane(C, gid) != null;
        }
    }

    /** The same file stays there, and so does its lock. */
    private static void overwrite(final Path file, final byte[] bytes) throws IOException {
        Files.write(file, bytes);
    }

    @Test
    void linksAndFoldersAreRefused() throws Exception {
        place();
        final ShmCarrier a = carrier(A);
        final Path target = Files.write(folder.resolveSibling("target"), new byte[64]);
        Files.createSymbolicLink(folder.resolve(NAME_OF_B), target);
        assertThat(a.lane(A, B)).isNull();
        assertThat(a.reaches(B)).isFalse();
        assertThat(a.refusals()).as("both have met it").isEqualTo(2);
        assertThat(a.toString()).as("who asks why nobody is there").contains("symbolic link");
        final ShmCarrier b = carrier();
        assertThatThrownBy(() -> b.bind(B)).isInstanceOfSatisfying(RdmaException.class,
            e -> assertThat(e.errno()).isEqualTo(RdmaException.EACCES)).hasMessageContaining("symbolic link");
        Files.delete(folder.resolve(NAME_OF_B));
        Files.createDirectory(folder.resolve(NAME_OF_B));
        assertThatThrownBy(() -> b.bind(B)).hasMessageContaining("no plain file of this user");
        Files.delete(folder.resolve(NAME_OF_B));
        assertThat(b.bind(B)).isTrue();
        assertThat(Files.readAllBytes(target)).isEqualTo(new byte[64]);
    }

    @Test
    void whatIsAnotherUsersIsRefused() throws Exception {
        assumeThat(Libc.geteuid()).as("needs root, to give a file to another user").isZero();
        place();
        final ShmCarrier a = carrier(A);
        Files.setAttribute(Files.createFile(folder.resolve(NAME_OF_B)), "unix:uid", 65534);
        assertThat(a.lane(A, B)).isNull();
        assertThat(a.refusals()).isEqualTo(1);
        final ShmCarrier b = carrier();
        assertThatThrownBy(() -> b.bind(B)).isInstanceOfSatisfying(RdmaException.class,
            e -> assertThat(e.errno()).isEqualTo(RdmaException.EACCES));
        final Path theirs = Files.createDirectory(folder.resolveSibling("theirs"));
        Files.setAttribute(theirs, "unix:uid", 65534);
        assertThatThrownBy(() -> ShmFolder.prepare(theirs)).isInstanceOf(IOException.class)
            .hasMessageContaining("belongs to user 65534");
        final Path link = Files.createSymbolicLink(folder.resolveSibling("link"), folder);
        assertThatThrownBy(() -> ShmFolder.prepare(link)).hasMessageContaining("symbolic link");
    }

    /** Somebody who knocks without an end, and says that nobody sleeps. */
    @Test
    void garbageInAnInboxHarmsNobody() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final Lane lane = a.lane(A, B);
        receiveNone(b);
        final ShmFolder.Opened file = place().find(B);
        try (file; SealedMemory inbox = SealedMemory.open(file.owner().pid(), file.owner().descriptor(), 4096, 4096)) {
            final Random random = new Random(7);
            final long[] next = {0};
            while (next[0] < 2000) {
                for (int i = 0; i < 8; i++) {
                    UnsafeApi.putIntVolatile(null, inbox.address() + random.nextInt(1024) * 4L, random.nextInt(3));
                }
                ShmPattern.send(lane, next[0]);
                final long before = next[0];
                await("frame " + before, () -> {
                    if (b.poll(frame -> ShmPattern.check(frame, next[0]++), 4) == 0) {
                        b.await(1_000);
                    }
                    return next[0] > before;
                });
            }
        }
    }

    /** That makes garbage, and asks the kernel. */
    @Test
    void whoKnocksAllTheTimeHasTheFolderReadOnceAMillisecond() throws Exception {
        final ShmCarrier b = carrier(B);
        receiveNone(b);
        final ShmFolder.Owner owner;
        try (ShmFolder.Opened file = place().find(B)) {
            owner = file.owner();
        }
        final ShmInbox inbox = ShmInbox.open(owner.pid(), owner.descriptor(), owner.nonce());
        // Each time that it cannot be read is counted.
        Files.delete(folder.resolve(NAME_OF_B));
        Files.delete(folder);
        final long before = b.refusals();
        final long begun = System.nanoTime();
        for (int i = 0; i < 5000; i++) {
            inbox.knock();
            b.await(1000);
        }
        final long most = (System.nanoTime() - begun) / 1_000_000 + 1;
        inbox.close();
        assertThat(b.refusals() - before).isBetween(1L, most);
    }

    @Test
    void memoryOfARingIsGivenBack() throws Exception {
        final ShmCarrier b = carrier(B);
        final ShmCarrier a = carrier(A);
        final int mappings = MappedMemory.mappedCount();
        final int files = Fd.openCount();
        for (int i = 0; i < 20; i++) {
            final Lane lane = a.lane(A, B);
            final long ring = ring(lane);
            ShmPattern.send(lane, 0);
            receive(b, 0, 1);
            final int broken = i;
            poke(ring, ShmRing.record(ShmPattern.length(0)), -1);
            await("closed", () -> {
                b.poll(frame -> { }, 1);
                return b.brokenRings() > broken;
            });
            while (lane.claim(ShmRing.MAX_FRAME) != 0) {
                lane.commit(0, 0, 0);
            }
            await("given back", () -> {
                a.poll(frame -> { }, 1);
                return MappedMemory.mappedCount() <= mappings && Fd.openCount() <= files;
            });
        }
    }
}
