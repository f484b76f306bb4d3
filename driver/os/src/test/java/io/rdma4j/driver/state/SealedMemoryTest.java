/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Futex;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.OpenFileLock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What processes share: memory, the word by which they wake each other, and the lock that says who lives. */
@Timeout(60)
class SealedMemoryTest {
    private static final long PID = ProcessHandle.current().pid();
    private static final int LENGTH = 8192;

    @Test
    void bothSeeTheSame() throws IOException {
        try (SealedMemory made = SealedMemory.create("test", LENGTH);
            SealedMemory opened = SealedMemory.open(PID, made.descriptor(), LENGTH, LENGTH)) {
            assertThat(opened.address()).isNotEqualTo(made.address());
            UnsafeApi.putLong(made.address() + LENGTH - 8, 42);
            assertThat(UnsafeApi.getLong(opened.address() + LENGTH - 8)).isEqualTo(42);
            assertThatThrownBy(opened::descriptor).isInstanceOf(RdmaException.class);
            assertThatThrownBy(() -> Libc.ftruncate(made.descriptor(), LENGTH)).isInstanceOf(RdmaException.class);
        }
    }

    @Test
    void otherLengthsAreRefused() {
        try (SealedMemory made = SealedMemory.create("test", LENGTH)) {
            assertThatThrownBy(() -> SealedMemory.open(PID, made.descriptor(), LENGTH + 1, LENGTH * 2))
                .isInstanceOf(IOException.class).hasMessageContaining("has 8192 bytes to share");
            assertThatThrownBy(() -> SealedMemory.open(PID, made.descriptor(), 1, LENGTH - 1))
                .isInstanceOf(IOException.class);
        }
    }

    /** Any process may have given the name. */
    @Test
    void namesGiveNoOrdersToTheTerminal() {
        try (SealedMemory made = SealedMemory.create("test\u001b[2J\u009b2J", LENGTH)) {
            assertThatThrownBy(() -> SealedMemory.open(PID, made.descriptor(), 1, LENGTH - 1))
                .isInstanceOf(IOException.class).message().contains("test?[2J").doesNotContain("\u009b");
        }
    }

    /** Their pages can be taken away, and where the pool is empty a touch is a signal. */
    @Test
    void hugePagesAreRefused() {
        final int made;
        try {
            made = Libc.memfdCreate("huge", LibcConstants.MFD_HUGETLB | LibcConstants.MFD_ALLOW_SEALING);
        } catch (final RdmaException e) {
            assumeThat(false).as("no huge pages here: %s", e.getMessage()).isTrue();
            return;
        }
        try (Fd huge = Fd.of(made, "huge")) {
            Libc.ftruncate(huge.fd(), 4 << 20);
            FileCalls.addSeals(huge.fd(), LibcConstants.F_SEAL_SHRINK);
            assertThatThrownBy(() -> SealedMemory.open(PID, huge.fd(), LENGTH, 4 << 20))
                .isInstanceOf(IOException.class).hasMessageContaining("mmap");
        }
    }

    @Test
    void aWordIsSleptOnUntilItChanges() throws InterruptedException {
        try (SealedMemory made = SealedMemory.create("test", LENGTH)) {
            final Futex futex = new Futex(made.address());
            futex.await(1, TimeUnit.SECONDS.toNanos(50));
            futex.await(0, 1);
            final Thread sleeper = new Thread(() -> {
                while (UnsafeApi.getIntVolatile(null, made.address()) == 0) {
                    futex.await(0, TimeUnit.SECONDS.toNanos(50));
                }
            });
            sleeper.start();
            UnsafeApi.putIntVolatile(null, made.address(), 1);
            new Futex(made.address()).wake();
            sleeper.join();
            assertThatThrownBy(() -> new Futex(made.address() + 1)).isInstanceOf(RdmaException.class);
        }
    }

    @Test
    void aLockIsOfTheOpenFile(@TempDir final Path folder) throws IOException {
        final String file = Files.createFile(folder.resolve("file")).toString();
        final Fd first = Fd.open(file, LibcConstants.O_RDWR);
        try (Fd second = Fd.open(file, LibcConstants.O_RDWR)) {
            final OpenFileLock one = new OpenFileLock(first.fd());
            final OpenFileLock other = new OpenFileLock(second.fd());
            assertThat(other.isHeldElsewhere()).isFalse();
            assertThat(one.tryTake()).isTrue();
            assertThat(one.isHeldElsewhere()).isFalse();
            assertThat(other.isHeldElsewhere()).isTrue();
            assertThat(other.tryTake()).isFalse();
            Fd.open(file, LibcConstants.O_RDWR).close();
            assertThat(other.isHeldElsewhere()).as("another close does not give it back").isTrue();
            first.close();
            assertThat(other.isHeldElsewhere()).isFalse();
            assertThat(other.tryTake()).isTrue();
        } finally {
            first.close();
        }
    }
}
