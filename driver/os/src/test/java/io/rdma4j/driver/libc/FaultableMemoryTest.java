/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.LibcConstants.MAP_ANONYMOUS;
import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED;
import static io.rdma4j.driver.libc.LibcConstants.MAP_PRIVATE;
import static io.rdma4j.driver.libc.LibcConstants.MAP_SHARED;
import static io.rdma4j.driver.libc.LibcConstants.PROT_NONE;
import static io.rdma4j.driver.libc.LibcConstants.PROT_READ;
import static io.rdma4j.driver.libc.LibcConstants.PROT_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicBoolean;

/** Copies where there may be nothing: each of these ends the process if it is made by touching. */
@Timeout(60)
class FaultableMemoryTest {
    private static final int PAGE = 4096;
    private static final int PAGES = 64;

    private final MappedMemory here = MappedMemory.anonymous(PAGES * PAGE);
    private final MappedMemory there = MappedMemory.anonymous(PAGES * PAGE);
    private final UnsafeBuffer ours = new UnsafeBuffer(here.address(), PAGES * PAGE);
    private final UnsafeBuffer theirs = new UnsafeBuffer(there.address(), PAGES * PAGE);

    @AfterEach
    void unmap() {
        here.close();
        there.close();
    }

    private void replace(final int page, final int prot) {
        Libc.mmap(there.address() + (long) page * PAGE, PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    }

    @Test
    void aLibraryWithoutTheseHasTheOthersYet() {
        assertThat(Calls.class.getDeclaredMethods()).extracting(Method::getName)
            .doesNotContain("process_vm_readv", "process_vm_writev").contains("mmap");
    }

    @Test
    void copiesEveryByteAndNoOther() {
        assertThat(FaultableMemory.isAvailable()).isTrue();
        for (int i = 0; i < PAGES * PAGE; i++) {
            ours.putByte(i, (byte) (i * 31 + (i >>> 8)));
        }
        for (final int length : new int[]{0, 1, 7, 8, 9, 15, 16, 17, 4095, 4096, 4097, 70_000, 200_000}) {
            theirs.setMemory(0, PAGES * PAGE, (byte) 0x55);
            assertThat(FaultableMemory.write(here.address() + 3, there.address() + 5, length)).isTrue();
            for (int i = 0; i < PAGES * PAGE; i++) {
                final byte expected = i >= 5 && i < 5 + length ? ours.getByte(i - 2) : 0x55;
                assertThat(theirs.getByte(i)).as("byte %d of %d written", i, length).isEqualTo(expected);
            }
            ours.putByte(0, (byte) 0x77);
            final MappedMemory back = MappedMemory.anonymous(PAGES * PAGE);
            assertThat(FaultableMemory.read(there.address() + 5, back.address() + 1, length)).isTrue();
            assertThat(new UnsafeBuffer(back.address() + 1, length)
                .compareTo(new UnsafeBuffer(here.address() + 3, length))).isZero();
            assertThat(FaultableMemory.copy(there.address() + 5, back.address() + 2, length))
                .isEqualTo(FaultableMemory.Result.COPIED);
            assertThat(new UnsafeBuffer(back.address() + 2, length)
                .compareTo(new UnsafeBuffer(here.address() + 3, length))).isZero();
            back.close();
        }
    }

    @Test
    void saysSoWhereThereIsNothing() {
        replace(1, PROT_NONE);
        replace(2, PROT_READ);
        final long missing = there.address() + PAGE;
        final long readOnly = there.address() + 2 * PAGE;
        for (final int length : new int[]{1, 8, 9, PAGE}) {
            assertThat(FaultableMemory.read(missing, here.address(), length)).isFalse();
            assertThat(FaultableMemory.write(here.address(), missing, length)).isFalse();
            assertThat(FaultableMemory.read(readOnly, here.address(), length)).isTrue();
            assertThat(FaultableMemory.write(here.address(), readOnly, length)).isFalse();
            assertThat(FaultableMemory.copy(missing, here.address(), length))
                .isEqualTo(FaultableMemory.Result.SOURCE_MISSING);
            assertThat(FaultableMemory.copy(here.address(), missing, length))
                .isEqualTo(FaultableMemory.Result.TARGET_MISSING);
        }
        assertThat(FaultableMemory.read(there.address(), here.address(), 2 * PAGE)).as("in part").isFalse();
        assertThat(FaultableMemory.write(here.address(), there.address(), 2 * PAGE)).as("in part").isFalse();
        assertThat(FaultableMemory.write(here.address(), missing - 4, 8)).as("across").isFalse();
        assertThat(theirs.getByte(2 * PAGE)).isZero();
        for (final long nowhere : new long[]{0, 1, 8, -8, Long.MIN_VALUE, Long.MAX_VALUE - 100, 1L << 47, -4096}) {
            assertThat(FaultableMemory.read(nowhere, here.address(), 8)).as("0x%x", nowhere).isFalse();
            assertThat(FaultableMemory.write(here.address(), nowhere, 8)).as("0x%x", nowhere).isFalse();
        }
    }

    /** A touch would be SIGBUS there. */
    @Test
    void behindTheEndOfAFileThereIsNothingEither() {
        try (Fd fd = Fd.of(Libc.memfdCreate("short", 0), "short")) {
            Libc.ftruncate(fd.fd(), PAGE);
            try (MappedMemory file =
                MappedMemory.map(0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd.fd(), 0)) {
                assertThat(FaultableMemory.read(file.address() + PAGE, here.address(), 8)).isFalse();
                assertThat(FaultableMemory.write(here.address(), file.address() + PAGE, 8)).isFalse();
                assertThat(FaultableMemory.write(here.address(), file.address(), PAGE)).isTrue();
                Libc.ftruncate(fd.fd(), 0);
                assertThat(FaultableMemory.read(file.address(), here.address(), 8)).isFalse();
            }
        }
    }

    @Test
    void pagesMayGoAndComeAtAnyTime() throws InterruptedException {
        final AtomicBoolean done = new AtomicBoolean();
        final Thread other = new Thread(() -> {
            for (int round = 0; round < 20_000; round++) {
                replace(round & 3, PROT_NONE);
                replace(round & 3, PROT_READ | PROT_WRITE);
            }
            done.set(true);
        });
        other.start();
        long copied = 0;
        long missed = 0;
        while (!done.get()) {
            final boolean all = FaultableMemory.write(here.address(), there.address(), 4 * PAGE)
                & FaultableMemory.read(there.address() + 100, here.address(), 3 * PAGE);
            copied += all ? 1 : 0;
            missed += all ? 0 : 1;
        }
        Patience.join(other);
        assertThat(copied + missed).isPositive();
        assertThat(FaultableMemory.write(here.address(), there.address(), 4 * PAGE)).isTrue();
    }
}
