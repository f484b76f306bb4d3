/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.spi.RegionOwner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Regions that several threads change, share, close, ask and use at the same time. */
@Timeout(120)
class RegionRacesTest {
    private static final int PAGE = PageList.PAGE_SIZE;
    private static final int ROUNDS = 100;

    @RegisterExtension
    final Devices devices = new Devices();

    @RegisterExtension
    final Crew crew = new Crew();

    /** What is refused because the other thread was first. */
    private static void unlessClosed(final Runnable call) {
        try {
            call.run();
        } catch (final RdmaException e) {
            assertThat(e.errno()).as("%s", e).isEqualTo(RdmaException.EBADFD);
        }
    }

    @Test
    void changingAskingAndClosingAtOnceLeavesNothing() throws Exception {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain first = device.allocatePd();
        final ProtectionDomain second = device.allocatePd();
        final PinnedMemory memory = device.allocate(4 * PAGE);
        final int objects = device.device.commands().liveObjects();
        final int pages = device.device.arena().usedPages();
        for (int round = 0; round < ROUNDS; round++) {
            final MemoryRegion region = first.register(memory, LOCAL_WRITE, REMOTE_READ);
            final CyclicBarrier start = new CyclicBarrier(4);
            final int rest = round % 7;
            crew.start(() -> {
                start.await(Patience.millis(), TimeUnit.MILLISECONDS);
                unlessClosed(() -> region.reregister(new MrOptions().pd(second).length(PAGE)));
                unlessClosed(() -> region.reregister(new MrOptions().pd(first).access(LOCAL_WRITE, REMOTE_WRITE)));
            });
            crew.start(() -> {
                start.await(Patience.millis(), TimeUnit.MILLISECONDS);
                unlessClosed(() -> region.reregister(new MrOptions().memory(memory.address() + PAGE, PAGE, memory)));
                unlessClosed(() -> second.registerShared(region, region.address()).close());
            });
            crew.start(() -> {
                start.await(Patience.millis(), TimeUnit.MILLISECONDS);
                for (int i = 0; i < 50; i++) {
                    assertThat(region.length()).isIn((long) PAGE, 4L * PAGE);
                    assertThat(region.address()).isIn(memory.address(), memory.address() + PAGE);
                    assertThat(region.pd()).isIn(first, second);
                    assertThat(region.hasRkey()).isTrue();
                    assertThat(region.toString()).contains("MR 0x");
                }
            });
            start.await(Patience.millis(), TimeUnit.MILLISECONDS);
            for (int i = 0; i < rest * 20; i++) {
                Thread.onSpinWait();
            }
            region.close();
            crew.join();
            assertThat(region.isClosed()).isTrue();
            assertThat(device.device.commands().liveObjects()).as("round %d", round).isEqualTo(objects);
            assertThat(device.device.arena().usedPages()).as("round %d", round).isEqualTo(pages);
        }
        memory.close();
    }

    @Test
    void aRegionThatMovesWhileItsDomainsAreClosedIsClosedOrInTheOtherOne() throws Exception {
        final PvrdmaContext device = devices.open();
        final PinnedMemory memory = device.allocate(PAGE);
        for (int round = 0; round < ROUNDS; round++) {
            final ProtectionDomain from = device.allocatePd();
            final ProtectionDomain to = device.allocatePd();
            final ProtectionDomain closing = round % 2 == 0 ? from : to;
            final MemoryRegion region = from.register(memory);
            final CyclicBarrier start = new CyclicBarrier(2);
            crew.start(() -> {
                start.await(Patience.millis(), TimeUnit.MILLISECONDS);
                unlessClosed(() -> region.reregister(new MrOptions().pd(to)));
            });
            start.await(Patience.millis(), TimeUnit.MILLISECONDS);
            closing.close();
            crew.join();
            assertThat(region.isClosed()).as("in %s, closed %s", region.pd(), closing)
                .isEqualTo(region.pd() == closing);
            from.close();
            to.close();
            assertThat(region.isClosed()).isTrue();
        }
        memory.close();
    }

    @Test
    void aDomainIsDestroyedAfterWhatOthersAreMakingInIt() throws Exception {
        final PvrdmaContext device = devices.open();
        final PinnedMemory memory = device.allocate(PAGE);
        final int objects = device.device.commands().liveObjects();
        for (int round = 0; round < ROUNDS; round++) {
            final ProtectionDomain pd = device.allocatePd();
            final CyclicBarrier start = new CyclicBarrier(3);
            for (int thread = 0; thread < 2; thread++) {
                crew.start(() -> {
                    start.await(Patience.millis(), TimeUnit.MILLISECONDS);
                    unlessClosed(() -> pd.register(memory));
                    unlessClosed(() -> pd.register(memory.address(), 5));
                });
            }
            start.await(Patience.millis(), TimeUnit.MILLISECONDS);
            pd.close();
            crew.join();
            assertThat(device.device.commands().liveObjects()).as("round %d", round).isEqualTo(objects);
        }
        memory.close();
    }

    @Test
    void oneRegionIsSharedAndClosedByManyThreads() throws Exception {
        final PvrdmaContext device = devices.open("mlock=true");
        final ProtectionDomain pd = device.allocatePd();
        final AtomicInteger told = new AtomicInteger();
        final PinnedMemory memory = device.allocate(4 * PAGE);
        final int pages = device.device.arena().usedPages();
        for (int round = 0; round < ROUNDS; round++) {
            final RegionOwner owner = told::incrementAndGet;
            final MemoryRegion region = pd.register(memory.address(), PAGE, owner);
            final CyclicBarrier start = new CyclicBarrier(4);
            for (int thread = 0; thread < 3; thread++) {
                crew.start(() -> {
                    start.await(Patience.millis(), TimeUnit.MILLISECONDS);
                    unlessClosed(() -> {
                        try (MemoryRegion shared = pd.registerShared(region, region.address())) {
                            unlessClosed(() -> pd.registerShared(region, region.address()).close());
                            assertThat(shared.isClosed()).isFalse();
                        }
                    });
                });
            }
            start.await(Patience.millis(), TimeUnit.MILLISECONDS);
            region.close();
            crew.join();
            assertThat(told).as("round %d", round).hasValue(round + 1);
            assertThat(device.device.arena().usedPages()).isEqualTo(pages);
        }
    }

    /** The memory is unmapped from this process when its owner is told: a device that came late would crash it. */
    @Test
    void whatTheOwnerUnmapsTheDeviceDoesNotTouch() throws Exception {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        for (int round = 0; round < ROUNDS; round++) {
            final Reach reach = new Reach(device, pd);
            final MappedMemory mapped = MappedMemory.anonymous(16 * PAGE);
            final long address = mapped.address();
            final RegionOwner owner = mapped::close;
            final MemoryRegion region = pd.register(address, 16 * PAGE, owner, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
            final AtomicBoolean running = new AtomicBoolean();
            final int rkey = region.rkey();
            final boolean moves = round % 2 == 0;
            final PinnedMemory other = device.allocate(PAGE);
            crew.start(() -> {
                WcStatus status = WcStatus.SUCCESS;
                while (status == WcStatus.SUCCESS) {
                    status = reach.write(address, rkey, 16 * PAGE, 1);
                    running.set(true);
                }
                assertThat(status).isEqualTo(WcStatus.REM_ACCESS_ERR);
            });
            Crew.await("the device writes", running::get);
            if (moves) {
                region.reregister(new MrOptions().memory(other));
            } else {
                region.close();
            }
            assertThat(mapped.isOpen()).isFalse();
            crew.join();
            region.close();
            other.close();
        }
    }
}
