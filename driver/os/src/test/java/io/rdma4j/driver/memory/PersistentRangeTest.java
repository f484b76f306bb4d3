/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FencedPages;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.testing.Patience;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On whatever the build folder is on, a disk as a rule, and on tmpfs. */
class PersistentRangeTest {
    private static final int PAGE = (int) Libc.pageSize();
    private static final int PAGES = 4;
    private static final int RW = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;
    private static final Path SHM = Path.of("/dev/shm");

    private static RdmaException refusal(final int errno, final ThrowingCallable call) {
        final RdmaException e = catchThrowableOfType(RdmaException.class, call);
        assertThat(e).as("it must be refused").isNotNull();
        assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno);
        return e;
    }

    private static Path buildFolder() throws IOException {
        return Files.createDirectories(Path.of(System.getProperty("basedir", "."), "target").toAbsolutePath());
    }

    /** A file of some pages in a folder, deleted afterwards. */
    private static final class TestFile implements AutoCloseable {
        final Path path;
        final Fd fd;
        final MappedMemory mapped;
        final UnsafeBuffer bytes;

        TestFile(final Path folder, final int protection) throws IOException {
            this(folder, protection, 0);
        }

        /** Mapped over what is at an address; anywhere at 0. */
        TestFile(final Path folder, final int protection, final long fixed) throws IOException {
            path = Files.createTempFile(folder, "persistent", ".bin");
            Files.write(path, new byte[PAGES * PAGE]);
            fd = Fd.open(path.toString(), LibcConstants.O_RDWR);
            mapped = MappedMemory.map(fixed, PAGES * PAGE, protection,
                LibcConstants.MAP_SHARED | (fixed == 0 ? 0 : LibcConstants.MAP_FIXED), fd.fd(), 0);
            bytes = new UnsafeBuffer(mapped.address(), PAGES * PAGE);
        }

        long address() {
            return mapped.address();
        }

        /** What the kernel would write: kilobytes in pages that were changed and are not in the file yet. */
        long changed() throws IOException {
            long dirty = -1;
            for (final String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
                if (line.startsWith(Long.toHexString(address()) + "-")) {
                    dirty = 0;
                } else if (dirty >= 0 && line.matches("(Private|Shared)_Dirty:.*")) {
                    dirty += Long.parseLong(line.replaceAll("[^0-9]", ""));
                } else if (dirty >= 0 && line.startsWith("VmFlags:")) {
                    return dirty;
                }
            }
            throw new AssertionError(mapped + " is not in smaps");
        }

        /** More than once, as the kernel may write pages whenever it likes to. */
        void isChangedBy(final Runnable store) throws IOException {
            for (int attempt = 0; attempt < 5; attempt++) {
                store.run();
                if (changed() > 0) {
                    return;
                }
            }
            throw new AssertionError("no page of " + path + " is told to be changed");
        }

        @Override
        public void close() throws IOException {
            mapped.close();
            fd.close();
            Files.deleteIfExists(path);
        }
    }

    private static void writesAndFlushes(final Path folder) throws IOException, InterruptedException {
        try (TestFile file = new TestFile(folder, RW)) {
            final PersistentRange range = PersistentRange.of(file.address() + 10, 2 * PAGE);
            final boolean onDisk = range.outlivesPowerLoss();
            assertThat(range.files()).containsExactly(file.path);
            range.flush();
            file.isChangedBy(() -> file.bytes.putLong(PAGE + 8, 0x1122334455667788L));
            range.flush(file.address() + PAGE + 8, Long.BYTES);
            if (onDisk) {
                assertThat(file.changed()).as("kilobytes that are not in the file").isZero();
            }
            try (FileChannel channel = FileChannel.open(file.path, StandardOpenOption.READ)) {
                final ByteBuffer read = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
                assertThat(channel.read(read, PAGE + 8)).isEqualTo(Long.BYTES);
                assertThat(read.getLong(0)).isEqualTo(0x1122334455667788L);
            }
            assertThat(byAnotherProcess(file.path, PAGE + 8)).isEqualTo("8877665544332211");
        }
    }

    private static String byAnotherProcess(final Path path, final int offset)
            throws IOException, InterruptedException {
        final Process od = new ProcessBuilder("od", "-An", "-tx1", "-j" + offset, "-N8", path.toString())
            .redirectErrorStream(true).start();
        final String text = new String(od.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(Patience.ends(od)).as(text).isTrue();
        return text.replaceAll("\\s", "");
    }

    @Test
    void whatIsFlushedIsInTheFile() throws IOException, InterruptedException {
        writesAndFlushes(buildFolder());
    }

    @Test
    void whatIsFlushedIsInTheFileOfATmpfs() throws IOException, InterruptedException {
        writesAndFlushes(SHM);
        try (TestFile file = new TestFile(SHM, RW)) {
            assertThat(PersistentRange.of(file.address(), 1).outlivesPowerLoss()).isFalse();
        }
    }

    /** What a device wrote into a page that the kernel believes unchanged is written all the same. */
    @Test
    void afterDmaAllPagesAreWritten() throws IOException {
        try (TestFile file = new TestFile(buildFolder(), RW)) {
            final PersistentRange range = PersistentRange.of(file.address(), PAGES * PAGE);
            range.flush();
            // What flushAfterDma relies on: the advice alone makes the page one that has to be written.
            file.isChangedBy(() -> Libc.madvise(file.address(), PAGE, LibcConstants.MADV_POPULATE_WRITE));
            range.flushAfterDma(file.address(), PAGES * PAGE);
            if (range.outlivesPowerLoss()) {
                assertThat(file.changed()).isZero();
            }
        }
    }

    @Test
    void anonymousAndPrivateMemoryIsRefused(@TempDir final Path folder) throws IOException {
        try (MappedMemory anonymous = MappedMemory.anonymous(PAGE)) {
            assertThat(refusal(RdmaException.EINVAL, () -> PersistentRange.of(anonymous.address(), PAGE)))
                .hasMessageContaining("anonymous memory").hasMessageContaining("MAP_SHARED");
        }
        try (TestFile file = new TestFile(folder, RW);
            MappedMemory copy = MappedMemory.map(0, PAGE, RW, LibcConstants.MAP_PRIVATE, file.fd.fd(), 0)) {
            assertThat(refusal(RdmaException.EINVAL, () -> PersistentRange.of(copy.address(), 1)))
                .hasMessageContaining("private mapping of " + file.path);
        }
        try (MappedMemory shared = MappedMemory.map(0, PAGE, RW,
            LibcConstants.MAP_SHARED | LibcConstants.MAP_ANONYMOUS, -1, 0)) {
            assertThat(refusal(RdmaException.EINVAL, () -> PersistentRange.of(shared.address(), PAGE)))
                .hasMessageContaining("without a file");
        }
        assertThat(refusal(RdmaException.EINVAL,
            () -> PersistentRange.of(BufferUtil.address(ByteBuffer.allocateDirect(64)), 64)))
            .hasMessageContaining("anonymous memory");
    }

    @Test
    void aDeletedFileIsRefused(@TempDir final Path folder) throws IOException {
        try (TestFile file = new TestFile(folder, RW)) {
            Files.delete(file.path);
            assertThat(refusal(RdmaException.EINVAL, () -> PersistentRange.of(file.address(), PAGE)))
                .hasMessageContaining("(deleted)");
        }
    }

    @Test
    void whatIsNotMappedOrNoRangeIsRefused() {
        final long gone;
        try (MappedMemory memory = MappedMemory.anonymous(PAGE)) {
            gone = memory.address();
        }
        refusal(RdmaException.EFAULT, () -> PersistentRange.of(Long.MAX_VALUE - 2L * PAGE, PAGE));
        refusal(RdmaException.EINVAL, () -> PersistentRange.of(0, PAGE));
        refusal(RdmaException.EINVAL, () -> PersistentRange.of(gone, 0));
        refusal(RdmaException.EINVAL, () -> PersistentRange.of(gone, -1));
        refusal(RdmaException.EINVAL, () -> PersistentRange.of(-PAGE, PAGE));
        refusal(RdmaException.EINVAL, () -> PersistentRange.of(gone, Long.MAX_VALUE));
    }

    @Test
    void onlyWhatIsWithinIsFlushed(@TempDir final Path folder) throws IOException {
        try (TestFile file = new TestFile(folder, RW)) {
            final PersistentRange range = PersistentRange.of(file.address() + 5, 100);
            final long at = range.address();
            range.flush(at, 100);
            for (final long[] bad : new long[][] {{at - 1, 5}, {at, 101}, {at + 100, 1}, {at + 1, 100}, {at, 0},
                {at, -1}, {at, Long.MAX_VALUE}, {Long.MAX_VALUE, 1}, {Long.MIN_VALUE, 1}}) {
                assertThat(refusal(RdmaException.EINVAL, () -> range.flush(bad[0], bad[1])))
                    .hasMessageContaining("not within").hasMessageContaining(file.path.toString());
                refusal(RdmaException.EINVAL, () -> range.flushAfterDma(bad[0], bad[1]));
            }
        }
    }

    @Test
    void memoryThatWasUnmappedOrCutOffIsToldAndHurtsNobody(@TempDir final Path folder) throws IOException {
        try (FencedPages room = new FencedPages(PAGES)) {
            final PersistentRange range;
            try (TestFile file = new TestFile(folder, RW, room.address())) {
                range = PersistentRange.of(file.address(), PAGES * PAGE);
                Libc.ftruncate(file.fd.fd(), PAGE);
                range.flush();
                assertThat(refusal(RdmaException.EFAULT, () -> range.flushAfterDma(file.address() + PAGE, 1)))
                    .hasMessageContaining("must stay mapped");
            }
            assertThat(refusal(RdmaException.ENOMEM, range::flush)).hasMessageContaining("not mapped");
        }
    }

    @Test
    void aMappingThatMayOnlyBeReadHasNothingFromADevice(@TempDir final Path folder) throws IOException {
        try (TestFile file = new TestFile(folder, LibcConstants.PROT_READ)) {
            final PersistentRange range = PersistentRange.of(file.address(), PAGE);
            range.flush();
            refusal(RdmaException.EINVAL, () -> range.flushAfterDma(range.address(), 1));
        }
    }
}
