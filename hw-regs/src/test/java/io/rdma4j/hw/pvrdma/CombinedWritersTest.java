/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.layout.Words;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.ObjIntConsumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written as a whole is what its fields would be, over an array and over native memory. */
@Timeout(60)
class CombinedWritersTest {
    private static final int LENGTH = 256;
    private static final int BASE = 24;

    private static UnsafeBuffer buffer(boolean isNative) {
        final UnsafeBuffer buffer = new UnsafeBuffer(
            isNative ? ByteBuffer.allocateDirect(LENGTH) : ByteBuffer.allocate(LENGTH));
        buffer.setMemory(0, LENGTH, (byte) 0xee);
        return buffer;
    }

    private static void assertSame(ObjIntConsumer<UnsafeBuffer> whole, ObjIntConsumer<UnsafeBuffer> fields) {
        for (boolean isNative : new boolean[] {false, true}) {
            final UnsafeBuffer left = buffer(isNative);
            final UnsafeBuffer right = buffer(!isNative);
            whole.accept(left, BASE);
            fields.accept(right, BASE);
            for (int i = 0; i < LENGTH; i++) {
                assertThat(left.getByte(i)).as("byte %d, native %s", i, isNative).isEqualTo(right.getByte(i));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void sendHeader(long seed) {
        final Random random = new Random(seed);
        final long wrId = random.nextLong();
        final int sges = random.nextInt();
        final int opcode = random.nextInt();
        final int flags = random.nextInt();
        assertSame((b, at) -> SqWqe.header(b, at, wrId, sges, opcode, flags), (b, at) -> {
            b.setMemory(at, SqWqe.UNION_OFFSET, (byte) 0);
            SqWqe.wrId(b, at, wrId);
            SqWqe.numSge(b, at, sges);
            SqWqe.opcode(b, at, opcode);
            SqWqe.sendFlags(b, at, flags);
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void writesAndReads(long seed) {
        final Random random = new Random(seed);
        final long address = random.nextLong();
        final int rkey = random.nextInt();
        assertSame((b, at) -> SqWqe.rdma(b, at, address, rkey), (b, at) -> {
            SqWqe.rdmaRemoteAddr(b, at, address);
            SqWqe.rdmaRkey(b, at, rkey);
            b.setMemory(at + SqWqe.RDMA_RKEY_OFFSET + 4, 4, (byte) 0);
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void receivesAndEntries(long seed) {
        final Random random = new Random(seed);
        final long address = random.nextLong();
        final int length = random.nextInt();
        final int lkey = random.nextInt();
        assertSame((b, at) -> Sge.set(b, at, address, length, lkey), (b, at) -> {
            Sge.addr(b, at, address);
            Sge.length(b, at, length);
            Sge.lkey(b, at, lkey);
        });
        assertSame((b, at) -> RqWqe.header(b, at, address, length), (b, at) -> {
            RqWqe.wrId(b, at, address);
            RqWqe.numSge(b, at, length);
            b.setMemory(at + RqWqe.NUM_SGE_OFFSET + 4, 4, (byte) 0);
        });
    }

    @Test
    void aCqeIsReadByItsAddressToo() {
        final UnsafeBuffer cqe = buffer(true);
        final long address = cqe.addressOffset() + BASE;
        Cqe.wrId(cqe, BASE, 0x1122334455667788L);
        Cqe.qp(cqe, BASE, 0xffff_ffff_8000_0007L);
        Cqe.opcode(cqe, BASE, -2);
        Cqe.status(cqe, BASE, 0x80000005);
        Cqe.byteLen(cqe, BASE, 0xfedcba98);
        assertThat(CqeWords.wrId(address)).isEqualTo(0x1122334455667788L);
        assertThat(CqeWords.qp(address)).isEqualTo(0x80000007);
        assertThat(CqeWords.opcode(address)).isEqualTo(-2);
        assertThat(CqeWords.status(address)).isEqualTo(0x80000005);
        assertThat(CqeWords.byteLen(address)).isEqualTo(0xfedcba98);
        assertThat(Words.getLong(address + Cqe.OPCODE_OFFSET)).isEqualTo(Words.pair(-2, 0x80000005));
        Words.put(address, 0x0102030405060708L);
        assertThat(Cqe.wrId(cqe, BASE)).isEqualTo(0x0102030405060708L);
    }

    /** Tests run with Agrona's checks on. */
    @Test
    void nothingIsWrittenOutsideOfTheBuffer() {
        assertThat(UnsafeBuffer.SHOULD_BOUNDS_CHECK).isTrue();
        for (boolean isNative : new boolean[] {false, true}) {
            final UnsafeBuffer b = buffer(isNative);
            for (int at : new int[] {-41, LENGTH - 8, LENGTH, Integer.MIN_VALUE, Integer.MAX_VALUE - 8}) {
                refused(() -> SqWqe.header(b, at, 1, 1, 1, 1));
                refused(() -> SqWqe.rdma(b, at, 1, 1));
                refused(() -> Sge.set(b, at, 1, 1, 1));
                refused(() -> RqWqe.header(b, at, 1, 1));
                refused(() -> Words.putLong(b, at, 4, 1));
                refused(() -> Words.getLong(b, at, 4));
                refused(() -> Words.putInt(b, at, 8, 1));
                refused(() -> Words.getInt(b, at, 8));
            }
            for (int i = 0; i < LENGTH; i++) {
                assertThat(b.getByte(i)).as("byte %d", i).isEqualTo((byte) 0xee);
            }
        }
    }

    private static void refused(Runnable access) {
        assertThatThrownBy(access::run).isInstanceOf(IndexOutOfBoundsException.class).hasMessageMatching(".*\\d.*");
    }
}
