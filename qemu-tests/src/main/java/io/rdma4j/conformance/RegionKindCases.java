/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBADFD;
import static io.rdma4j.RdmaException.EBUSY;
import static io.rdma4j.RdmaException.EINVAL;
import static io.rdma4j.RdmaException.EOPNOTSUPP;
import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

import org.agrona.concurrent.UnsafeBuffer;

/** Regions of other kinds than plain memory: pages in any order, addresses of one's own, the same memory once more. */
final class RegionKindCases {
    private static final int PAGE = 4096;
    private static final long[] ADDRESSES = {0x1_0000_0000L, 0x7fff_ffff_e000L, 0x10_0000L, 0x1234_5678_9000L};

    private RegionKindCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("region.pagesInAnyOrder", RegionKindCases::pagesInAnyOrder)
                .needs(Feature.PAGE_LISTS),
            ConformanceCase.of("region.samePageTwice", RegionKindCases::samePageTwice)
                .needs(Feature.PAGE_LISTS),
            ConformanceCase.of("region.pagesOfSeveralMemories", RegionKindCases::pagesOfSeveral)
                .needs(Feature.PAGE_LISTS),
            ConformanceCase.of("region.pagesInPart", RegionKindCases::pagesInPart)
                .needs(Feature.PAGE_LISTS),
            ConformanceCase.of("region.refusesPagesThatDoNotFit", RegionKindCases::refusesPages)
                .needs(Feature.PAGE_LISTS),
            ConformanceCase.of("region.addressOfChoice", RegionKindCases::addressOfChoice)
                .needs(Feature.IOVA_OF_CHOICE),
            ConformanceCase.of("region.addressOfChoiceForPeers", RegionKindCases::addressForPeers)
                .needs(Feature.IOVA_OF_CHOICE, Feature.RDMA_WRITE, Feature.REMOTE_KEYS),
            ConformanceCase.of("region.addressKeepsThePlaceInItsPage", RegionKindCases::placeInPage),
            ConformanceCase.of("region.exampleOfTheSpecification", RegionKindCases::example)
                .needs(Feature.IOVA_OF_CHOICE, Feature.PAGE_LISTS),
            ConformanceCase.of("region.zeroBased", RegionKindCases::zeroBased).needs(Feature.ZERO_BASED),
            ConformanceCase.of("region.zeroBasedForPeers", RegionKindCases::zeroBasedForPeers)
                .needs(Feature.ZERO_BASED, Feature.RDMA_WRITE, Feature.REMOTE_KEYS),
            ConformanceCase.of("region.sharedHasTheSameBytes", RegionKindCases::shared),
            ConformanceCase.of("region.sharedStaysWhenTheOtherIsClosed", RegionKindCases::sharedStays),
            ConformanceCase.of("region.sharedHasRightsAndDomainOfItsOwn", RegionKindCases::sharedRights)
                .needs(Feature.RDMA_WRITE, Feature.RDMA_READ, Feature.REMOTE_KEYS),
            ConformanceCase.of("region.refusesToShareWhatCannotBe", RegionKindCases::refusesShared),
            ConformanceCase.of("region.moreThanAGibibyte", RegionKindCases::large)
                .needs(Feature.LARGE_REGIONS, Feature.PAGE_LISTS, Feature.RDMA_WRITE, Feature.REMOTE_KEYS),
            ConformanceCase.of("region.randomKindsClosedInAnyOrder", RegionKindCases::randomKinds)
                .needs(Feature.PAGE_LISTS));
    }

    /** Receives a message of this length at a place of a region; near to far. */
    static void receive(
        final ConformanceEnv env, final RcPair pair, final Memory from, final int seed, final MemoryRegion region,
        final long offset, final int length) {
        from.fill(seed, 0, length);
        Check.ok(pair.farQp().postReceive(seed, region.iova() + offset, length, region.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(~seed, from.at(0), length, from.lkey()), "post send");
        pair.near().sent().next().expect(~seed, WcOpcode.SEND);
        pair.far().received().next().expect(seed, WcOpcode.RECV).expectBytes(length);
        env.moved(length);
    }

    private static void pagesInAnyOrder(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(8 * PAGE);
        final Memory to = pair.far().memory(8 * PAGE);
        final int[] order = {5, 2, 7, 0, 1, 6, 3, 4};
        final PageList pages = new PageList();
        for (final int page : order) {
            pages.add(to.pinned(), page, 1);
        }
        final MemoryRegion region = env.own(pair.far().pd().register(
            new MrOptions().pages(pages, 0, 8 * PAGE).access(LOCAL_WRITE)));
        Check.equal(8L * PAGE, region.length(), "length");
        Check.equal(to.at(5 * PAGE), region.address(), "address of the first page");
        for (final int[] part : new int[][] {{0, 8 * PAGE}, {PAGE - 1, 2}, {100, 3 * PAGE}, {7 * PAGE + 4095, 1}}) {
            to.guard();
            receive(env, pair, from, part[1], region, part[0], part[1]);
            for (int i = 0; i < 8 * PAGE; i++) {
                final int at = order[i / PAGE] * PAGE + i % PAGE;
                final boolean inside = i >= part[0] && i < part[0] + part[1];
                Check.that(to.buffer().getByte(at) == (inside ? Memory.pattern(part[1], i - part[0]) : Memory.GUARD),
                    "byte %d of a region of shuffled pages, %d bytes at %d", i, part[1], part[0]);
            }
        }
    }

    /** Bytes that were written through one place of the region are read through the other. */
    private static void samePageTwice(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(PAGE);
        final Memory back = pair.near().memory(PAGE);
        final Memory to = pair.far().memory(3 * PAGE);
        final PageList pages = new PageList().add(to.pinned(), 1, 1).add(to.pinned(), 0, 1).add(to.pinned(), 1, 1);
        final MemoryRegion region = env.own(pair.far().pd().register(
            new MrOptions().pages(pages, 0, 3 * PAGE).access(LOCAL_WRITE)));
        receive(env, pair, from, 11, region, 500, 1000);
        Check.ok(pair.nearQp().postReceive(1, back.at(0), PAGE, back.lkey()), "post receive");
        Check.ok(pair.farQp().postSend(2, region.iova() + 2 * PAGE + 500, 1000, region.lkey()), "post send");
        pair.far().sent().next().expect(2, WcOpcode.SEND);
        pair.near().received().next().expect(1, WcOpcode.RECV).expectBytes(1000);
        back.expectPattern(11, 0, 1000, "through the other place of the page");
        to.expectPattern(11, PAGE + 500, 1000, "in the page itself");
        env.moved(1000);
    }

    private static void pagesOfSeveral(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(4 * PAGE);
        final PageList pages = new PageList();
        final List<PinnedMemory> memories = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            memories.add(env.own(env.peer().allocate(2L * PAGE)));
            pages.add(memories.get(i), 1, 1);
        }
        final MemoryRegion region = env.own(pair.far().pd().register(
            new MrOptions().pages(pages, 0, 3 * PAGE).access(LOCAL_WRITE)));
        receive(env, pair, from, 7, region, 10, 3 * PAGE - 20);
        for (int i = 10; i < 3 * PAGE - 10; i++) {
            Check.equal(Memory.pattern(7, i - 10), memories.get(i / PAGE).buffer().getByte(PAGE + i % PAGE),
                "byte %d", i);
        }
        Check.refused(EBUSY, memories.get(1)::close, "closing memory of which a page is used");
        region.close();
        memories.get(1).close();
    }

    /** The first byte and the last one are anywhere in their pages. */
    private static void pagesInPart(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(3 * PAGE);
        final Memory to = pair.far().memory(3 * PAGE);
        final PageList two = new PageList().add(to.pinned(), 2, 1).add(to.pinned(), 0, 1);
        for (final int[] part : new int[][] {{1, PAGE}, {4095, 2}, {4095, PAGE + 1}, {2000, 5000}, {0, PAGE + 1}}) {
            final MemoryRegion region = pair.far().pd().register(
                new MrOptions().pages(two, part[0], part[1]).access(LOCAL_WRITE));
            to.guard();
            Check.equal((long) part[1], region.length(), "length");
            Check.equal((long) part[0], region.iova() & PAGE - 1, "place in the first page");
            receive(env, pair, from, part[0], region, 0, part[1]);
            final int first = PAGE - part[0];
            to.expectPattern(part[0], 2 * PAGE + part[0], Math.min(first, part[1]), "in the first page");
            for (int i = first; i < part[1]; i++) {
                Check.equal(Memory.pattern(part[0], i), to.buffer().getByte(i - first), "byte %d", i);
            }
            to.expectGuard(Math.max(0, part[1] - first), 2 * PAGE + part[0], "around the region");
            region.close();
        }
    }

    private static void refusesPages(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final PinnedMemory memory = env.own(env.device().allocate(4 * PAGE));
        final PageList two = new PageList().add(memory, 0, 2);
        refuse(pd, new MrOptions().pages(two, 0, PAGE), "a page too many");
        refuse(pd, new MrOptions().pages(two, 0, 2 * PAGE + 1), "a page too few");
        refuse(pd, new MrOptions().pages(two, 1, 2 * PAGE), "a page too few for the offset");
        refuse(pd, new MrOptions().pages(two, PAGE, PAGE), "an offset of a whole page");
        refuse(pd, new MrOptions().pages(two, -1, PAGE), "a negative offset");
        refuse(pd, new MrOptions().pages(two, 0, 0), "no bytes");
        refuse(pd, new MrOptions().pages(two, 0, -1), "-1 bytes");
        refuse(pd, new MrOptions().pages(new PageList(), 0, PAGE), "no pages");
        refuse(pd, new MrOptions(), "nothing");
        Check.refused(EINVAL, () -> new PageList().add(memory.address() + 1), "an address inside of a page");
        Check.refused(EINVAL, () -> new PageList().add(memory, 3, 2), "pages behind the memory");
        memory.close();
        Check.refused(EBADFD, () -> pd.register(new MrOptions().pages(two, 0, 2 * PAGE)), "pages of closed memory");
    }

    private static void refuse(final ProtectionDomain pd, final MrOptions options, final String what) {
        Check.refused(EINVAL, () -> pd.register(options.access(LOCAL_WRITE)), what);
    }

    private static void addressOfChoice(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(3 * PAGE);
        final Memory to = pair.far().memory(4 * PAGE);
        for (final long address : ADDRESSES) {
            for (final int start : new int[] {0, 77}) {
                final MemoryRegion region = pair.far().pd().register(new MrOptions()
                    .memory(to.at(PAGE + start), 2 * PAGE).iova(address + start).access(LOCAL_WRITE));
                Check.equal(address + start, region.iova(), "address for work requests");
                Check.equal(to.at(PAGE + start), region.address(), "address of the memory");
                to.guard();
                receive(env, pair, from, start + 1, region, 5, 2 * PAGE - 5);
                to.expectPattern(start + 1, PAGE + start + 5, 2 * PAGE - 5, "received by an address of choice");
                to.expectGuard(0, PAGE + start + 5, "before");
                to.expectGuard(3 * PAGE + start, 4 * PAGE, "behind");
                region.close();
            }
        }
    }

    private static void addressForPeers(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env);
        final Memory from = refusal.near().memory(PAGE).fill(1, 0, PAGE);
        final Memory to = refusal.far().memory(3 * PAGE).guard();
        for (final long address : new long[] {PAGE, 1L << 40, Long.MIN_VALUE, -4L * PAGE}) {
            final MemoryRegion region = env.own(refusal.far().pd().register(new MrOptions().iova(address + 16)
                .memory(to.at(PAGE + 16), 1000).access(LOCAL_WRITE, REMOTE_WRITE)));
            final SendRequest write = new SendRequest().opcode(SendOpcode.RDMA_WRITE).wrId(1)
                .sge(from.at(0), 1000, from.lkey());
            final RcPair pair = refusal.with(REMOTE_WRITE).pair();
            Check.ok(pair.nearQp().postSend(write.remote(region.iova(), region.rkey())), "post");
            refusal.near().sent().next().expect(1, WcOpcode.RDMA_WRITE);
            to.expectPattern(1, PAGE + 16, 1000, "written to address " + Long.toHexString(address));
            to.guard();
            for (final long wrong : new long[] {region.address(), address + 15, address + 17, 16, address + PAGE}) {
                refusal.with(REMOTE_WRITE).byPeer(write.remote(wrong, region.rkey()), WcStatus.REM_ACCESS_ERR,
                    AsyncEventType.QP_ACCESS_ERR);
            }
            to.expectGuard(0, 3 * PAGE, "memory of the peer");
            env.moved(1000);
        }
    }

    private static void placeInPage(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final PinnedMemory memory = env.own(env.device().allocate(2 * PAGE));
        if (!env.device().supports(Feature.IOVA_OF_CHOICE)) {
            Check.refused(EOPNOTSUPP, () -> pd.register(new MrOptions()
                .memory(memory).iova(0x10_0000).access(LOCAL_WRITE)), "an address of choice");
            return;
        }
        refuse(pd, new MrOptions().memory(memory).iova(0x10_0001), "another place in the page");
        refuse(pd, new MrOptions().memory(memory.address() + 5, 100).iova(0x10_0000), "another place in the page");
        refuse(pd, new MrOptions().memory(memory).iova(-PAGE), "an address that wraps");
        final MemoryRegion region = env.own(pd.register(
            new MrOptions().memory(memory.address() + 5, 100).iova(0x10_0005).access(LOCAL_WRITE)));
        Check.equal(0x10_0005L, region.iova(), "address for work requests");
    }

    /** 10000 bytes from 141200h: 141200h to 14390fh, three pages, of which the first and the last are used in part. */
    private static void example(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(10_000);
        final Memory to = pair.far().memory(5 * PAGE).guard();
        final PageList pages = new PageList().add(to.pinned(), 3, 1).add(to.pinned(), 0, 1).add(to.pinned(), 2, 1);
        final MemoryRegion region = env.own(pair.far().pd().register(new MrOptions()
            .pages(pages, 0x200, 10_000).iova(0x14_1200).access(LOCAL_WRITE)));
        receive(env, pair, from, 3, region, 0, 10_000);
        for (int i = 0; i < 10_000; i++) {
            final int at = 0x200 + i;
            final int page = at < PAGE ? 3 : at < 2 * PAGE ? 0 : 2;
            Check.equal(Memory.pattern(3, i), to.buffer().getByte(page * PAGE + at % PAGE), "byte %d", i);
        }
        to.expectGuard(3 * PAGE, 3 * PAGE + 0x200, "the first page before the region");
        to.expectGuard(2 * PAGE + 0x910, 3 * PAGE, "the third page behind the region");
        from.fill(9, 0, 1);
        Check.ok(pair.farQp().postReceive(1, 0x14_390f, 1, region.lkey()), "post a receive at the last byte");
        Check.ok(pair.nearQp().postSend(1, from.at(0), 1, from.lkey()), "post send");
        pair.far().received().next().expect(1, WcOpcode.RECV);
        pair.near().sent().next();
        Check.equal(Memory.pattern(9, 0), to.buffer().getByte(2 * PAGE + 0x90f), "last byte");
        env.moved(1);
    }

    private static void zeroBased(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(2 * PAGE);
        final Memory to = pair.far().memory(3 * PAGE);
        for (final int start : new int[] {0, 1, 100, 4095}) {
            final MemoryRegion region = pair.far().pd().register(new MrOptions()
                .memory(to.at(start), PAGE + 50).zeroBased().access(LOCAL_WRITE));
            Check.equal(0L, region.iova(), "address for work requests");
            Check.equal(to.at(start), region.address(), "address of the memory");
            to.guard();
            receive(env, pair, from, start, region, 0, PAGE + 50);
            to.expectPattern(start, start, PAGE + 50, "zero-based from " + start);
            to.expectGuard(0, start, "before");
            to.expectGuard(start + PAGE + 50, 3 * PAGE, "behind");
            region.close();
        }
    }

    private static void zeroBasedForPeers(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env);
        final Memory from = refusal.near().memory(PAGE).fill(1, 0, PAGE);
        final Memory to = refusal.far().memory(2 * PAGE).guard();
        final MemoryRegion region = env.own(refusal.far().pd().register(new MrOptions().zeroBased()
            .memory(to.at(300), 1000).access(LOCAL_WRITE, REMOTE_WRITE)));
        final SendRequest write = new SendRequest().opcode(SendOpcode.RDMA_WRITE).wrId(1)
            .sge(from.at(0), 1000, from.lkey()).remote(0, region.rkey());
        final RcPair pair = refusal.with(REMOTE_WRITE).pair();
        Check.ok(pair.nearQp().postSend(write), "post");
        refusal.near().sent().next().expect(1, WcOpcode.RDMA_WRITE);
        to.expectPattern(1, 300, 1000, "written from 0");
        to.guard();
        for (final long wrong : new long[] {1, -1, 1000, to.at(300), 300}) {
            refusal.with(REMOTE_WRITE).byPeer(write.remote(wrong, region.rkey()), WcStatus.REM_ACCESS_ERR,
                AsyncEventType.QP_ACCESS_ERR);
        }
        to.expectGuard(0, 2 * PAGE, "memory of the peer");
        env.moved(1000);
    }

    private static void shared(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(3 * PAGE);
        final Memory to = pair.far().memory(4 * PAGE);
        final MemoryRegion first = to.part(env, pair.far().pd(), 100, 3 * PAGE);
        final MemoryRegion second =
            env.own(pair.far().pd().registerShared(first, first.address(), LOCAL_WRITE));
        final MemoryRegion third =
            env.own(pair.far().pd().registerShared(second, second.address(), LOCAL_WRITE));
        Check.that(first.lkey() != second.lkey() && second.lkey() != third.lkey(), "shared regions share a key");
        for (final MemoryRegion region : List.of(first, second, third)) {
            Check.equal(first.length(), region.length(), "length");
            Check.equal(first.address(), region.address(), "address");
            to.guard();
            receive(env, pair, from, 5, region, 0, 3 * PAGE);
            to.expectPattern(5, 100, 3 * PAGE, "through " + region);
            to.expectGuard(0, 100, "before");
            to.expectGuard(3 * PAGE + 100, 4 * PAGE, "behind");
        }
        if (env.peer().supports(Feature.IOVA_OF_CHOICE)) {
            final MemoryRegion elsewhere = env.own(pair.far().pd().registerShared(
                first, 0x5000_0000L + (first.address() & PAGE - 1), LOCAL_WRITE));
            to.guard();
            receive(env, pair, from, 6, elsewhere, 7, PAGE);
            to.expectPattern(6, 107, PAGE, "shared, by another address");
        }
    }

    private static void sharedStays(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(PAGE);
        final PinnedMemory memory = env.own(env.peer().allocate(2 * PAGE));
        final List<MemoryRegion> regions = new ArrayList<>();
        regions.add(env.own(pair.far().pd().register(memory, LOCAL_WRITE)));
        for (int i = 1; i < 5; i++) {
            regions.add(env.own(pair.far().pd().registerShared(regions.get(i - 1), memory.address(), LOCAL_WRITE)));
        }
        for (final int next : new int[] {0, 3, 1, 1}) {
            regions.remove(Math.min(next, regions.size() - 1)).close();
            Check.refused(EBUSY, memory::close, "closing memory with regions");
            for (final MemoryRegion region : regions) {
                receive(env, pair, from, 1 + next, region, 50, 1000);
                Memory.expectPattern(memory.buffer(), 1 + next, 50, 1000, "through " + region);
            }
        }
        regions.get(0).close();
        memory.close();
    }

    private static void sharedRights(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env);
        final Memory local = refusal.near().memory(64).fill(1, 0, 64);
        final Memory memory = refusal.far().memory(PAGE, REMOTE_WRITE).guard();
        final ProtectionDomain pd = refusal.far().pd();
        final MemoryRegion readable = env.own(pd.registerShared(memory.region(), memory.at(0), REMOTE_READ));
        final MemoryRegion elsewhere = env.own(env.own(env.peer().allocatePd())
            .registerShared(memory.region(), memory.at(0), LOCAL_WRITE, REMOTE_WRITE));
        Check.equal(Set.of(REMOTE_READ), readable.access(), "rights of the shared region");
        Check.equal(pd, readable.pd(), "domain");
        final SendRequest write = new SendRequest().opcode(SendOpcode.RDMA_WRITE).sge(local.at(0), 64, local.lkey());
        refusal.with(REMOTE_WRITE).byPeer(write.remote(memory.at(0), readable.rkey()), WcStatus.REM_ACCESS_ERR,
            AsyncEventType.QP_ACCESS_ERR);
        refusal.with(REMOTE_WRITE).byPeer(write.remote(memory.at(0), elsewhere.rkey()), WcStatus.REM_ACCESS_ERR,
            AsyncEventType.QP_ACCESS_ERR);
        memory.expectGuard(0, PAGE, "memory of the peer");
        refusal.with(REMOTE_WRITE, REMOTE_READ);
        Check.ok(refusal.pair().nearQp().postSend(write.wrId(5).remote(memory.at(0), memory.rkey())), "post");
        refusal.near().sent().next().expect(5, WcOpcode.RDMA_WRITE);
        local.buffer().setMemory(0, 64, (byte) 0);
        Check.ok(refusal.pair().nearQp().postSend(new SendRequest().opcode(SendOpcode.RDMA_READ).wrId(6)
            .sge(local.at(0), 64, local.lkey()).remote(memory.at(0), readable.rkey())), "post");
        refusal.near().sent().next().expect(6, WcOpcode.RDMA_READ);
        local.expectPattern(1, 0, 64, "written through one, read through the other");
        env.moved(128);
    }

    private static void refusesShared(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final PinnedMemory memory = env.own(env.device().allocate(2 * PAGE));
        final MemoryRegion region = env.own(pd.register(memory, LOCAL_WRITE));
        Check.refused(EINVAL, () -> pd.registerShared(null, 0, LOCAL_WRITE), "null");
        Check.refused(env.device().supports(Feature.IOVA_OF_CHOICE) ? EINVAL : EOPNOTSUPP,
            () -> pd.registerShared(region, memory.address() + 1, LOCAL_WRITE), "another place");
        Check.refused(EINVAL, () -> pd.registerShared(region, memory.address(), REMOTE_WRITE), "rights", "LOCAL_WRITE");
        if (env.hasTwoDevices()) {
            final ProtectionDomain other = env.own(env.peer().allocatePd());
            Check.refused(EINVAL, () -> other.registerShared(region, memory.address(), LOCAL_WRITE), "another device");
        }
        region.close();
        Check.refused(EBADFD, () -> pd.registerShared(region, memory.address(), LOCAL_WRITE), "a closed region");
    }

    /** One page, often: more than one gibibyte for the device and hardly any memory. */
    private static void large(final ConformanceEnv env) {
        final int count = (1 << 18) + 1000;
        final RcPair pair = RcPair.allowing(env, 4, 1, REMOTE_WRITE, REMOTE_ATOMIC);
        final Memory from = pair.near().memory(PAGE);
        final PinnedMemory memory = env.own(env.peer().allocate(2 * PAGE));
        final PageList pages = new PageList();
        for (int i = 0; i < count; i++) {
            pages.add(memory, i == count - 1 ? 1 : 0, 1);
        }
        final long length = (long) count * PAGE;
        final MemoryRegion region = env.own(pair.far().pd().register(
            new MrOptions().pages(pages, 0, length).access(LOCAL_WRITE, REMOTE_WRITE)));
        Check.equal(length, region.length(), "length");
        for (final long offset : new long[] {0, (1L << 30) - PAGE, 1L << 30, length - 2 * PAGE, length - PAGE}) {
            from.fill((int) offset + 3, 0, 64);
            Check.ok(pair.nearQp().postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE)
                .sge(from.at(0), 64, from.lkey()).remote(region.iova() + offset + 17, region.rkey())), "post");
            pair.near().sent().next().expect(0, WcOpcode.RDMA_WRITE);
            Memory.expectPattern(memory.buffer(), (int) offset + 3, (offset == length - PAGE ? PAGE : 0) + 17, 64,
                "written at " + offset);
            env.moved(64);
        }
    }

    /** Regions of all kinds over the same memory, at random, closed at random; each that is open reaches its bytes. */
    private static void randomKinds(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(16 * PAGE);
        final Memory to = pair.far().memory(16 * PAGE);
        final Random random = env.random();
        final List<Model> open = new ArrayList<>();
        for (int step = 0; step < env.times(12, 300); step++) {
            if (open.size() < 8 || random.nextBoolean() && open.size() < 24) {
                open.add(Model.make(env, pair.far().pd(), to, open));
            } else {
                open.remove(random.nextInt(open.size())).region.close();
            }
            if (!open.isEmpty()) {
                open.get(random.nextInt(open.size())).receive(env, pair, from, to, step);
            }
        }
        open.forEach(model -> model.region.close());
    }

    /** A region and where each of its bytes is in the memory. */
    private record Model(MemoryRegion region, int[] pages, int offset) {
        static Model make(
            final ConformanceEnv env, final ProtectionDomain pd, final Memory memory, final List<Model> others) {
            final Random random = env.random();
            final int offset = random.nextInt(PAGE);
            final int kind = random.nextInt(others.isEmpty() ? 2 : 3);
            if (kind == 2) {
                final Model other = others.get(random.nextInt(others.size()));
                return new Model(pd.registerShared(other.region, other.region.iova(), LOCAL_WRITE), other.pages,
                    other.offset);
            }
            final int[] pages = new int[1 + random.nextInt(5)];
            final int first = random.nextInt(11);
            for (int i = 0; i < pages.length; i++) {
                pages[i] = kind == 0 ? first + i : random.nextInt(16);
            }
            final int rest = pages.length == 1 ? PAGE - offset : PAGE;
            final int length = Math.max(0, pages.length - 1) * PAGE - (pages.length == 1 ? 0 : offset)
                + 1 + random.nextInt(rest);
            final MrOptions options = new MrOptions().access(LOCAL_WRITE);
            return new Model(pd.register(kind == 0 ? options.memory(memory.at(first * PAGE + offset), length)
                : options.pages(list(memory, pages), offset, length)), pages, offset);
        }

        private static PageList list(final Memory memory, final int[] pages) {
            final PageList list = new PageList();
            for (final int page : pages) {
                list.add(memory.pinned(), page, 1);
            }
            return list;
        }

        /** A message to a random part; what stands in a page that is there twice is what was written to it last. */
        void receive(
            final ConformanceEnv env, final RcPair pair, final Memory from, final Memory to, final int seed) {
            final int at = env.random().nextInt((int) region.length());
            final int length = 1 + env.random().nextInt((int) region.length() - at);
            final UnsafeBuffer model = new UnsafeBuffer(new byte[16 * PAGE]);
            to.buffer().setMemory(0, 16 * PAGE, (byte) seed);
            model.setMemory(0, 16 * PAGE, (byte) seed);
            for (int i = 0; i < length; i++) {
                final int place = offset + at + i;
                model.putByte(pages[place / PAGE] * PAGE + place % PAGE, Memory.pattern(seed, i));
            }
            RegionKindCases.receive(env, pair, from, seed, region, at, length);
            to.expectBytes(model.byteArray(), 0, "step " + seed + ", " + region);
        }
    }
}
