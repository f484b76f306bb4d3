/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.testing.Allocations;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Completions that endpoints make up themselves. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ReportsTest {
    private static final int STEPS = 20_000;

    @RegisterExtension
    final Queues queues = new Queues();

    private final List<Done> seen = new ArrayList<>();
    private final CompletionReader keep = entry -> seen.add(Done.of(entry));

    @Test
    void allFieldsComeAcrossAndNothingIsLeftOfTheOneBefore() {
        final FabricCompletionQueue queue = queues.open();
        queue.report().set(queues.endpoint, OperationKind.RECEIVE, -1L, 1L << 40).data(-2).source(77).tag(14)
            .failure(FiErrno.FI_ETRUNC, Failures.CLOSED).overflow(13).commit();
        queues.success(queue, OperationKind.SEND, 5).commit();
        assertThat(queue.read(keep, 10)).isEqualTo(2);
        assertThat(seen).containsExactly(
            new Done(queues.endpoint, OperationKind.RECEIVE, -1, 1L << 40, true, -2, 77, 14, 13, FiErrno.FI_ETRUNC,
                Failures.text(FiErrno.FI_ETRUNC, Failures.CLOSED), 0, false),
            new Done(queues.endpoint, OperationKind.SEND, 5, 50, false, 0, FiAddr.NOTAVAIL, 0, 0, 0, "", 0, false));
        assertThat(queue.read(keep, 10)).isZero();
    }

    @Test
    void thousandsAreKeptInOrder() {
        final FabricCompletionQueue queue = queues.open();
        final OperationKind[] kinds = OperationKind.values();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 5_000; i++) {
                queues.success(queue, kinds[i % kinds.length], i).commit();
            }
            seen.clear();
            while (queue.read(keep, 7) > 0) {
                Thread.onSpinWait();
            }
            assertThat(seen).hasSize(5_000);
            for (int i = 0; i < 5_000; i++) {
                assertThat(seen.get(i).context()).isEqualTo(i);
                assertThat(seen.get(i).kind()).isEqualTo(kinds[i % kinds.length]);
            }
        }
    }

    /** A place is free again when the application has read what was in it, and not before. */
    @Test
    void roomComesBackWhenItIsRead() {
        final FabricCompletionQueue queue = queues.open();
        final Room room = new Room(2);
        assertThat(room.take()).isTrue();
        assertThat(room.take()).isTrue();
        assertThat(room.take()).isFalse();
        queues.success(queue, OperationKind.SEND, 1).room(room).commit();
        queues.success(queue, OperationKind.SEND, 2).commit();
        queues.success(queue, OperationKind.SEND, 3).room(room).commit();
        assertThat(queue.read(keep, 0)).isZero();
        assertThat(room.left()).isZero();
        assertThat(queue.read(keep, 2)).isEqualTo(2);
        assertThat(room.left()).isEqualTo(1);
        assertThat(queue.read(keep, 2)).isEqualTo(1);
        assertThat(room.left()).isEqualTo(2);
        assertThat(room.take()).isTrue();
        room.giveBack();
        assertThat(room.left()).isEqualTo(2);
    }

    /** A failure is in its place between the others, whichever way they are read. */
    @Test
    void failuresAreInTheirPlace() {
        final FabricCompletionQueue queue = queues.open();
        final UnsafeBuffer entries = new UnsafeBuffer(new byte[400]);
        for (int i = 1; i <= 5; i++) {
            final Report report = queues.success(queue, OperationKind.SEND, i);
            (i % 3 == 0 ? report.failure(FiErrno.FI_EIO, Failures.LANE_LOST) : report).commit();
        }
        assertThat(queue.readError(keep)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(queue.read(entries, 0, 10)).isEqualTo(2);
        assertThat(entries.getLong(40)).isEqualTo(2);
        assertThat(queue.read(entries, 0, 10)).isEqualTo(-FiErrno.FI_EAVAIL);
        assertThat(queue.readFrom(entries, 0, 1, new long[1])).isEqualTo(-FiErrno.FI_EAVAIL);
        assertThat(queue.readError(keep)).isEqualTo(1);
        assertThat(queue.readError(keep)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(queue.read(entries, 0, 1)).isEqualTo(1);
        assertThat(queue.read(keep, 9)).isEqualTo(1);
        assertThat(queue.read(entries, 0, 1)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(seen).extracting(Done::context).containsExactly(3L, 5L);
        assertThat(seen).extracting(Done::errno).containsExactly(FiErrno.FI_EIO, 0);
    }

    /** A ring that always has something does not keep the others waiting. */
    @Test
    void ringsTakeTurns() {
        final FabricCompletionQueue queue = queues.open();
        final OpRing busy = new OpRing(queues.endpoint, queue, 64);
        final OpRing other = new OpRing(queues.endpoint, queue, 64);
        busy.done(busy.claim(OperationKind.SEND, 1, 0, null), 0, 0);
        other.done(other.claim(OperationKind.READ, 2, 0, null), 0, 0);
        for (int i = 0; i < 40 && seen.stream().noneMatch(one -> one.context() == 2); i++) {
            busy.done(busy.claim(OperationKind.SEND, 1, 0, null), 0, 0);
            assertThat(queue.read(keep, 1)).isEqualTo(1);
        }
        assertThat(seen).extracting(Done::context).contains(2L);
    }

    /** They are taken out of the ring by whoever looks for the next one. */
    @Test
    void quietSuccessesAreNotToldAndFailuresAre() {
        final FabricCompletionQueue queue = queues.open();
        final OpRing ring = new OpRing(queues.endpoint, queue, 8);
        for (int round = 0; round < 100; round++) {
            final int first = ring.claim(OperationKind.SEND, 1, 0, null);
            final int second = ring.claim(OperationKind.SEND, 2, 0, null);
            final int third = ring.claim(OperationKind.SEND, 3, 0, null);
            ring.flag(first, OpRing.QUIET);
            ring.flag(second, OpRing.QUIET);
            ring.done(second, round % 2 == 0 ? 0 : FiErrno.FI_EIO, 0);
            assertThat(queue.read(keep, 9)).isZero();
            ring.done(first, 0, 0);
            ring.done(third, 0, 0);
            assertThat(queue.read(keep, 9)).isEqualTo(1 + round % 2);
            assertThat(ring.size()).isZero();
        }
        final int alone = ring.claim(OperationKind.SEND, 1, 0, null);
        ring.flag(alone, OpRing.QUIET);
        ring.done(alone, 0, 0);
        assertThat(ring.size()).as("gone without a read").isZero();
    }

    /** Whose last completion was read by a limit that it just met is still looked at, and has nothing to tell. */
    @Test
    void quietSuccessesMakeRoomWhileTheRingIsRead() {
        final FabricCompletionQueue queue = queues.open();
        final OpRing ring = new OpRing(queues.endpoint, queue, 4);
        ring.done(ring.claim(OperationKind.SEND, 1, 0, null), 0, 0);
        assertThat(queue.read(keep, 1)).isEqualTo(1);
        for (int i = 0; i < 4; i++) {
            final int quiet = ring.claim(OperationKind.SEND, 2, 0, null);
            ring.flag(quiet, OpRing.QUIET);
            ring.done(quiet, 0, 0);
        }
        assertThat(queue.read(keep, 0)).isZero();
        assertThat(ring.isFull()).isFalse();
        assertThat(ring.size()).isZero();
    }

    @Test
    void queueIsNotReadOutOfItsOwnReader() {
        final FabricCompletionQueue queue = queues.open();
        final UnsafeBuffer entries = new UnsafeBuffer(new byte[40]);
        queues.success(queue, OperationKind.SEND, 1).commit();
        queues.success(queue, OperationKind.SEND, 2).commit();
        final List<Integer> codes = new ArrayList<>();
        assertThat(queue.read(entry -> {
            codes.add(queue.read(keep, 1));
            codes.add(queue.read(entries, 0, 1));
            codes.add(queue.readError(keep));
            codes.add(queue.arm());
            // What comes out of the reader itself is read in the same call.
            if (entry.context() == 1) {
                queues.success(queue, OperationKind.SEND, 3).commit();
            }
        }, 5)).isEqualTo(3);
        assertThat(codes).containsExactly(-22, -22, -22, -11, -22, -22, -22, -11, -22, -22, -22, -11);
    }

    @Test
    void allocatesNothing() {
        final FabricCompletionQueue queue = queues.open();
        final Room room = new Room(8);
        final UnsafeBuffer entries = new UnsafeBuffer(new byte[400]);
        final long[] sources = new long[8];
        final long[] sum = new long[1];
        final CompletionReader reader = entry -> sum[0] += entry.context();
        final Runnable step = () -> {
            for (int i = 0; i < 4 && room.take(); i++) {
                queues.success(queue, OperationKind.RECEIVE, i).source(i).data(i).room(room).commit();
            }
            queues.success(queue, OperationKind.READ, 9).failure(FiErrno.FI_EIO, Failures.CLOSED).commit();
            sum[0] += queue.read(entries, 0, 2) + queue.readFrom(entries, 0, 8, sources) + queue.read(entries, 0, 1);
            sum[0] += queue.readError(reader) + queue.read(reader, 4) + queue.readError(reader);
        };
        assertThat(Allocations.perStep(STEPS, step)).as("bytes").isZero();
        assertThat(sum[0]).isNegative();
        assertThat(room.left()).isEqualTo(8);
    }
}
