/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counters;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.Patience;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two carriers of one process, which know each other as those of two processes do. */
@Timeout(180)
class ShmCarrierTest extends ShmFixture {
    private static final int MANY = 100_000;
    private static final long LONG = Patience.nanos();

    @Test
    void framesOfAllLengthsArriveInOrderAsTheyWereSent() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final Lane lane = a.lane(A, B);
        final long[] next = {0, 0};
        final FrameReceiver receiver = frame -> {
            assertThat(new Gid(frame.sourceGidHigh, frame.sourceGidLow)).isEqualTo(A);
            assertThat(new Gid(frame.destGidHigh, frame.destGidLow)).isEqualTo(B);
            ShmPattern.check(frame, next[1]++);
        };
        await(MANY + " frames", () -> {
            // As many as there is room for, or fewer: so the ends of the ring are met at all distances.
            for (int i = 0; i < 1 + next[0] % 37 && next[0] < MANY && ShmPattern.send(lane, next[0]); i++) {
                next[0]++;
            }
            b.poll(receiver, 1 + (int) (next[0] % 29));
            return next[1] == MANY;
        });
        receiveNone(b);
        assertThat(b.brokenRings()).isZero();
        assertThat(lane.isOpen()).isTrue();
    }

    @Test
    void keepsTheOrderAlsoWithACaptureButNotWithReorderingOnPurpose() throws Exception {
        final ShmCarrier a = carrier(A);
        assertThat(a.isOrdered()).isTrue();
        assertThat(LossyCarrier.wrap(a, LossOptions.parse("reorder:1")).isOrdered()).isFalse();
        try (PcapCarrier captured = PcapCarrier.wrap(a, folder.resolveSibling("ordered.pcap"), new Counters())) {
            assertThat(captured.isOrdered()).isTrue();
        }
    }

    @Test
    void twoThreadsAtOnce() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final Thread sender = new Thread(() -> {
            final Lane lane = a.lane(A, B);
            for (long i = 0; i < MANY; i++) {
                for (int turn = 1; !ShmPattern.send(lane, i); turn++) {
                    pause(turn);
                }
            }
        });
        sender.start();
        receive(b, 0, MANY);
        sender.join();
    }

    @Test
    void aGidHasOneOwner() throws Exception {
        final ShmCarrier first = carrier(A);
        final ShmCarrier second = carrier();
        assertThat(first.bind(A)).as("it has it already").isTrue();
        assertThatThrownBy(() -> second.bind(A)).isInstanceOfSatisfying(RdmaException.class,
            e -> assertThat(e.errno()).isEqualTo(RdmaException.EADDRINUSE)).hasMessageContaining(A.toString());
        assertThat(second.bind(new Gid(0, 0))).isFalse();
        first.unbind(A);
        first.unbind(A);
        assertThat(second.bind(A)).isTrue();
        second.close();
        assertThat(first.bind(A)).isTrue();
        first.close();
        assertThat(files()).isEmpty();
        assertThatThrownBy(() -> first.bind(A)).hasMessageContaining("closed");
    }

    /** The name in the folder is the same as before. */
    @Test
    void whoFollowsADeadOneIsFoundByWhoMissedIt() throws Exception {
        final ShmCarrier a = carrier(A);
        Files.writeString(folder.resolve("gid-fe80000000000000000000000000000b"), "left by a dead process");
        final int before = a.epoch();
        assertThat(a.reaches(C)).isFalse();
        await("the folder was looked at", () -> {
            a.poll(frame -> { }, 1);
            return a.epoch() != before;
        });
        assertThat(a.reaches(B)).isFalse();
        final int missing = a.epoch();
        carrier(B);
        await("the epoch says that somebody has come", () -> {
            a.poll(frame -> { }, 1);
            return a.epoch() != missing;
        });
    }

    @Test
    void aLaneNeedsBothEnds() throws Exception {
        final ShmCarrier a = carrier(A);
        assertThat(a.lane(A, B)).isNull();
        assertThat(a.reaches(B)).isFalse();
        final int before = a.epoch();
        final ShmCarrier b = carrier(B);
        assertThat(a.reaches(B)).isTrue();
        await("the epoch says that somebody has come", () -> {
            a.poll(frame -> { }, 1);
            return a.epoch() != before;
        });
        final Lane lane = a.lane(A, B);
        assertThat(lane).isNotNull().isSameAs(a.lane(A, B));
        assertThat(a.lane(C, B)).as("not bound here").isNull();
        assertThat(b.lane(B, A)).isNotNull();
        assertThat(a.mtu()).isEqualTo(5);
        assertThatThrownBy(() -> lane.claim(a.maxFrame() + 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lane.claim(6)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ShmCarrier.open(4096)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("power of two");
    }

    /** The whole way for one device that talks to itself, if an engine wants that. */
    @Test
    void aDeviceReachesItself() throws Exception {
        final ShmCarrier a = carrier(A, B);
        assertThat(ShmPattern.send(a.lane(A, A), 1)).isTrue();
        receive(a, 1, 1);
        assertThat(ShmPattern.send(a.lane(A, B), 2)).isTrue();
        receive(a, 2, 1);
    }

    @Test
    void aClaimThatIsNotCommittedIsForgotten() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final Lane lane = a.lane(A, B);
        for (long i = 0; i < 1000; i++) {
            final long at = lane.claim(ShmRing.MAX_FRAME);
            assertThat(at & 7).isZero();
            assertThat(ShmPattern.send(lane, i)).isTrue();
            receive(b, i, 1);
        }
    }

    @Test
    void aFullRingCostsNothingButItself() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final ShmCarrier c = carrier(C);
        final Lane slow = a.lane(A, B);
        int sent = 0;
        while (ShmPattern.send(slow, sent)) {
            sent++;
        }
        assertThat(sent).isGreaterThan(10);
        assertThat(ShmPattern.send(slow, sent)).isFalse();
        assertThat(slow.isOpen()).isTrue();
        assertThat(ShmPattern.send(a.lane(A, C), 7)).isTrue();
        receive(c, 7, 1);
        receive(b, 0, sent);
        assertThat(ShmPattern.send(slow, sent)).isTrue();
        receive(b, sent, 1);
    }

    /** As a sender finds it that has claimed when the thread that polls sees the peer die. */
    @Test
    void aRingIsNotUnmappedBetweenClaimAndCommitAlsoWithACapture() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        try (PcapCarrier captured = PcapCarrier.wrap(a, folder.resolveSibling("frames.pcap"), new Counters())) {
            final Lane lane = captured.lane(A, B);
            receiveNone(b);
            final Thread closing = new Thread(a::close);
            lane.lock().lock();
            try {
                assertThat(lane.claim(64)).isNotZero();
                closing.start();
                await("it waits, or is through", () ->
                    closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
                assertThat(closing.isAlive()).as("it waits for the frame").isTrue();
                lane.commit(0, 0, 0);
            } finally {
                lane.lock().unlock();
            }
            closing.join();
            await("the frame", () -> b.poll(frame -> assertThat(frame.length).isEqualTo(64), 1) == 1);
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    /** Runs a step while a carrier waits for far longer than the test may take. */
    private static void whileAsleep(final ShmCarrier sleeper, final Step step) throws Exception {
        sleeper.poll(frame -> { }, 0);
        final Thread thread = new Thread(() -> sleeper.await(LONG));
        thread.start();
        await("it sleeps", () -> thread.getState() == Thread.State.RUNNABLE || !thread.isAlive());
        TimeUnit.MILLISECONDS.sleep(5);
        step.run();
        thread.join(TimeUnit.NANOSECONDS.toMillis(LONG) / 2);
        assertThat(thread.isAlive()).as("it was woken").isFalse();
    }

    @Test
    void aSleeperIsWoken() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        whileAsleep(b, b::wakeUp);
        b.wakeUp();
        b.await(LONG);
        final Lane lane = a.lane(A, B);
        receiveNone(b);
        whileAsleep(b, () -> ShmPattern.send(lane, 0));
        b.await(LONG);
        receive(b, 0, 1);
        b.await(1);
        b.await(0);
    }

    @Test
    void aSleeperIsWokenByANewPeer() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        receiveNone(b);
        whileAsleep(b, () -> ShmPattern.send(a.lane(A, B), 3));
        receive(b, 3, 1);
    }

    @Test
    void whoFoundNoRoomIsWokenWhenThereIs() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final Lane lane = a.lane(A, B);
        int sent = 0;
        while (ShmPattern.send(lane, sent)) {
            sent++;
        }
        final int all = sent;
        receiveNone(a);
        whileAsleep(a, () -> receive(b, 0, all));
        assertThat(ShmPattern.send(lane, all)).isTrue();
    }

    /** What found no room may never be sent; whoever looks for room in vain may sleep then. */
    @Test
    void thatThereIsRoomAgainIsSaidOnce() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final ShmLane lane = (ShmLane) a.lane(A, B);
        for (int time = 0; time < 2; time++) {
            int sent = 0;
            while (ShmPattern.send(lane, sent)) {
                sent++;
            }
            assertThat(lane.mayHaveRoom()).as("%s", lane).isFalse();
            receive(b, 0, sent);
            assertThat(lane.mayHaveRoom()).as("%s", lane).isTrue();
            assertThat(lane.mayHaveRoom()).as("%s", lane).isFalse();
        }
    }

    /** Many times in a row: one side sleeps just when the other one sends. */
    @Test
    void nobodySleepsForGood() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final Thread echo = new Thread(() -> {
            final Lane back = b.lane(B, A);
            final long[] next = {0};
            while (next[0] < 5000) {
                if (b.poll(frame -> ShmPattern.check(frame, next[0]++), 8) > 0) {
                    ShmPattern.send(back, next[0] - 1);
                } else {
                    b.await(LONG);
                }
            }
        });
        final Lane lane = a.lane(A, B);
        echo.start();
        final long[] next = {0};
        while (next[0] < 5000) {
            assertThat(ShmPattern.send(lane, next[0])).isTrue();
            final long before = next[0];
            while (next[0] == before) {
                if (a.poll(frame -> ShmPattern.check(frame, next[0]++), 8) == 0) {
                    a.await(LONG);
                }
            }
        }
        echo.join();
    }

    @Test
    void aGidThatIsTakenAgainIsAnotherPeer() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final Lane old = a.lane(A, B);
        assertThat(ShmPattern.send(old, 0)).isTrue();
        receive(b, 0, 1);
        b.unbind(B);
        b.bind(B);
        await("the lane is closed", () -> {
            a.poll(frame -> { }, 1);
            return !old.isOpen();
        });
        assertThat(old.claim(64)).isZero();
        assertThat(a.lostPeers()).isEqualTo(1);
        final Lane lane = a.lane(A, B);
        assertThat(lane).isNotNull().isNotSameAs(old);
        assertThat(ShmPattern.send(lane, 5)).isTrue();
        receive(b, 5, 1);
    }

    /** Asked before anybody has polled, so that nobody has seen yet that the old one is gone. */
    @Test
    void whoAsksAtOnceGetsTheNewPeerOrNobody() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        assertThat(a.lane(A, B)).isNotNull();
        b.close();
        final ShmCarrier again = carrier(B);
        await("a lane to the new one", () -> {
            final Lane lane = a.lane(A, B);
            ShmPattern.send(lane, 9);
            a.poll(frame -> { }, 1);
            return again.poll(frame -> ShmPattern.check(frame, 9), 1) == 1;
        });
    }

    @Test
    void whatAPeerSentBeforeItClosedArrives() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final Lane lane = a.lane(A, B);
        receiveNone(b);
        ShmPattern.send(lane, 0);
        receive(b, 0, 1);
        for (long i = 1; i < 8; i++) {
            assertThat(ShmPattern.send(lane, i)).isTrue();
        }
        a.close();
        assertThat(lane.isOpen()).isFalse();
        assertThat(lane.claim(8)).isZero();
        receive(b, 1, 7);
        await("its ring is given back", () -> {
            b.poll(frame -> { }, 1);
            return b.toString().contains("0 rings from peers");
        });
        assertThat(b.brokenRings()).isZero();
    }

    @Test
    void nothingComesForAGidThatWasGivenBack() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B, C);
        final Lane lane = a.lane(A, B);
        ShmPattern.send(lane, 0);
        receive(b, 0, 1);
        b.unbind(B);
        await("the lane is closed", () -> {
            a.poll(frame -> { }, 1);
            return !lane.isOpen();
        });
        ShmPattern.send(a.lane(A, C), 1);
        receive(b, 1, 1);
    }

    /** Of many peers most say nothing; each is heard when it does. */
    @Test
    void manyPeers() throws Exception {
        final ShmCarrier hub = carrier(A);
        final List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            final Gid gid = new Gid(1, 0x100 + i);
            final ShmCarrier peer = carrier(gid);
            lanes.add(peer.lane(gid, A));
        }
        for (int i = 0; i < 64; i++) {
            ShmPattern.send(lanes.get(i), i);
            receive(hub, i, 1);
        }
        for (int i = 0; i < 3000; i++) {
            hub.poll(frame -> { }, 8);
        }
        for (int i = 0; i < 64; i++) {
            assertThat(ShmPattern.send(lanes.get(i), 1000 + i)).isTrue();
            int polls = 0;
            while (hub.poll(frame -> { }, 8) == 0) {
                assertThat(++polls).as("polls until an idle ring is looked at").isLessThan(100);
            }
        }
        final int[] heard = {0};
        for (int i = 0; i < 6400; i++) {
            ShmPattern.send(lanes.get(i % 64), i);
        }
        await("all", () -> {
            hub.poll(frame -> heard[0]++, 8);
            return heard[0] >= 640;
        });
    }

    /** An offer is made once, and knocks are not repeated. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void aRingThatIsOfferedWhileFilesRunShortIsFoundLater(final int spare) throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        // Once in vain, so that nothing is left to be loaded, which takes files too.
        a.lane(A, B);
        receiveNone(b);
        final Gid other = new Gid(1, 1);
        a.bind(other);
        receiveNone(b);
        final Lane lane = a.lane(other, B);
        ShmPattern.send(lane, 0);
        withFiles(spare, () -> {
            final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
            while (System.nanoTime() - end < 0) {
                b.poll(frame -> ShmPattern.check(frame, 0), 0);
            }
        });
        await("the frame", () -> b.poll(frame -> ShmPattern.check(frame, 0), 1) == 1);
    }

    /** What came before a queue pair is ready is taken first; there is somebody as soon as there is a ring. */
    @Test
    void aRingThatIsOnOfferIsKnownAndFoundByWhoSeeks() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final ShmCarrier c = carrier(C);
        receiveNone(b);
        assertThat(b.isLonely()).isTrue();
        ShmPattern.send(a.lane(A, B), 0);
        assertThat(b.isLonely()).isFalse();
        receive(b, 0, 1);
        // It has just looked, and does not again within a millisecond.
        ShmPattern.send(c.lane(C, B), 1);
        b.seek();
        assertThat(b.hasMore()).isTrue();
        receive(b, 1, 1);
    }

    /** It came before a queue pair was ready, and would be taken for new by that. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void whatLiesInARingThatCouldNotBeHadWhenItWasSoughtIsNotTakenLater(final int spare) throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        a.lane(A, B);
        receiveNone(b);
        final Gid other = new Gid(1, 1);
        a.bind(other);
        receiveNone(b);
        final Lane lane = a.lane(other, B);
        int sent = 0;
        while (ShmPattern.send(lane, sent)) {
            sent++;
        }
        withFiles(spare, () -> {
            b.seek();
            assertThat(b.toString()).contains("1 rings from peers");
        });
        await("there is room in it", () -> {
            assertThat(b.poll(frame -> { }, 1)).isZero();
            return ShmPattern.send(lane, 7);
        });
        receive(b, 7, 1);
    }

    /** Meanwhile this process can open so many files and no more. */
    private static void withFiles(final int spare, final Runnable action) {
        final List<Fd> all = new ArrayList<>();
        try {
            takeAllFiles(all);
            for (int i = 0; i < spare; i++) {
                all.remove(all.size() - 1).close();
            }
            action.run();
        } finally {
            all.forEach(Fd::close);
        }
    }

    private static void takeAllFiles(final List<Fd> all) {
        final int most = 1 << 17;
        while (all.size() < most) {
            try {
                all.add(Fd.open("/dev/null", LibcConstants.O_RDONLY));
            } catch (final RdmaException e) {
                return;
            }
        }
        assumeThat(all.size()).as("files that may be open").isLessThan(most);
    }

    @Test
    void nobodyElseMayLook() throws Exception {
        carrier(A);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder))).isEqualTo("rwx------");
        for (final String file : files()) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(file))))
                .isEqualTo("rw-------");
        }
        assertThat(files()).containsExactly("gid-fe80000000000000000000000000000a");
        assertThat(Path.of("/dev/shm/rdma4j-shm")).doesNotExist();
    }

    @Test
    void framesMakeNoGarbage() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final Lane there = a.lane(A, B);
        final Lane back = b.lane(B, A);
        final long[] next = {0};
        final FrameReceiver receiver = frame -> next[0] += frame.length & 1;
        assertThat(Allocations.perStep(20_000, () -> {
            ShmPattern.send(there, next[0]);
            b.poll(receiver, 8);
            ShmPattern.send(back, next[0]);
            a.poll(receiver, 8);
            if (a.lane(A, B) != there) {
                throw new AssertionError(a.toString());
            }
        })).isZero();
    }

    @Test
    void fallingAsleepMakesNoGarbage() throws Exception {
        final ShmCarrier a = carrier(A);
        final ShmCarrier b = carrier(B);
        final Lane there = a.lane(A, B);
        final FrameReceiver receiver = frame -> { };
        assertThat(Allocations.perStep(5_000, () -> {
            ShmPattern.send(there, 1);
            b.await(LONG);
            b.poll(receiver, 8);
            b.await(1);
            b.wakeUp();
            b.await(LONG);
        })).isLessThan(1);
    }
}
