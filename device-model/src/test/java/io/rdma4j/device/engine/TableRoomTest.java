/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawRing;
import io.rdma4j.device.raw.RawSrq;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpResult;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqRingRequest;
import io.rdma4j.testing.LiveHeap;
import io.rdma4j.testing.Patience;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class TableRoomTest {
    /** As many as a request may name. */
    private static final int TABLES = 16;
    private static final int CHAIN = 12;
    private static final int LONG_CHAIN = 2000;
    /** Bytes that one takes at least, without its rings. */
    private static final int QUEUE_PAIR = 4096;
    /** With a wire, as its queue pairs have memory for what they sent by that. */
    private static final String LARGE_RINGS = "emulated:room-of-rings?max_qp_wr=65536&max_sge=64&wire=shm";

    private final TableRoom.Pool pool = new TableRoom.Pool(1_000);
    private final TableRoom first = new TableRoom(pool);
    private final TableRoom second = new TableRoom(pool);

    @Test
    void aDeviceHasAtMostHalfOfWhatOthersLeave() {
        first.take(499);
        assertThatThrownBy(() -> first.take(2)).isInstanceOf(CommandError.class)
            .hasMessageContainingAll("2 words", "499", "may have 500", "of 1000", "-Xmx")
            .satisfies(error -> assertThat(((CommandError) error).errno()).isEqualTo(CommandError.ENOMEM));
        first.take(1);
        assertThatThrownBy(() -> second.take(251)).isInstanceOf(CommandError.class);
        second.take(250);
        assertThat(pool.taken()).isEqualTo(750);
        // More than its share by now: it keeps what it has, and gets nothing.
        assertThatThrownBy(() -> first.take(1)).isInstanceOf(CommandError.class).hasMessageContaining("may have 500");
        first.take(0);
    }

    @Test
    void whatIsGivenBackIsThereAgain() {
        first.take(500);
        second.take(250);
        first.give(400);
        assertThat(first.own()).isEqualTo(100);
        assertThat(pool.taken()).isEqualTo(350);
        second.take(200);
        assertThatThrownBy(() -> second.take(1)).isInstanceOf(CommandError.class).hasMessageContaining("may have 450");
        first.give(100);
        second.give(450);
        assertThat(pool.taken()).isZero();
        second.take(500);
    }

    /** Two pages one way round, and the other: one of the two regions has its pages in a row, at most. */
    @Test
    void regionsOfScatteredPagesTakeSomeAndGiveItBack() {
        try (RawDriver driver = RawDriver.ready("emulated:table-room")) {
            driver.registerInOne(3 * 4096, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE);
            assertThat(driver.device().describe()).doesNotContain("tables of pages");
            final long one = driver.page().iova();
            final long other = driver.page().iova();
            final List<Integer> handles = List.of(create(driver, one, other), create(driver, other, one));
            assertThat(driver.device().describe()).containsPattern("tables of pages \\d+ words");
            for (final int handle : handles) {
                assertThat(driver.destroy(Command.DESTROY_MR, handle)).isZero();
            }
            assertThat(driver.device().describe()).doesNotContain("tables of pages");
        }
    }

    @Test
    void whatCannotBeMadeTakesNothing() {
        assertThatThrownBy(() -> first.taking(100, () -> {
            assertThat(pool.taken()).isEqualTo(100);
            throw CommandError.invalid("not so");
        })).isInstanceOf(CommandError.class).hasMessageContaining("not so");
        assertThat(pool.taken()).isZero();
        assertThat(first.<String>taking(100, () -> "made")).isEqualTo("made");
        assertThat(first.own()).isEqualTo(100);
    }

    @Test
    void ringsTakeSomeAndGiveItBack() {
        try (RawDriver driver = RawDriver.ready("emulated:room-of-rings")) {
            final long before = words(driver);
            final RawCq cq = driver.createCq(1024);
            final long ofCq = words(driver) - before;
            assertThat(ofCq).isEqualTo(17 * 8);
            final RawSrq srq = driver.createSrq(64, 4);
            final RawQp qp = driver.createQp(RawQp.with().cq(cq).sizes(256, 256, 4));
            assertThat(words(driver)).isGreaterThan(before + ofCq + 2 * 8);
            final long all = words(driver);
            // A page directory that is nowhere.
            assertThat(driver.run(Command.CREATE_CQ, b -> new CreateCqRequest().wrap(b, 0)
                .set(CreateCqRequest.PDIR_DMA, 1L << 45).set(CreateCqRequest.CQE, 1).set(CreateCqRequest.NCHUNKS, 2)))
                .isNotZero();
            assertThat(words(driver)).isEqualTo(all);
            final RawRing smaller = new RawRing(driver, 2);
            driver.ok(Command.RESIZE_CQ_RING, b -> new ResizeCqRingRequest().wrap(b, 0)
                .set(ResizeCqRingRequest.CQ_HANDLE, cq.handle).set(ResizeCqRingRequest.CQE, 64)
                .set(ResizeCqRingRequest.PDIR_DMA, smaller.pdir()).set(ResizeCqRingRequest.NCHUNKS, 2));
            assertThat(words(driver)).isEqualTo(all - 15 * 8);
            assertThat(driver.destroy(Command.DESTROY_QP, qp.handle)).isZero();
            assertThat(driver.destroy(Command.DESTROY_SRQ, srq.handle)).isZero();
            assertThat(driver.destroy(Command.DESTROY_CQ, cq.handle)).isZero();
            assertThat(words(driver)).isEqualTo(before);
        }
    }

    /** The pages between its rings repeat, and are two. */
    @Test
    void aDriverWhoseQueuePairsClaimPagesIsRefusedBeforeTheHeapIsFull() {
        try (RawDriver driver = RawDriver.ready("emulated:room-of-claims")) {
            final RawCq cq = driver.createCq(16);
            final long pdir = driver.repeatingPdir();
            final List<Integer> handles = new ArrayList<>();
            int err = 0;
            while (err == 0) {
                err = driver.run(Command.CREATE_QP, b -> claim(b, driver, cq, pdir));
                if (err == 0) {
                    handles.add(CreateQpResult.read(driver.device().options().version(), driver.response.buffer())
                        .qpHandle());
                }
            }
            assertThat(err).isEqualTo(-CommandError.ENOMEM);
            assertThat(handles).hasSizeGreaterThan(1);
            assertThat(words(driver) * Long.BYTES).isLessThan(Runtime.getRuntime().maxMemory() / 2);
            assertThat(driver.destroy(Command.DESTROY_QP, handles.get(0))).isZero();
            driver.ok(Command.CREATE_QP, b -> claim(b, driver, cq, pdir));
        }
    }

    /** 2 MiB each: the last requests of the queue pair name them as long as there are no others. */
    @Test
    void regionsThatAreGoneLeaveTheHeapThoughRequestsNamedThem() {
        try (RawDriver driver = RawDriver.ready("emulated:room-of-requests")) {
            final RawCq cq = driver.createCq(64);
            final RawQp a = driver.createQp(RawQp.with().cq(cq).sizes(16, 16, TABLES));
            final RawQp b = driver.createQp(RawQp.with().cq(cq).sizes(16, 16, TABLES));
            RawQp.connect(a, b);
            assertLeaveTheHeap(driver, regions -> {
                b.receive(1, regions.stream().map(r -> new long[] {r.start(), 8, r.lkey}).toArray(long[][]::new));
                a.post(w -> {
                    w.send(2, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED);
                    regions.forEach(r -> w.sge(r.start(), 8, r.lkey));
                });
                assertThat(cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
                assertThat(cq.poll().byteLen()).isEqualTo(TABLES * 8);
            });
        }
    }

    @Test
    void regionsThatAreGoneLeaveTheHeapThoughWindowsShowedThem() {
        try (RawDriver driver = RawDriver.ready("emulated:room-of-windows")) {
            final RawCq cq = driver.createCq(64);
            final RawQp qp = driver.createQp(RawQp.with().cq(cq));
            RawQp.connect(qp, driver.createQp(RawQp.with().cq(cq)));
            assertLeaveTheHeap(driver, regions -> {
                for (final RawRegion region : regions) {
                    driver.createMw(2).bind(qp, region, region.start(), 8, AccessFlags.PVRDMA_ACCESS_REMOTE_READ);
                    assertThat(cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
                }
            });
        }
    }

    private static void assertLeaveTheHeap(final RawDriver driver, final Consumer<List<RawRegion>> use) {
        final long room = words(driver);
        final LiveHeap before = LiveHeap.now();
        final List<RawRegion> regions = new ArrayList<>();
        for (int i = 0; i < TABLES; i++) {
            regions.add(driver.registerRepeating(Pdir.MAX_PAGES, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE
                | AccessFlags.PVRDMA_ACCESS_MW_BIND));
        }
        use.accept(regions);
        final long taken = (words(driver) - room) * Long.BYTES;
        assertThat(taken).isGreaterThanOrEqualTo((long) TABLES * Pdir.MAX_PAGES * Long.BYTES);
        regions.forEach(region -> assertThat(driver.destroy(Command.DESTROY_MR, region.handle)).isZero());
        assertThat(words(driver)).isEqualTo(room);
        assertHeapFallsTo(before, "", taken / 4);
    }

    /** Each sends to the next one, and ends. The driver's pages for their rings stay until it is closed. */
    @Test
    void queuePairsThatAreGoneAreNotKeptByThoseThatSentToThem() {
        try (RawDriver driver = RawDriver.ready(LARGE_RINGS)) {
            final RawCq cq = driver.createCq(64);
            final RawRegion memory = driver.registerInOne(64, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE);
            RawQp sender = driver.createQp(RawQp.with().cq(cq));
            final LiveHeap before = LiveHeap.now();
            final long room = words(driver);
            for (int i = 0; i < LONG_CHAIN; i++) {
                final RawQp next = driver.createQp(RawQp.with().cq(cq));
                sender.connect(next.qpn, driver.gid());
                sender.send(1, memory.start(), 8, memory.lkey);
                if (i > 0) {
                    assertThat(sender.destroy()).isZero();
                }
                sender = next;
            }
            assertThat(sender.destroy()).isZero();
            assertThat(words(driver)).isEqualTo(room);
            assertHeapFallsTo(before, QueuePair.class.getPackageName(), (long) LONG_CHAIN * QUEUE_PAIR / 4);
        }
    }

    /** Senders that do nothing any more know where they sent to last, and windows who bound them. */
    @Test
    void ringsOfQueuePairsThatAreGoneLeaveTheHeap() {
        try (RawDriver driver = RawDriver.ready(LARGE_RINGS)) {
            final RawRegion memory = driver.registerInOne(64, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE
                | AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE | AccessFlags.PVRDMA_ACCESS_MW_BIND);
            final RawCq cq = driver.createCq(64);
            final LiveHeap before = LiveHeap.now();
            final long room = words(driver);
            final List<Integer> gone = new ArrayList<>();
            for (int i = 0; i < CHAIN; i++) {
                final RawQp sender = driver.createQp(RawQp.with().cq(cq));
                final RawQp large = largeQp(driver, cq);
                RawQp.connect(sender, large);
                driver.createMw(2).bind(large, memory, memory.start(), 8, AccessFlags.PVRDMA_ACCESS_REMOTE_READ);
                assertThat(cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
                sender.post(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, SendFlags.PVRDMA_SEND_SIGNALED)
                    .rdma(memory.start(), memory.rkey).sge(memory.start(), 8, memory.lkey));
                assertThat(cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
                gone.add(large.handle);
            }
            final long taken = (words(driver) - room) * Long.BYTES;
            gone.forEach(handle -> assertThat(driver.destroy(Command.DESTROY_QP, handle)).isZero());
            assertHeapFallsTo(before, "", taken / 8);
        }
    }

    @Test
    void ringsOfOtherQueuesLeaveTheHeapWithQueuePairsThatHadThem() {
        try (RawDriver driver = RawDriver.ready(LARGE_RINGS + "&max_srq_wr=65536&max_cqe=1048576")) {
            final RawRegion memory = driver.registerInOne(64, AccessFlags.PVRDMA_ACCESS_MW_BIND);
            final LiveHeap before = LiveHeap.now();
            final long room = words(driver);
            long taken = 0;
            for (int i = 0; i < CHAIN; i++) {
                final RawCq cq = driver.createRepeatingCq(1 << 20);
                final RawSrq srq = driver.createRepeatingSrq(1 << 16, 64);
                final RawQp qp = driver.createQp(RawQp.with().cq(cq).srq(srq));
                qp.connect(qp.qpn, driver.gid());
                driver.createMw(2).bind(qp, memory, memory.start(), 8, AccessFlags.PVRDMA_ACCESS_REMOTE_READ);
                assertThat(cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
                taken += (words(driver) - room) * Long.BYTES;
                assertThat(qp.destroy()).isZero();
                assertThat(driver.destroy(Command.DESTROY_SRQ, srq.handle)).isZero();
                assertThat(driver.destroy(Command.DESTROY_CQ, cq.handle)).isZero();
                assertThat(words(driver)).isEqualTo(room);
            }
            assertHeapFallsTo(before, "", taken / 8);
        }
    }

    private static RawQp largeQp(final RawDriver driver, final RawCq cq) {
        return driver.createQp(RawQp.with().cq(cq).sizes(1 << 16, 1 << 15, 64).repeating());
    }

    /** Of the classes whose names begin like that there may be so many bytes more than before. */
    private static void assertHeapFallsTo(final LiveHeap before, final String prefix, final long more) {
        final long most = before.bytes(prefix) + more;
        final long deadline = System.nanoTime() + Patience.nanos();
        LiveHeap now = LiveHeap.now();
        while (now.bytes(prefix) > most && System.nanoTime() - deadline < 0) {
            now = LiveHeap.now();
        }
        assertThat(now.bytes(prefix)).as(now.growthSince(before)).isLessThanOrEqualTo(most);
    }

    /** A queue pair of one request each way that lists as many pages as it can. */
    private static void claim(final UnsafeBuffer b, final RawDriver driver, final RawCq cq, final long pdir) {
        final int pages = 0xffff;
        new CreateQpRequest().wrap(b, 0).set(CreateQpRequest.PDIR_DMA, pdir)
            .set(CreateQpRequest.PD_HANDLE, driver.pd).set(CreateQpRequest.SEND_CQ_HANDLE, cq.handle)
            .set(CreateQpRequest.RECV_CQ_HANDLE, cq.handle).set(CreateQpRequest.MAX_SEND_WR, 1)
            .set(CreateQpRequest.MAX_SEND_SGE, 1).set(CreateQpRequest.MAX_RECV_WR, 1)
            .set(CreateQpRequest.MAX_RECV_SGE, 1).set(CreateQpRequest.TOTAL_CHUNKS, pages)
            .set(CreateQpRequest.SEND_CHUNKS, pages - 2).set(CreateQpRequest.QP_TYPE, QpType.PVRDMA_QPT_RC);
    }

    private static long words(final RawDriver driver) {
        final Matcher told = Pattern.compile("tables of pages (\\d+) words").matcher(driver.device().describe());
        return told.find() ? Long.parseLong(told.group(1)) : 0;
    }

    private static int create(final RawDriver driver, final long... pages) {
        final long pdir = driver.pdir(pages);
        return new CreateMrResponse().wrap(driver.ok(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(CreateMrRequest.PD_HANDLE, driver.pd).set(CreateMrRequest.START, 4096)
            .set(CreateMrRequest.LENGTH, 4096 * pages.length).set(CreateMrRequest.NCHUNKS, pages.length)
            .set(CreateMrRequest.ACCESS_FLAGS, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE)
            .set(CreateMrRequest.PDIR_DMA, pdir)), 0).get(CreateMrResponse.MR_HANDLE);
    }
}
