/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.Failing.assertFails;
import static io.rdma4j.driver.libc.Failing.offHeap;
import static io.rdma4j.driver.libc.LibcConstants.MFD_ALLOW_SEALING;
import static io.rdma4j.driver.libc.LibcConstants.O_CLOEXEC;
import static io.rdma4j.driver.libc.LibcConstants.O_CREAT;
import static io.rdma4j.driver.libc.LibcConstants.O_DIRECTORY;
import static io.rdma4j.driver.libc.LibcConstants.O_NOFOLLOW;
import static io.rdma4j.driver.libc.LibcConstants.O_NONBLOCK;
import static io.rdma4j.driver.libc.LibcConstants.O_RDONLY;
import static io.rdma4j.driver.libc.LibcConstants.O_RDWR;
import static io.rdma4j.driver.libc.LibcConstants.O_WRONLY;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Native;
import io.rdma4j.testing.Patience;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.FutureTask;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LibcFilesTest {
    private static final int NEVER_OPEN = 1 << 29;
    private static final int BAD = -1;

    @TempDir
    Path dir;

    @Test
    void readsAndWritesWhatTheFileHas() throws Exception {
        final Path path = Files.writeString(dir.resolve("f"), "0123456789");
        final UnsafeBuffer buffer = offHeap(8);
        try (Fd fd = Fd.open(path.toString(), O_RDWR)) {
            assertThat(Libc.read(fd.fd(), buffer, 4)).isEqualTo(4);
            assertThat(buffer.getStringWithoutLengthAscii(0, 4)).isEqualTo("0123");
            assertThat(Libc.write(fd.fd(), buffer, 2)).as("at 4, where reading ended").isEqualTo(2);
            assertThat(Libc.pread(fd.fd(), buffer, 8, 3)).as("7 to the end").isEqualTo(7);
            assertThat(buffer.getStringWithoutLengthAscii(0, 7)).isEqualTo("3016789");
            assertThat(Libc.pwrite(fd.fd(), buffer, 3, 12)).isEqualTo(3);
            assertThat(Libc.pread(fd.fd(), buffer, 8, 100)).as("beyond the end").isZero();
            assertThat(Libc.read(fd.fd(), buffer, 0)).isZero();
        }
        assertThat(path).hasBinaryContent("0123016789\0\000301".getBytes(Charset.forName("US-ASCII")));
    }

    @Test
    void positionsBeyondFourGigabytesArrive() {
        final UnsafeBuffer buffer = offHeap(8);
        try (Fd fd = Fd.of(Libc.memfdCreate("sparse", 0), "sparse")) {
            buffer.putLong(0, 42);
            assertThat(Libc.pwrite(fd.fd(), buffer, 8, 0x2_0000_0010L)).isEqualTo(8);
            buffer.putLong(0, 0);
            assertThat(Libc.pread(fd.fd(), buffer, 8, 0x2_0000_0010L)).isEqualTo(8);
            assertThat(buffer.getLong(0)).isEqualTo(42);
        }
    }

    @Test
    void openSetsCloseOnExecAndTheFlagsItIsGiven() throws Exception {
        try (Fd plain = Fd.open("/dev/null", O_WRONLY); Fd nonBlocking = Fd.open("/dev/null", O_RDONLY | O_NONBLOCK)) {
            assertThat(ProcSelf.flags(plain.fd()) & (O_CLOEXEC | O_NONBLOCK | O_WRONLY))
                .isEqualTo(O_CLOEXEC | O_WRONLY);
            assertThat(ProcSelf.flags(nonBlocking.fd()) & (O_CLOEXEC | O_NONBLOCK)).isEqualTo(O_CLOEXEC | O_NONBLOCK);
        }
    }

    @Test
    void openSaysWhatTheKernelSays() throws Exception {
        final Path file = Files.createFile(dir.resolve("file"));
        final Path link = Files.createSymbolicLink(dir.resolve("link"), file);
        final String missing = dir.resolve("missing").toString();

        assertFails("open", "ENOENT", () -> Libc.open(missing, O_RDWR)).hasMessageContainingAll(missing, "flags 0x2");
        assertFails("open", "EISDIR", () -> Libc.open(dir.toString(), O_RDWR));
        assertFails("open", "ENAMETOOLONG", () -> Libc.open("x".repeat(5000), O_RDONLY));
        // These two flags have another meaning on the other architecture: they prove the table.
        assertFails("open", "ENOTDIR", () -> Libc.open(file.toString(), O_DIRECTORY));
        assertFails("open", "ELOOP", () -> Libc.open(link.toString(), O_NOFOLLOW));
    }

    @Test
    void createMakesAFileForItsOwnerAloneOrNone() throws Exception {
        final Path file = dir.resolve("new");
        try (Fd fd = Fd.create(file.toString())) {
            assertThat(ProcSelf.flags(fd.fd()) & (O_CLOEXEC | O_RDWR)).isEqualTo(O_CLOEXEC | O_RDWR);
            assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
            assertFails("open", "EEXIST", () -> Fd.create(file.toString()));
        }
        final Path target = dir.resolve("target");
        final Path link = Files.createSymbolicLink(dir.resolve("link"), target);
        assertFails("open", "EEXIST", () -> Libc.create(link.toString()));
        assertThat(target).doesNotExist();
    }

    @Test
    void openSaysEaccesToAnOrdinaryUser() throws Exception {
        final Path file = Files.createFile(dir.resolve("closed"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("---------")));
        if (Libc.geteuid() == 0) {
            Libc.close(Libc.open(file.toString(), O_RDWR)); // Nothing is closed to root.
        } else {
            assertFails("open", "EACCES", () -> Libc.open(file.toString(), O_RDWR));
        }
    }

    @Test
    void openRefusesWhatIsNoPath() {
        assertFails("open", "EINVAL", () -> Libc.open(null, O_RDONLY)).hasMessageContaining("no name");
        assertFails("open", "EINVAL", () -> Libc.open("", O_RDONLY)).hasMessageContaining("no name");
        assertFails("open", "EINVAL", () -> Libc.open("/dev/null\0/x", O_RDONLY)).hasMessageContaining("NUL");
        assertFails("open", "EINVAL", () -> Libc.open("/dev/null", O_CREAT)).hasMessageContaining("O_CREAT");
    }

    @Test
    void opensANameBeyondAsciiOrSaysThatItCannotBeWritten() {
        final String name = dir.resolve("Gerät").toString();
        final boolean writable = Charset.forName(System.getProperty("sun.jnu.encoding")).newEncoder().canEncode('ä');
        assertFails("open", writable ? "ENOENT" : "EINVAL", () -> Libc.open(name, O_RDONLY));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, -77, Integer.MIN_VALUE})
    void nothingIsCalledWithANegativeDescriptor(final int fd) {
        final UnsafeBuffer buffer = offHeap(8);
        assertFails("close", "EBADF", () -> Libc.close(fd)).hasMessageContaining(fd + " is no file descriptor");
        assertFails("read", "EBADF", () -> Libc.read(fd, buffer, 8));
        assertFails("write", "EBADF", () -> Libc.write(fd, buffer, 8));
        assertFails("pread", "EBADF", () -> Libc.pread(fd, buffer, 8, 0));
        assertFails("pwrite", "EBADF", () -> Libc.pwrite(fd, buffer, 8, 0));
        assertFails("ftruncate", "EBADF", () -> Libc.ftruncate(fd, 8));
        assertFails("fallocate", "EBADF", () -> Libc.fallocate(fd, 0, 8));
    }

    @Test
    void aDescriptorThatIsNotOpenIsNamed() {
        final UnsafeBuffer buffer = offHeap(8);
        final String named = "fd " + NEVER_OPEN;
        assertFails("close", "EBADF", () -> Libc.close(NEVER_OPEN)).hasMessageContaining(named);
        assertFails("read", "EBADF", () -> Libc.read(NEVER_OPEN, buffer, 8)).hasMessageContaining(named + ", 8 bytes");
        assertFails("write", "EBADF", () -> Libc.write(NEVER_OPEN, buffer, 8)).hasMessageContaining(named);
        assertFails("pread", "EBADF", () -> Libc.pread(NEVER_OPEN, buffer, 8, 16)).hasMessageContaining("at 0x10");
        assertFails("pwrite", "EBADF", () -> Libc.pwrite(NEVER_OPEN, buffer, 8, 16)).hasMessageContaining("at 0x10");
        assertFails("ftruncate", "EBADF", () -> Libc.ftruncate(NEVER_OPEN, 9)).hasMessageContaining("length 9");
        assertFails("fallocate", "EBADF", () -> Libc.fallocate(NEVER_OPEN, 0, 9)).hasMessageContaining("length 9");
    }

    @Test
    void transfersRefuseBuffersThatTheKernelCannotUse() {
        final UnsafeBuffer small = offHeap(8);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[8]);
        try (Fd fd = Fd.of(Libc.memfdCreate("transfers", 0), "transfers")) {
            final int number = fd.fd();
            assertFails("pread", "EINVAL", () -> Libc.pread(number, small, 9, 0)).hasMessageContaining("has 8 bytes");
            assertFails("pwrite", "EINVAL", () -> Libc.pwrite(number, small, -1, 0)).hasMessageContaining("length -1");
            assertFails("pwrite", "EINVAL", () -> Libc.pwrite(number, small, 8, BAD)).hasMessageContaining("position");
            assertFails("read", "EINVAL", () -> Libc.read(number, heap, 8)).hasMessageContaining("on the heap");
            assertFails("write", "EINVAL", () -> Libc.write(number, null, 8)).hasMessageContaining("no buffer");
            assertThat(Libc.read(number, small, 8)).as("nothing was written").isZero();
        }
    }

    @Test
    void transfersSayWhatTheKernelSays() {
        final UnsafeBuffer buffer = offHeap(8);
        final Fd[] pipe = PosixThreads.newPipe();
        try (Fd out = pipe[0]; Fd in = pipe[1]; EventFd event = EventFd.create()) {
            assertFails("pread", "ESPIPE", () -> Libc.pread(out.fd(), buffer, 8, 0));
            assertFails("write", "EBADF", () -> Libc.write(out.fd(), buffer, 8));
            assertFails("read", "EBADF", () -> Libc.read(in.fd(), buffer, 8));
            assertFails("read", "EAGAIN", () -> Libc.read(event.fd(), buffer, 8));
            assertFails("read", "EINVAL", () -> Libc.read(event.fd(), buffer, 4));
        }
    }

    @Test
    void aSignalDoesNotEndARead() throws Exception {
        PosixThreads.needSignalHandler();
        final UnsafeBuffer buffer = offHeap(1);
        final Fd[] pipe = PosixThreads.newPipe();
        final long[] posix = new long[1];
        try (Fd out = pipe[0]; Fd in = pipe[1]) {
            final FutureTask<Long> read = new FutureTask<>(() -> {
                synchronized (posix) {
                    posix[0] = PosixThreads.pthread_self();
                }
                return Libc.read(out.fd(), buffer, 1);
            });
            final Thread reader = new Thread(read, "reader");
            reader.setDaemon(true);
            reader.start();
            int signals = 0;
            while (signals < 20) {
                Thread.sleep(5);
                synchronized (posix) {
                    if (posix[0] != 0) {
                        PosixThreads.interrupt(posix[0]);
                        signals++;
                    }
                }
            }
            assertThat(read.isDone()).as("after %d signals", signals).isFalse();
            Libc.write(in.fd(), offHeap(1), 1);
            assertThat(Patience.get(read)).isOne();
            reader.join();
        }
    }

    @Test
    void makesAFileInMemoryAndGivesItALength() throws Exception {
        try (Fd fd = Fd.of(Libc.memfdCreate("rdma4j-length", MFD_ALLOW_SEALING), "memfd")) {
            final Path path = Path.of("/proc/self/fd/" + fd.fd());
            assertThat(ProcSelf.openFiles("memfd:rdma4j-length")).isOne();
            assertThat(ProcSelf.flags(fd.fd()) & O_CLOEXEC).isEqualTo(O_CLOEXEC);
            Libc.ftruncate(fd.fd(), 12_345);
            assertThat(Files.size(path)).isEqualTo(12_345);
            Libc.fallocate(fd.fd(), 8192, 8192);
            assertThat(Files.size(path)).isEqualTo(16_384);
            Libc.ftruncate(fd.fd(), 0);
            assertThat(Files.size(path)).isZero();
        }
        assertThat(ProcSelf.openFiles("memfd:rdma4j-length")).isZero();
    }

    /** A kernel that ends it at a signal with nothing filled, where signals come faster than it fills large ranges. */
    private static final class OftenInterrupted extends Calls {
        private int interrupted;
        private long filled;

        @Override
        int fallocate(final int fd, final int mode, final long offset, final long length) {
            if (length <= 8 << 20) {
                filled += length;
                return super.fallocate(fd, mode, offset, length);
            }
            if (++interrupted == 1000) {
                throw new AssertionError(length + " bytes were begun again and again");
            }
            Native.setLastError(Errno.EINTR);
            return -1;
        }
    }

    @Test
    void signalsDoNotKeepALargeFileFromBeingFilled() throws Exception {
        final long length = (64 << 20) + 5;
        final OftenInterrupted calls = new OftenInterrupted();
        try (Fd fd = Fd.of(Libc.memfdCreate("rdma4j-filled", 0), "memfd")) {
            final Calls before = Calls.replace(calls);
            try {
                Libc.fallocate(fd.fd(), 4096, length);
            } finally {
                Calls.replace(before);
            }
            assertThat(Files.size(Path.of("/proc/self/fd/" + fd.fd()))).isEqualTo(4096 + length);
        }
        assertThat(calls.filled).isEqualTo(length);
    }

    @Test
    void refusesLengthsAndNamesThatMakeNoSense() throws Exception {
        assertFails("memfd_create", "EINVAL", () -> Libc.memfdCreate(null, 0)).hasMessageContaining("no name");
        assertFails("memfd_create", "EINVAL", () -> Libc.memfdCreate("x", 0x4000))
            .hasMessageContainingAll("x", "0x4000");
        assertFails("memfd_create", "EINVAL", () -> Libc.memfdCreate("x".repeat(300), 0));
        try (Fd fd = Fd.of(Libc.memfdCreate("lengths", 0), "lengths");
                Fd readOnly = Fd.open("/proc/self/exe", O_RDONLY)) {
            assertFails("ftruncate", "EINVAL", () -> Libc.ftruncate(fd.fd(), -1))
                .hasMessageContaining("-1 is negative");
            assertFails("fallocate", "EINVAL", () -> Libc.fallocate(fd.fd(), -1, 1)).hasMessageContaining("offset -1");
            assertFails("fallocate", "EINVAL", () -> Libc.fallocate(fd.fd(), 0, 0)).hasMessageContaining("length 0");
            assertFails("fallocate", "EFBIG", () -> Libc.fallocate(fd.fd(), Long.MAX_VALUE - 1, 10));
            assertFails("ftruncate", "EINVAL", () -> Libc.ftruncate(readOnly.fd(), 0));
        }
    }
}
