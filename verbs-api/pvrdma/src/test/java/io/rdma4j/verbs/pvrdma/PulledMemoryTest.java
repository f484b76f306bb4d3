/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.pvrdma.Range.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.testing.Background;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WcStatus;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Registered memory that the program takes away: a device goes on with the pages that it was told of, or fails the
 * access. It reaches no pages that came later, and nobody gets a signal.
 */
@Timeout(300)
class PulledMemoryTest {
    private static final AccessFlag[] ALL = {LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC};
    private static final long DEADLINE_SECONDS = 240;

    @RegisterExtension
    final Devices devices = new Devices();

    private PvrdmaContext device;
    private ProtectionDomain pd;
    private Reach reach;

    private void open(final String options) {
        device = devices.open(options);
        pd = device.allocatePd();
        reach = new Reach(device, pd);
    }

    private long counted(final Counter counter) {
        return Devices.emulated(device).counters().get(counter);
    }

    private void assertOutOfReach(final MemoryRegion region) {
        assertThat(reach.read(region.iova(), region.rkey(), 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.write(region.iova(), region.rkey(), 8, 9)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.send(region.iova(), 8, region.lkey())).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(reach.sendInto(region.iova(), 8, region.lkey(), 9)).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(reach.fetchAdd(region.iova(), region.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** Whether it comes through as the pattern of a seed. */
    private void assertReads(final MemoryRegion region, final int length, final int seed) {
        assertThat(reach.read(region.iova(), region.rkey(), length)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.firstDifference(0, length, seed)).isEqualTo(-1);
        assertThat(reach.send(region.iova(), length, region.lkey())).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.firstDifference(0, length, seed)).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "extensions=false"})
    void privatePagesThatWereReplacedAreNotReachedAndTheNewOnesNeither(final String options) {
        open(options);
        try (Range range = Range.of(4)) {
            final MemoryRegion region = pd.register(range.address, range.length, ALL);
            range.fill(0, 4 * PAGE, 1);
            assertReads(region, 4 * PAGE, 1);
            assertThat(counted(Counter.MEMORY_REVOKED)).isZero();

            range.map(1, 1);
            range.fill(0, 4 * PAGE, 2);
            assertOutOfReach(region);
            assertThat(range.firstDifference(0, 4 * PAGE, 2)).as("nothing was written").isEqualTo(-1);
            assertThat(counted(Counter.MEMORY_REVOKED)).isEqualTo(1);
            assertThat(counted(Counter.MEMORY_LOST)).isEqualTo(5);

            region.refresh(range.at(PAGE), PAGE);
            assertReads(region, 4 * PAGE, 2);
            range.unmap(0, 4);
            assertOutOfReach(region);
            region.close();
        }
    }

    /** Nor does it help that the range begins in it. */
    @Test
    void anOwnerThatDoesNotHoldTheMemoryKeepsNothing() {
        open("");
        final ByteBuffer elsewhere = ByteBuffer.allocateDirect(PAGE);
        try (Range range = Range.of(4)) {
            final MemoryRegion region = pd.register(range.address, range.length, elsewhere, ALL);
            final MemoryRegion list =
                pd.register(new MrOptions().pages(new PageList().add(range.address, elsewhere), 0, PAGE).access(ALL));
            range.unmap(0, 4);
            assertOutOfReach(region);
            assertOutOfReach(list);
            list.close();
            region.close();
        }
    }

    @Test
    void privatePagesThatAreProtectedAreOutOfReachAsLongAsTheyAre() {
        open("");
        try (Range range = Range.of(4)) {
            final MemoryRegion region = pd.register(range.address, range.length, ALL);
            range.fill(0, PAGE, 1);
            range.protect(0, 4, LibcConstants.PROT_READ);
            assertReads(region, PAGE, 1);
            assertThat(reach.write(region.iova(), region.rkey(), 8, 2)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            assertThat(reach.sendInto(region.iova(), 8, region.lkey(), 2)).isEqualTo(WcStatus.LOC_PROT_ERR);
            range.protect(0, 4, LibcConstants.PROT_NONE);
            assertOutOfReach(region);
            range.protect(0, 4, Range.READ_WRITE);
            assertReads(region, PAGE, 1);
            region.close();
        }
    }

    private static Fd memfd(final boolean sealed, final long length) {
        final Fd file = Fd.of(Libc.memfdCreate("pulled", LibcConstants.MFD_ALLOW_SEALING), "pulled");
        Libc.ftruncate(file.fd(), length);
        if (sealed) {
            FileCalls.addSeals(file.fd(), LibcConstants.F_SEAL_SHRINK);
        }
        return file;
    }

    /** As hardware does that has pinned them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sharedPagesStayReachableWhateverBecomesOfTheMapping(final boolean sealed) {
        open("extensions=false");
        try (Range range = new Range(4 * PAGE); Range view = new Range(4 * PAGE);
            Fd file = memfd(sealed, 4 * PAGE); Fd other = memfd(sealed, 4 * PAGE)) {
            range.share(0, 4, file.fd());
            view.share(0, 4, file.fd());
            final MemoryRegion region = pd.register(range.address, range.length, ALL);
            range.fill(0, 4 * PAGE, 1);
            assertReads(region, 4 * PAGE, 1);

            range.protect(0, 4, LibcConstants.PROT_NONE);
            assertReads(region, 4 * PAGE, 1);
            range.unmap(0, 4);
            assertReads(region, 4 * PAGE, 1);
            range.share(0, 4, other.fd());
            range.fill(0, 4 * PAGE, 2);
            assertReads(region, 4 * PAGE, 1);
            assertThat(reach.write(region, 3)).isEqualTo(WcStatus.SUCCESS);
            assertThat(view.firstDifference(0, 4 * PAGE, 3)).isEqualTo(-1);
            view.bytes(0, 8).putLong(0, 40);
            assertThat(reach.fetchAdd(region.iova(), region.rkey(), 2)).isEqualTo(WcStatus.SUCCESS);
            assertThat(view.bytes(0, 8).getLong(0)).isEqualTo(42);
            assertThat(range.firstDifference(0, 4 * PAGE, 2)).as("nothing was written").isEqualTo(-1);

            region.refresh(range.address, range.length);
            assertReads(region, 4 * PAGE, 2);
            region.close();
            assertThat(counted(Counter.MEMORY_LOST) + counted(Counter.MEMORY_REVOKED)).isZero();
        }
    }

    /** A load from what was cut off is an error of the JVM, which comes up later, wherever the thread is by then. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsCutOffOfAFileFailsTheTransferAndNothingIsThrown(final boolean byBuffer) throws IOException {
        open("");
        final Path file = Files.createTempFile("rdma4j-cut", ".dat");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4 * PAGE);
            final MemoryRegion region = byBuffer ? pd.register(bytes, ALL)
                : pd.register(BufferUtil.address(bytes), 4 * PAGE, ALL);
            assertThat(reach.write(region, 1)).isEqualTo(WcStatus.SUCCESS);
            assertReads(region, 4 * PAGE, 1);
            channel.truncate(0);
            for (int round = 0; round < 100; round++) {
                assertOutOfReach(region);
            }
            assertThat(counted(Counter.MEMORY_LOST)).isEqualTo(500);
            assertThat(counted(Counter.INTERNAL_ERRORS)).isZero();
            region.close();
            Reference.reachabilityFence(bytes);
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void sharedMemoryWithoutAFileStays() {
        open("");
        try (Range range = new Range(2 * PAGE)) {
            range.share(0, 2, -1);
            range.fill(0, 2 * PAGE, 1);
            final MemoryRegion region = pd.register(range.address, range.length, ALL);
            range.map(0, 2);
            assertReads(region, 2 * PAGE, 1);
            region.close();
        }
    }

    /** Of a list some pages are taken away: what lies in one mapping of the device goes together. */
    @Test
    void aListGoesOnWhereItsPagesAreThere() {
        open("");
        try (Range range = Range.of(4)) {
            final MemoryRegion region = pd.register(new MrOptions()
                .pages(new PageList().add(range.at(3 * PAGE)).add(range.at(PAGE)), 0, 2 * PAGE).access(ALL));
            range.fill(3 * PAGE, PAGE, 5);
            assertReads(region, PAGE, 5);
            range.unmap(1, 1);
            assertOutOfReach(region);
            region.close();
        }
    }

    @Test
    void whatWasClosedIsNotHeldAnyMore() {
        open("mlock=true");
        final Range range = Range.of(4);
        final MemoryRegion region = pd.register(range.address, range.length, ALL);
        range.close();
        assertOutOfReach(region);
        region.close();
        assertThat(counted(Counter.INTERNAL_ERRORS)).isZero();
    }

    /** Private and shared memory, unmapped, mapped anew and protected, while all kinds of transfers use it. */
    @Tag("thorough")
    @Test
    void aThousandRoundsAgainstTrafficEndWithErrorsOnly() throws Exception {
        final Process process = new ProcessBuilder(command("1000")).redirectErrorStream(true).start();
        try {
            final CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> output(process),
                Background::run);
            assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
            assertThat(output.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).isEqualToIgnoringNewLines(
                "rounds 1000, good true, refused true");
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<String> command(final String rounds) throws Exception {
        return OtherJvm.command(List.of("-XX:TieredStopAtLevel=4", "-Xmx128m", "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=/dev/null"), PulledMemoryMain.class, rounds);
    }

    private static String output(final Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            return e.toString();
        }
    }
}
