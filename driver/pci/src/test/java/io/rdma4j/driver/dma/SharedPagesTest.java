/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.pci.SharedFile;
import io.rdma4j.testing.Patience;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SharedPagesTest {
    private static final int PAGE = 4096;
    private static final int KIB = 1024;
    private static final int FD_CLOEXEC = LibcConstants.O_CLOEXEC;

    private final List<String> said = new ArrayList<>();
    private int fd = -1;
    private int collections;
    private final SharedPages pages = new SharedPages(this::create, () -> collections++, said::add);

    private int create() {
        fd = SharedPages.createFile();
        return fd;
    }

    /** A file of this test's own; that of the process stays open for good. */
    @AfterEach
    void everyPartComesBack() throws InterruptedException {
        awaitUsed(0);
        if (fd >= 0) {
            Libc.close(fd);
        }
    }

    private void awaitUsed(final long bytes) throws InterruptedException {
        awaitFall(pages::usedBytes, bytes);
    }

    private void awaitFall(final LongSupplier what, final long bytes) throws InterruptedException {
        for (int i = 0; i < 1000 && what.getAsLong() > bytes; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(what.getAsLong()).as("%s", pages).isEqualTo(bytes);
    }

    private static SharedFile place(final HostBlock block) {
        return block.shared().orElseThrow(() -> new AssertionError(block + " is not shared"));
    }

    private static String byAnotherProcess(final SharedFile file, final long at, final int length)
        throws IOException, InterruptedException {
        final Process od = new ProcessBuilder("od", "-An", "-v", "-tx1", "-j" + (file.offset() + at), "-N" + length,
            "/proc/" + ProcessHandle.current().pid() + "/fd/" + file.descriptor()).redirectErrorStream(true).start();
        final String text = new String(od.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(Patience.ends(od)).as(text).isTrue();
        return text.replaceAll("\\s+", "");
    }

    @Test
    void anotherProcessSeesWhatIsWrittenAndWhatIsWrittenNext() throws IOException, InterruptedException {
        pages.allocate(3 * PAGE);
        final HostBlock block = pages.allocate(2 * PAGE);
        final UnsafeBuffer bytes = new UnsafeBuffer(block.memory());

        assertThat(byAnotherProcess(place(block), PAGE, 8)).isEqualTo("0000000000000000");
        bytes.putLong(PAGE, 0x1122334455667788L, ByteOrder.BIG_ENDIAN);
        assertThat(byAnotherProcess(place(block), PAGE, 8)).isEqualTo("1122334455667788");
        bytes.putLong(PAGE, -2, ByteOrder.BIG_ENDIAN);
        assertThat(byAnotherProcess(place(block), PAGE, 8)).isEqualTo("fffffffffffffffe");
        assertThat(place(block).descriptor()).isEqualTo(fd);
    }

    @Test
    void memoryIsZeroedAlignedThereAndOrdinary() {
        final HostBlock block = pages.allocate(256 * KIB);
        assertThat(block.address() % PAGE).isZero();
        assertThat(block.memory().capacity()).isEqualTo(256 * KIB);
        assertThat(block.mappedLength()).isEqualTo(256 * KIB);
        assertThat(block.pages()).isEqualTo(PageKind.KB4);
        assertZero(block);
    }

    private static void assertZero(final HostBlock block) {
        final UnsafeBuffer bytes = new UnsafeBuffer(block.memory());
        for (int i = 0; i < bytes.capacity(); i += 8) {
            assertThat(bytes.getLong(i)).as("offset %d", i).isZero();
        }
    }

    @Test
    void whatWasCollectedIsEmptiedAndUsedAgain() throws IOException, InterruptedException {
        final HostBlock first = pages.allocate(2 * PAGE);
        final SharedFile gone = useAndForget(first.mappedLength());
        awaitUsed(first.mappedLength());
        assertThat(byAnotherProcess(gone, 0, 8)).as("the pages are given back").isEqualTo("0000000000000000");
        assertThat(blocksOfFile()).as("units of 512 bytes that the file takes").isEqualTo(2 * PAGE / 512);

        final HostBlock again = pages.allocate(16 * PAGE);

        assertThat(place(again)).isEqualTo(gone);
        assertZero(again);
        assertThat(place(first).offset()).isZero();
    }

    private SharedFile useAndForget(final long offset) {
        final HostBlock block = pages.allocate(16 * PAGE);
        assertThat(place(block).offset()).isEqualTo(offset);
        block.memory().put(0, (byte) 0x5a);
        new UnsafeBuffer(block.memory()).setMemory(0, 16 * PAGE, (byte) 0x5a);
        return place(block);
    }

    private long blocksOfFile() throws IOException, InterruptedException {
        final Process stat = new ProcessBuilder("stat", "-L", "-c%b",
            "/proc/" + ProcessHandle.current().pid() + "/fd/" + fd).redirectErrorStream(true).start();
        final String text = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
        assertThat(Patience.ends(stat)).isTrue();
        return Long.parseLong(text);
    }

    /** A slice is enough: what another block got would be written to otherwise. */
    @Test
    void aPartThatALateWriterHoldsIsNotGivenToAnybody() throws InterruptedException {
        UnsafeBuffer late = new UnsafeBuffer(retired(8 * PAGE).memory().slice(PAGE, 8));
        assertThat(pages.account().now()).isEqualTo(8 * PAGE);
        for (int i = 0; i < 3; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(5);
        }
        final HostBlock next = pages.allocate(8 * PAGE);
        late.putLong(0, -1);
        assertZero(next);
        assertThat(place(next).offset()).isEqualTo(8 * PAGE);
        late = null;
        awaitUsed(8 * PAGE);
        awaitFall(pages.account()::now, 0); // It follows the use.
        assertThat(pages.account().ever()).isEqualTo(8 * PAGE);
        assertThat(place(next).offset()).isEqualTo(8 * PAGE);
    }

    private HostBlock retired(final int length) {
        final HostBlock block = pages.allocate(length);
        block.retire();
        block.retire();
        return block;
    }

    @Test
    void growsAndJoinsParts() throws InterruptedException {
        final int mappings = MappedMemory.mappedCount();
        allocateAll(20, 3 * PAGE);
        awaitUsed(0);
        assertThat(MappedMemory.mappedCount()).isLessThanOrEqualTo(mappings);
        assertThat(pages.toString()).contains("used=0 size=" + 60 * PAGE + " parts=1");

        final HostBlock larger = pages.allocate(100 * PAGE);

        assertThat(place(larger).offset()).as("the free end grows").isZero();
        assertThat(pages.toString()).contains("used=" + 100 * PAGE + " size=" + 100 * PAGE + " parts=0");
        final HostBlock small = pages.allocate(PAGE);
        assertThat(place(small).offset()).isEqualTo(100 * PAGE);
        assertThat(place(larger).offset()).isZero();
    }

    private void allocateAll(final int count, final int length) {
        final List<HostBlock> blocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            blocks.add(pages.allocate(length));
            assertThat(place(blocks.get(i)).offset()).isEqualTo((long) i * length);
        }
    }

    /** Cut off, the file would end the process at the next touch. */
    @Test
    void nobodyCanCutItOffOrSealItAgainstUs() throws IOException {
        final HostBlock block = pages.allocate(4 * PAGE);
        final Path path = Path.of("/proc/self/fd/" + place(block).descriptor());
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            assertThatThrownBy(() -> file.truncate(PAGE)).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> FileCalls.addSeals(fd, LibcConstants.F_SEAL_SHRINK))
            .isInstanceOf(RdmaException.class).hasMessageContaining("fcntl F_ADD_SEALS");
        new UnsafeBuffer(block.memory()).putLong(3 * PAGE, 1);
    }

    @Test
    void oneDescriptorThatIsNotInherited() throws IOException {
        final List<HostBlock> blocks = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            blocks.add(pages.allocate(PAGE));
        }
        assertThat(openFiles(inode(Path.of("/proc/self/fd/" + fd)))).isEqualTo(1);
        assertThat(blocks).extracting(block -> place(block).descriptor())
            .containsOnly(place(blocks.get(0)).descriptor());
        for (final String line : Files.readAllLines(Path.of("/proc/self/fdinfo/" + fd))) {
            if (line.startsWith("flags:")) {
                assertThat(Integer.parseInt(line.replaceAll("[^0-9]", ""), 8) & FD_CLOEXEC).as(line).isNotZero();
            }
        }
        assertThat(blocks).hasSize(50);
    }

    /** Other tests open and close such files at the same time. */
    private static long openFiles(final long inode) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(file -> inode(file) == inode).count();
        }
    }

    private static long inode(final Path file) {
        try {
            return (Long) Files.getAttribute(file, "unix:ino");
        } catch (final IOException closedMeanwhile) {
            return -1;
        }
    }

    @Test
    void whereThereAreNoSuchFilesMemoryIsTakenElsewhereAndItIsSaidOnce() {
        final SharedPages refused = new SharedPages(() -> {
            throw RdmaException.of("memfd_create").detail("seccomp").errno(RdmaException.EPERM).build();
        }, () -> collections++, said::add);
        final JvmPages jvm = new JvmPages(refused);
        final LinuxPages linux = new LinuxPages(Path.of("/sys/kernel/mm"), Path.of("/proc/self/smaps"), refused);

        for (final PageSource source : List.of(jvm, linux, jvm)) {
            final HostBlock block = source.allocateShared(PageKind.KB4, 5 * PAGE);
            assertThat(block.shared()).isEmpty();
            assertThat(block.memory().capacity()).isEqualTo(5 * PAGE);
            assertZero(block);
            new UnsafeBuffer(block.memory()).putLong(4 * PAGE, 1);
        }
        assertThat(said).containsExactly("other processes cannot see rings and tables of this one: memfd_create "
            + "failed: seccomp [EPERM] (said once)");
        assertThatThrownBy(() -> refused.allocate(PAGE)).hasMessageContaining("seccomp");
        assertThat(refused.usedBytes()).isZero();
        assertThat(refused.toString()).isEqualTo("SharedPages[no file]");
    }

    /** Such as RLIMIT_FSIZE makes: /dev/null cannot grow. */
    @Test
    void aFileThatCannotGrowLeavesNothingBehind() {
        final int odd = Libc.open("/dev/null", LibcConstants.O_RDWR);
        try {
            final int mappings = MappedMemory.mappedCount();
            final SharedPages stuck = new SharedPages(() -> odd, () -> collections++, said::add);
            assertThatThrownBy(() -> stuck.allocate(PAGE)).hasMessageContaining("ftruncate");
            assertThat(new JvmPages(stuck).allocateShared(PageKind.KB4, PAGE).shared()).isEmpty();
            assertThat(stuck.usedBytes()).isZero();
            assertThat(MappedMemory.mappedCount()).isLessThanOrEqualTo(mappings);
        } finally {
            Libc.close(odd);
        }
    }

    @Test
    void asksForACollectionWhenMuchWaitsAndNotAgainBeforeMoreDoes() {
        final List<HostBlock> held = new ArrayList<>();
        final int block = (int) (SharedPages.COLLECT_BYTES / 2);
        held.add(retiredUntouched(block));
        held.add(retiredUntouched(block));
        assertThat(collections).isZero();
        pages.allocate(PAGE);
        assertThat(collections).isEqualTo(1);
        pages.allocate(PAGE);
        assertThat(collections).as("it gave nothing back").isEqualTo(1);
        assertThat(held).hasSize(2);
    }

    /** Its pages are given back at once, so that the test costs nothing. */
    private HostBlock retiredUntouched(final int length) {
        final HostBlock block = retired(length);
        FileCalls.punchHole(fd, place(block).offset(), length);
        return block;
    }

    @Test
    void threadsGetPartsOfTheirOwn() throws InterruptedException {
        final int threads = 4;
        final CountDownLatch done = new CountDownLatch(threads);
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int t = 0; t < threads; t++) {
            final int mark = t + 1;
            final Thread thread = new Thread(() -> {
                for (int i = 0; i < 200; i++) {
                    fillAndLookAgain(mark, (1 + i % 7) * PAGE);
                }
                done.countDown();
            });
            thread.setUncaughtExceptionHandler((who, e) -> failure.set(e));
            thread.start();
        }
        while (!done.await(50, TimeUnit.MILLISECONDS) && failure.get() == null) {
            System.gc();
        }
        assertThat(failure.get()).isNull();
    }

    private void fillAndLookAgain(final int mark, final int length) {
        final HostBlock block = pages.allocate(length);
        final UnsafeBuffer bytes = new UnsafeBuffer(block.memory());
        assertThat(bytes.getLong(length - 8)).isZero();
        bytes.setMemory(0, length, (byte) mark);
        Thread.yield();
        for (int i = 0; i < length; i += 512) {
            assertThat(bytes.getByte(i)).as("a page shared by two threads").isEqualTo((byte) mark);
        }
        block.retire();
    }
}
