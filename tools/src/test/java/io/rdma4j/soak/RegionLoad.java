/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WindowType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Registrations of all kinds, windows, and keys that are dead, on two queue pairs of one device, the second of which
 * receives from a shared queue. One thread.
 */
final class RegionLoad implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final int PAGES = 32;
    private static final int SIZE = PAGES * PAGE;
    private static final int MOST = 12;
    private static final int WORK = 16;
    private static final long BASE = 0x4_0000_0000L;

    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    /** What is written from, and read into. */
    private final PinnedMemory own;
    private final MemoryRegion ownRegion;
    /** What is registered again and again. */
    private final PinnedMemory memory;
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final List<WcStatus> came = new ArrayList<>();
    private final SendRequest request = new SendRequest();
    private SharedReceiveQueue srq;
    private QueuePair near;
    private QueuePair far;
    private boolean invalidated;

    RegionLoad(final ProtectionDomain pd) {
        this.pd = pd;
        cq = pd.context().createCq(8 * WORK);
        own = pd.context().allocate(2 * SIZE);
        memory = pd.context().allocate(SIZE);
        ownRegion = pd.register(own, AccessFlag.LOCAL_WRITE);
        connect();
    }

    private void connect() {
        srq = pd.createSrq(WORK, 1);
        near = pd.createQp(new QpOptions().cq(cq).maxSendWr(WORK).maxReceiveWr(WORK));
        far = pd.createQp(new QpOptions().cq(cq).maxSendWr(WORK).srq(srq));
        QpConnector.connect(near, far.localAddress());
        QpConnector.connect(far, near.localAddress());
    }

    private void disconnect() {
        near.close();
        far.close();
        srq.close();
        Soak.until(cq::toString, () -> cq.poll(completion -> { }, WORK) == 0);
    }

    void step(final SplittableRandom random) {
        switch (random.nextInt(8)) {
            case 0, 1 -> keep(random);
            case 2 -> moved(random);
            case 3 -> window(random);
            case 4 -> windowOfTypeTwo(random);
            case 5 -> fast(random);
            case 6 -> deadKey(random);
            default -> {
                final int entries = random.nextInt(8 * WORK, 64 * WORK);
                cq.resize(entries);
            }
        }
    }

    private void keep(final SplittableRandom random) {
        if (regions.size() == MOST) {
            regions.remove(random.nextInt(MOST)).close();
        }
        final MemoryRegion region = any(random);
        regions.add(region);
        reach(random, region.iova(), region.length(), region.rkey());
    }

    /** Of any kind; what owns the memory is kept by the region. */
    private MemoryRegion any(final SplittableRandom random) {
        final int offset = random.nextInt(SIZE);
        final int length = random.nextInt(1, SIZE - offset + 1);
        return switch (random.nextInt(6)) {
            case 0 -> pd.register(memory.address() + offset, length, Soak.ALL_RIGHTS);
            case 1 -> pd.register(new MrOptions().memory(memory.address() + offset, length)
                .iova(BASE + offset % PAGE).access(Soak.ALL_RIGHTS));
            case 2 -> pd.register(ByteBuffer.allocateDirect(length), Soak.ALL_RIGHTS);
            case 3 -> pd.register(new MrOptions().buffer(ByteBuffer.allocateDirect(length)).zeroBased()
                .access(Soak.ALL_RIGHTS));
            case 4 -> {
                final PageList list = new PageList();
                final int pages = random.nextInt(1, 8);
                // Each once, in an order that is not theirs: an odd stride goes through all of them.
                final int first = random.nextInt(PAGES);
                final int stride = 1 + 2 * random.nextInt(PAGES / 2);
                for (int i = 0; i < pages; i++) {
                    list.add(memory, (first + i * stride) % PAGES, 1);
                }
                yield pd.register(new MrOptions().pages(list, 0, pages * (long) PAGE).iova(BASE)
                    .access(Soak.ALL_RIGHTS));
            }
            default -> regions.isEmpty() ? pd.register(memory, Soak.ALL_RIGHTS)
                : pd.registerShared(regions.get(0), 2 * BASE + regions.get(0).address() % PAGE, Soak.ALL_RIGHTS);
        };
    }

    private void moved(final SplittableRandom random) {
        try (MemoryRegion region = pd.register(memory.address(), random.nextInt(1, SIZE), Soak.ALL_RIGHTS)) {
            final int old = region.rkey();
            final int offset = random.nextInt(SIZE - 1);
            region.reregister(new MrOptions().memory(memory.address() + offset, random.nextInt(1, SIZE - offset)));
            if (region.rkey() == old) {
                throw new AssertionError("a region that was moved keeps its key");
            }
            reach(random, region.iova(), region.length(), region.rkey());
        }
    }

    private void window(final SplittableRandom random) {
        try (MemoryRegion region = bindable(); MemoryWindow window = pd.allocateWindow(WindowType.TYPE_1)) {
            final int offset = random.nextInt(SIZE - 1);
            final int length = random.nextInt(1, SIZE - offset);
            require(far.bindWindow(1, window, region, region.iova() + offset, length, AccessFlag.REMOTE_WRITE,
                AccessFlag.REMOTE_READ));
            await(WcStatus.SUCCESS);
            reach(random, region.iova() + offset, length, window.rkey());
            require(far.bindWindow(2, window, null, 0, 0));
            await(WcStatus.SUCCESS);
        }
    }

    /** The peer ends the binding. */
    private void windowOfTypeTwo(final SplittableRandom random) {
        try (MemoryRegion region = bindable(); MemoryWindow window = pd.allocateWindow(WindowType.TYPE_2)) {
            require(far.postSend(request.wrId(1).flags(SendRequest.SIGNALED).bind(window, window.nextRkey(), region,
                region.iova(), SIZE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ)));
            await(WcStatus.SUCCESS);
            reach(random, region.iova(), SIZE, window.rkey());
            require(srq.postReceive(new ReceiveRequest().wrId(3).sge(own.address(), PAGE, ownRegion.lkey())));
            invalidated = false;
            require(near.postSend(request.wrId(2).opcode(SendOpcode.SEND_WITH_INV).flags(SendRequest.SIGNALED)
                .sge(own.address() + SIZE, random.nextInt(PAGE), ownRegion.lkey()).invalidate(window.rkey())));
            await(WcStatus.SUCCESS);
            await(WcStatus.SUCCESS);
            if (!invalidated) {
                throw new AssertionError("nothing says that the window was invalidated");
            }
        }
    }

    private MemoryRegion bindable() {
        return pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
    }

    private void fast(final SplittableRandom random) {
        try (FastRegion region = pd.allocateFastRegion(PAGES)) {
            for (int round = random.nextInt(1, 4); round > 0; round--) {
                final int pages = random.nextInt(1, PAGES);
                region.map(new PageList().add(memory, random.nextInt(PAGES - pages), pages), 0, pages * (long) PAGE);
                require(far.postSend(request.wrId(1).flags(SendRequest.SIGNALED)
                    .fastRegister(region, region.nextKey(), BASE, Soak.ALL_RIGHTS)));
                await(WcStatus.SUCCESS);
                reach(random, BASE, pages * (long) PAGE, region.rkey());
                require(far.postSend(request.wrId(2).opcode(SendOpcode.LOCAL_INV).clearSges()
                    .flags(SendRequest.SIGNALED).invalidate(region.rkey())));
                await(WcStatus.SUCCESS);
            }
        }
    }

    /** The key of a closed region leads nowhere, whatever was registered since. */
    private void deadKey(final SplittableRandom random) {
        final MemoryRegion region = any(random);
        final int key = region.rkey();
        final long iova = region.iova();
        region.close();
        if (random.nextBoolean()) {
            keep(random);
        }
        request.opcode(SendOpcode.RDMA_WRITE).wrId(1).flags(SendRequest.SIGNALED)
            .sge(own.address(), 1, ownRegion.lkey()).remote(iova, key);
        require(near.postSend(request));
        await(WcStatus.REM_ACCESS_ERR);
        disconnect();
        connect();
    }

    /** Writes a part of it, and reads it again. */
    private void reach(final SplittableRandom random, final long iova, final long length, final int rkey) {
        final int part = random.nextInt(1, (int) Math.min(length, 4 * PAGE) + 1);
        final long first = iova + random.nextLong(length - part + 1);
        final long seed = random.nextLong();
        final UnsafeBuffer bytes = own.buffer();
        Soak.fill(bytes, 0, part, seed);
        request.wrId(1).opcode(SendOpcode.RDMA_WRITE).flags(SendRequest.SIGNALED)
            .sge(own.address(), part, ownRegion.lkey()).remote(first, rkey);
        require(near.postSend(request));
        await(WcStatus.SUCCESS);
        request.wrId(2).opcode(SendOpcode.RDMA_READ).sge(own.address() + SIZE, part, ownRegion.lkey());
        require(near.postSend(request));
        await(WcStatus.SUCCESS);
        Soak.expect(bytes, SIZE, part, seed, "what was written into a region");
    }

    private static void require(final int code) {
        if (code != ReturnCode.OK) {
            throw new AssertionError(ReturnCode.nameOf(code));
        }
    }

    private void await(final WcStatus expected) {
        Soak.until(() -> "for " + expected, () -> !came.isEmpty() || cq.poll(this::onCompletion, 1) > 0);
        final WcStatus status = came.remove(0);
        if (status != expected) {
            throw new AssertionError(status + ", not " + expected + "; " + near.failure() + "; " + far.failure());
        }
    }

    private void onCompletion(final Completion completion) {
        came.add(completion.status());
        invalidated |= completion.isInvalidated();
    }

    @Override
    public void close() {
        regions.forEach(MemoryRegion::close);
        disconnect();
        ownRegion.close();
        own.close();
        memory.close();
        cq.close();
    }
}
