/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Carriers of two processes, and what becomes of one when the other is killed. */
@Tag("thorough")
@Timeout(180)
class ShmProcessesTest extends ShmFixture {
    private final List<Process> children = new ArrayList<>();

    @AfterEach
    void endChildren() throws InterruptedException {
        for (final Process child : children) {
            child.destroyForcibly();
            assertThat(Patience.ends(child)).isTrue();
        }
    }

    private Process start(final String what, final String own, final String other) throws IOException {
        final Process child = new ProcessBuilder(
            OtherJvm.command(List.of(), ShmChild.class, what, folder.toString(), own, other))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        children.add(child);
        return child;
    }

    private Process open(final String what, final String own, final String other) throws IOException {
        final Process child = start(what, own, other);
        assertThat(said(child)).isEqualTo("open");
        return child;
    }

    private static String said(final Process child) throws IOException {
        final BufferedReader output = child.inputReader();
        return output.readLine();
    }

    /** Sends so many frames as there is room for, and takes them back. */
    private static void exchange(final ShmCarrier carrier, final Lane lane, final int count) {
        final long[] next = {0, 0};
        final FrameReceiver receiver = frame -> ShmPattern.check(frame, next[1]++);
        await(count + " frames", () -> {
            while (next[0] < count && next[0] - next[1] < 64 && ShmPattern.send(lane, next[0])) {
                next[0]++;
            }
            if (carrier.poll(receiver, 64) == 0) {
                carrier.await(TimeUnit.MILLISECONDS.toNanos(100));
            }
            return next[1] == count;
        });
    }

    private static void awaitClosed(final ShmCarrier carrier, final Lane lane) {
        await("the lane is closed", () -> {
            carrier.poll(frame -> { }, 64);
            return !lane.isOpen();
        });
    }

    @Test
    void everyFrameComesBack() throws Exception {
        final ShmCarrier a = carrier(A);
        open("echo", "b", "a");
        exchange(a, a.lane(A, B), 50_000);
    }

    @Test
    void aGidOfAnotherProcessIsTaken() throws Exception {
        carrier(A);
        assertThat(said(start("sit", "a", "b"))).isEqualTo("errno 98");
    }

    @Test
    void aPeerThatIsKilledIsNoticedAndItsSuccessorIsAnother() throws Exception {
        final ShmCarrier a = carrier(A);
        // What other tests left may go meanwhile.
        final int mappings = MappedMemory.mappedCount();
        Process child = open("echo", "b", "a");
        for (int life = 0; life < 3; life++) {
            final int epoch = a.epoch();
            final Lane lane = a.lane(A, B);
            exchange(a, lane, 1000);
            ShmPattern.send(lane, 5);
            child.destroyForcibly().waitFor();
            awaitClosed(a, lane);
            assertThat(a.epoch()).isNotEqualTo(epoch);
            assertThat(lane.claim(64)).isZero();
            assertThat(a.reaches(B)).isFalse();
            assertThat(a.lane(A, B)).isNull();
            await("all its memory is given back", () -> {
                a.poll(frame -> { }, 64);
                return MappedMemory.mappedCount() <= mappings;
            });
            assertThat(files()).as("what it left").containsExactly("gid-fe80000000000000000000000000000a");
            assertThat(a.lostPeers()).isEqualTo(life + 1);
            child = open("echo", "b", "a");
        }
    }

    /** Frames are whole or not there at all. */
    @Test
    void aPeerThatIsKilledInTheMiddleOfItsStream() throws Exception {
        final ShmCarrier a = carrier(A);
        final int mappings = MappedMemory.mappedCount();
        for (int life = 0; life < 3; life++) {
            final Process child = open("stream", "b", "a");
            final long[] next = {0};
            final FrameReceiver receiver = frame -> ShmPattern.check(frame, next[0]++);
            await("frames", () -> {
                a.poll(receiver, 64);
                return next[0] > 2000;
            });
            child.destroyForcibly().waitFor();
            await("its ring is given back", () -> {
                a.poll(receiver, 64);
                return MappedMemory.mappedCount() <= mappings;
            });
            assertThat(a.brokenRings()).isZero();
        }
    }

    /** It is not dead; so it costs what is in its ring, and goes on where it was. */
    @Test
    void aPeerThatIsStopped() throws Exception {
        final ShmCarrier a = carrier(A);
        final Process child = open("echo", "b", "a");
        final Lane lane = a.lane(A, B);
        exchange(a, lane, 100);
        signal(child, "STOP");
        final long[] sent = {0, 0};
        while (ShmPattern.send(lane, sent[0])) {
            sent[0]++;
        }
        receiveNone(a);
        assertThat(lane.isOpen()).isTrue();
        signal(child, "CONT");
        await("all come back", () -> {
            if (a.poll(frame -> ShmPattern.check(frame, sent[1]++), 64) == 0) {
                a.await(TimeUnit.MILLISECONDS.toNanos(100));
            }
            return sent[1] == sent[0];
        });
    }

    private static void signal(final Process child, final String name) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(child.pid())).start().waitFor()).isZero();
        if (name.equals("STOP")) {
            final Path stat = Path.of("/proc", Long.toString(child.pid()), "stat");
            await("it has stopped", () -> {
                try {
                    return Files.readString(stat).contains(") T ");
                } catch (final IOException e) {
                    throw new AssertionError(e);
                }
            });
        }
    }
}
