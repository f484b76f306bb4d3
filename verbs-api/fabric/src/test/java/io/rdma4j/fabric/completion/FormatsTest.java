/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.CqFormat;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.WaitObject;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What is written for a completion, byte by byte, and what a queue cannot be opened or read with. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FormatsTest {
    private static final byte UNTOUCHED = 0x5a;

    @RegisterExtension
    final Queues queues = new Queues();

    private static UnsafeBuffer untouched(final int bytes) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[bytes]);
        buffer.setMemory(0, bytes, UNTOUCHED);
        return buffer;
    }

    /** Flags: FI_SEND 1 << 11, FI_RECV 1 << 10, FI_WRITE 1 << 9, FI_READ 1 << 8, FI_MSG 2, FI_RMA 4, FI_ATOMIC 16. */
    @ParameterizedTest
    @CsvSource({"SEND, 0x802", "RECEIVE, 0x402", "READ, 0x104", "WRITE, 0x204", "ATOMIC, 0x110",
        "ATOMIC_UPDATE, 0x210", "REMOTE_WRITE, 0x2004", "TAGGED_SEND, 0x808", "TAGGED_RECEIVE, 0x408"})
    void structures(final OperationKind kind, final String flags) {
        for (final CqFormat format : CqFormat.values()) {
            final FabricCompletionQueue queue = queues.open(new CqAttributes().format(format));
            assertThat(queue.format()).isEqualTo(format == CqFormat.UNSPEC ? CqFormat.DATA : format);
            final int size = format.size();
            final UnsafeBuffer entries = untouched(16 + 2 * size);
            queues.success(queue, kind, 0x1122334455667788L).commit();
            queue.report().set(queues.endpoint, kind, 2, 20).data(-3).source(9).tag(-8).buffer(77, true).commit();
            final long[] sources = new long[2];
            assertThat(queue.readFrom(entries, 8, 2, sources)).isEqualTo(2);
            assertThat(sources).containsExactly(FiAddr.NOTAVAIL, 9);
            assertThat(entries.getLong(8)).isEqualTo(0x1122334455667788L);
            assertThat(entries.getLong(8 + size)).isEqualTo(2);
            if (size > 8) {
                assertThat(entries.getLong(16)).isEqualTo(Long.decode(flags));
                assertThat(entries.getLong(24 + size)).isEqualTo(20);
                assertThat(entries.getLong(16 + size)).isEqualTo(Long.decode(flags) | 1 << 17 | 1 << 16);
            }
            if (size > 24) {
                assertThat(entries.getLong(32)).isZero();
                assertThat(entries.getLong(32 + size)).isEqualTo(77);
                assertThat(entries.getLong(40)).isZero();
                assertThat(entries.getLong(40 + size)).as("64 bits").isEqualTo(0xffff_fffdL);
            }
            if (size > 40) {
                assertThat(entries.getLong(48)).isZero();
                assertThat(entries.getLong(48 + size)).isEqualTo(-8);
            }
            assertThat(entries.getByte(7)).isEqualTo(UNTOUCHED);
            assertThat(entries.getByte(8 + 2 * size)).isEqualTo(UNTOUCHED);
        }
    }

    @Test
    void badBuffersAreRefusedAndNothingIsTaken() {
        final FabricCompletionQueue queue = queues.open();
        final UnsafeBuffer entries = untouched(81);
        queues.success(queue, OperationKind.SEND, 1).commit();
        final int[][] ranges = {{0, 0}, {0, -1}, {-1, 1}, {42, 1}, {0, 3}, {Integer.MAX_VALUE, 1},
            {0, Integer.MAX_VALUE}, {81, 1}, {Integer.MIN_VALUE, 1}};
        for (final int[] range : ranges) {
            assertThat(queue.read(entries, range[0], range[1])).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(queue.awaitRead(entries, range[0], range[1], Duration.ZERO)).isEqualTo(-FiErrno.FI_EINVAL);
        }
        assertThat(queue.read(null, 0, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(queue.read(new UnsafeBuffer(ByteBuffer.allocateDirect(81).asReadOnlyBuffer()), 0, 1))
            .isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(queue.readFrom(entries, 0, 2, null)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(queue.readFrom(entries, 0, 2, new long[1])).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(queue.readError(null)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(queue.awaitRead(entries, 0, 1, null)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(queue.awaitRead(null, 1, Duration.ZERO)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(queue.read(entries, 41, 1)).isEqualTo(1);
        assertThat(entries.getByte(40)).isEqualTo(UNTOUCHED);
    }

    @Test
    void closedQueues() {
        final FabricCompletionQueue queue = queues.open(new CqAttributes().waitObject(WaitObject.FD));
        final UnsafeBuffer entries = untouched(80);
        queue.close();
        queue.close();
        assertThat(queue.read(entries, 0, 1)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(queue.readFrom(entries, 0, 1, null)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(queue.readError(null)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(queue.awaitRead(entries, 0, 1, Duration.ofDays(1))).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(queue.awaitRead(entry -> { }, 1, Duration.ofDays(1))).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(queue.tryWait()).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(queue.fd()).isEqualTo(-1);
        queue.signal();
        queue.wake();
        assertThat(queue.isClosed()).isTrue();
    }

    private void refused(final int errno, final CqAttributes attributes) {
        assertThatThrownBy(() -> queues.domain.openCompletionQueue(attributes))
            .isInstanceOfSatisfying(FabricException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void whatIsNotOffered() {
        refused(FiErrno.FI_ENOSYS, new CqAttributes().waitObject(WaitObject.MUTEX_COND));
        refused(FiErrno.FI_EINVAL, new CqAttributes().format(null));
        refused(FiErrno.FI_EINVAL, new CqAttributes().waitObject(null));
        refused(FiErrno.FI_EINVAL, new CqAttributes().size(-1));
        refused(FiErrno.FI_EINVAL, null);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "UNSPEC", "YIELD", "FD"})
    void waitObjects(final WaitObject way) {
        final FabricCompletionQueue queue = queues.open(new CqAttributes().waitObject(way).size(0));
        assertThat(queue.waitObject()).isEqualTo(way);
        assertThat(queue.fd() >= 0).isEqualTo(way == WaitObject.FD);
        assertThat(queue.tryWait()).isEqualTo(way == WaitObject.FD ? 0 : -FiErrno.FI_ENOSYS);
        final int nothing = way == WaitObject.NONE ? -FiErrno.FI_ENOSYS : -FiErrno.FI_EAGAIN;
        final Duration shortly = Duration.ofMillis(3);
        assertThat(queue.awaitRead(entry -> { }, 1, shortly)).isEqualTo(nothing);
        assertThat(queue.awaitRead(untouched(40), 0, 1, shortly)).isEqualTo(nothing);
        assertThat(queue.awaitRead(untouched(40), 0, 1, Duration.ofSeconds(-1))).isEqualTo(nothing);
        queues.success(queue, OperationKind.SEND, 1).commit();
        assertThat(queue.awaitRead(untouched(40), 0, 1, shortly))
            .isEqualTo(way == WaitObject.NONE ? -FiErrno.FI_ENOSYS : 1);
    }
}
