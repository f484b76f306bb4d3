/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.Failing.assertFails;
import static io.rdma4j.driver.libc.Failing.offHeap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalSocketsTest {
    @TempDir
    private Path folder;

    private Fd listener;
    private Fd one;
    private Fd two;
    private final UnsafeBuffer out = offHeap(64);
    private final UnsafeBuffer in = offHeap(64);
    private final PassedFiles files = new PassedFiles();

    @BeforeEach
    void connect() {
        final String path = folder.resolve("socket").toString();
        listener = LocalSockets.listen(path, 2);
        assertThat(LocalSockets.accept(listener.fd())).isNull();
        one = LocalSockets.connect(path);
        two = LocalSockets.accept(listener.fd());
    }

    @AfterEach
    void close() {
        files.close();
        one.close();
        two.close();
        listener.close();
    }

    @Test
    void bytesArriveInOrderAndTheEndIsSeen() {
        out.putLong(8, 0x1122_3344_5566_7788L);
        assertThat(LocalSockets.receive(two.fd(), in, 0, 64, files)).isEqualTo(-RdmaException.EAGAIN);
        assertThat(LocalSockets.send(one.fd(), out, 8, 8)).isEqualTo(8);
        assertThat(LocalSockets.receive(two.fd(), in, 3, 3, files)).isEqualTo(3);
        assertThat(LocalSockets.receive(two.fd(), in, 6, 58, files)).isEqualTo(5);
        assertThat(in.getLong(3)).isEqualTo(out.getLong(8));
        assertThat(files.count()).isZero();
        one.close();
        assertThat(LocalSockets.receive(two.fd(), in, 0, 64, files)).isZero();
        assertThat(LocalSockets.send(two.fd(), out, 0, 8)).as("EPIPE, and no signal").isEqualTo(-32);
    }

    @Test
    void filesComeWithTheFirstByteOfTheirMessage() throws IOException {
        try (EventFd event = EventFd.create(); Fd memory = Fd.of(Libc.memfdCreate("passed", 0), "passed")) {
            Libc.ftruncate(memory.fd(), 12_345);
            LocalSockets.send(one.fd(), out, 0, 8);
            LocalSockets.send(one.fd(), out, 0, 8, event.fd(), memory.fd());
            assertThat(LocalSockets.receive(two.fd(), in, 0, 8, files)).isEqualTo(8);
            assertThat(files.count()).isZero();
            assertThat(LocalSockets.receive(two.fd(), in, 0, 1, files)).isEqualTo(1);
            assertThat(files.count()).isEqualTo(2);
            assertThat(LocalSockets.receive(two.fd(), in, 0, 64, files)).isEqualTo(7);
            try (EventFd passed = EventFd.of(files.takeFirst()); Fd second = files.takeFirst()) {
                passed.signal();
                assertThat(event.read()).isOne();
                assertThat(FileCalls.seekEnd(second.fd())).isEqualTo(12_345);
                assertThat(ProcSelf.flags(second.fd()) & LibcConstants.O_CLOEXEC).isNotZero();
            }
            assertFails("take file", "EINVAL", files::takeFirst);
        }
    }

    @Test
    void filesThatNobodyTakesAreClosed() {
        final int before = Fd.openCount();
        LocalSockets.send(one.fd(), out, 0, 8, one.fd(), one.fd());
        LocalSockets.receive(two.fd(), in, 0, 8, files);
        assertThat(Fd.openCount()).isEqualTo(before + 2);
        files.close();
        assertThat(Fd.openCount()).isEqualTo(before);
    }

    @Test
    void asManyFilesAsThereIsRoomForGoAtOnce() {
        final int[] many = IntStream.generate(one::fd).limit(PassedFiles.MAX).toArray();
        LocalSockets.send(one.fd(), out, 0, 8, many);
        LocalSockets.receive(two.fd(), in, 0, 8, files);
        assertThat(files.count()).isEqualTo(PassedFiles.MAX);
        assertThat(files.isCutOff()).isFalse();
        final int[] more = IntStream.generate(one::fd).limit(PassedFiles.MAX + 1).toArray();
        assertFails("sendmsg", "EINVAL", () -> LocalSockets.send(one.fd(), out, 0, 8, more));
    }

    @Test
    void whatIsNoEventfdIsRefusedAndStaysTheCallers() {
        try (Fd memory = Fd.of(Libc.memfdCreate("no-event", 0), "no-event")) {
            assertFails("take eventfd", "EINVAL", () -> EventFd.of(memory));
            assertThat(FileCalls.seekEnd(memory.fd())).isZero();
        }
    }

    @Test
    void pathsThatCannotBeFail() {
        final String path = folder.resolve("socket").toString();
        assertFails("listen at socket", "EADDRINUSE", () -> LocalSockets.listen(path, 1));
        assertThatThrownBy(() -> LocalSockets.listen(path, 1)).hasMessageContaining(
            "another process serves there [EADDRINUSE]; end that process, or take another path");
        assertThatThrownBy(() -> LocalSockets.listen(folder.toString(), 1))
            .hasMessageContaining("it is there, and is no socket [EADDRINUSE]; remove it, or take another path");
        final String tooLong = folder.resolve("x".repeat(108)).toString();
        assertFails("listen at socket", "EINVAL", () -> LocalSockets.listen(tooLong, 1));
        assertFails("connect", "ENOENT", () -> LocalSockets.connect(folder.resolve("none").toString()));
        listener.close();
        assertThat(Files.exists(folder.resolve("socket"))).as("its file is left").isTrue();
        assertThat(catchErrno(path)).as("ECONNREFUSED").isEqualTo(111);
    }

    private static int catchErrno(final String path) {
        try {
            LocalSockets.connect(path).close();
            return 0;
        } catch (final RdmaException e) {
            return e.errno();
        }
    }

    @Test
    void buffersAreChecked() {
        assertFails("sendmsg", "EINVAL", () -> LocalSockets.send(one.fd(), out, 60, 8));
        assertFails("sendmsg", "EINVAL", () -> LocalSockets.send(one.fd(), out, 0, 0));
        assertFails("recvmsg", "EINVAL", () -> LocalSockets.receive(one.fd(), in, -1, 8, files));
        assertFails("recvmsg", "EBADF", () -> LocalSockets.receive(-1, in, 0, 8, files));
    }
}
