/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBADFD;
import static io.rdma4j.RdmaException.EFAULT;
import static io.rdma4j.RdmaException.EINVAL;
import static io.rdma4j.RdmaException.EOPNOTSUPP;
import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.ON_DEMAND;
import static io.rdma4j.verbs.AccessFlag.RELAXED_ORDERING;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.util.List;

import org.agrona.concurrent.UnsafeBuffer;

/** Pages that come and go while a region has their addresses: looked for at each access, or told of by a refresh. */
final class PagingCases {
    private static final int PAGE = 4096;
    private static final int PAGES = 16;
    private static final long LENGTH = (long) PAGES * PAGE;
    private static final AccessFlag[] ALL = {LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC};
    private static final AccessFlag[] ALL_ON_DEMAND = {LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC,
        ON_DEMAND};

    private PagingCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("paging.onDemandOnlyWhereItIsSupported", PagingCases::refusesOnDemand).needsAnyMemory(),
            ConformanceCase.of("paging.pagesMappedAfterRegistration", PagingCases::mappedLater)
                .needs(Feature.ON_DEMAND_PAGING, Feature.RDMA_WRITE, Feature.RDMA_READ),
            ConformanceCase.of("paging.missingPagesOfThePeer", PagingCases::missingThere)
                .needs(Feature.ON_DEMAND_PAGING, Feature.ON_DEMAND_EVERYWHERE, Feature.RDMA_WRITE, Feature.RDMA_READ,
                    Feature.ATOMICS),
            ConformanceCase.of("paging.missingPagesOfTheSender", PagingCases::missingHere)
                .needs(Feature.ON_DEMAND_PAGING, Feature.RDMA_WRITE, Feature.RDMA_READ),
            ConformanceCase.of("paging.receiveIntoPagesOnDemand", PagingCases::receives)
                .needs(Feature.ON_DEMAND_PAGING),
            ConformanceCase.of("paging.atomicsOnDemand", PagingCases::atomics)
                .needs(Feature.ON_DEMAND_PAGING, Feature.ON_DEMAND_EVERYWHERE, Feature.ATOMICS),
            ConformanceCase.of("paging.onDemandRefreshNamesWhatIsMissing", PagingCases::populates)
                .needs(Feature.ON_DEMAND_PAGING),
            ConformanceCase.of("paging.refreshOnlyWhereItIsSupported", PagingCases::refusesRefresh).needsAnyMemory(),
            ConformanceCase.of("paging.refreshReachesTheNewPages", PagingCases::refreshes)
                .needs(Feature.REFRESH, Feature.RDMA_WRITE, Feature.RDMA_READ).needsAnyMemory(),
            ConformanceCase.of("paging.whatCannotBeRefreshedIsNotReached", PagingCases::gone)
                .needs(Feature.REFRESH, Feature.RDMA_WRITE, Feature.RDMA_READ).needsAnyMemory());
    }

    /** Addresses that nobody else gets; nothing is there at first. */
    private static final class Addresses implements AutoCloseable {
        private final long first = Libc.mmap(0, LENGTH, LibcConstants.PROT_NONE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_NORESERVE, -1, 0);

        /** Fresh pages, over whatever is there. */
        Addresses map(final int page, final int pages) {
            return map(page, pages, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE);
        }

        Addresses map(final int page, final int pages, final int prot) {
            Libc.mmap(at(page * PAGE), (long) pages * PAGE, prot, LibcConstants.MAP_PRIVATE
                | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
            return this;
        }

        Addresses unmap(final int page, final int pages) {
            return map(page, pages, LibcConstants.PROT_NONE);
        }

        long at(final int offset) {
            return first + offset;
        }

        /** Only of pages that are there. */
        UnsafeBuffer bytes(final int offset, final int length) {
            return new UnsafeBuffer(at(offset), length);
        }

        void fill(final int seed, final int offset, final int length) {
            final UnsafeBuffer bytes = bytes(offset, length);
            for (int i = 0; i < length; i++) {
                bytes.putByte(i, Memory.pattern(seed, i));
            }
        }

        void expect(final int seed, final int offset, final int length, final String what) {
            Memory.expectPattern(bytes(offset, length), seed, 0, length, what);
        }

        @Override
        public void close() {
            Libc.munmap(first, LENGTH);
        }
    }

    private static SendRequest write(final Memory from, final int length, final MemoryRegion to, final int offset) {
        return new SendRequest().opcode(SendOpcode.RDMA_WRITE).sge(from.at(0), length, from.lkey())
            .remote(to.iova() + offset, to.rkey());
    }

    private static SendRequest read(final Memory into, final int length, final MemoryRegion from, final int offset) {
        return new SendRequest().opcode(SendOpcode.RDMA_READ).sge(into.at(0), length, into.lkey())
            .remote(from.iova() + offset, from.rkey());
    }

    private static void run(final RcPair pair, final SendRequest request, final WcOpcode opcode) {
        Check.ok(pair.nearQp().postSend(request.wrId(7)), "post");
        pair.near().sent().next().expect(7, opcode);
    }

    /** Both ways, and the bytes around it are left alone. */
    private static void exchange(
        final ConformanceEnv env, final RcPair pair, final Memory near, final Addresses to, final MemoryRegion region,
        final int offset, final int length) {
        final int seed = env.random().nextInt();
        near.fill(seed, 0, length);
        to.bytes(offset - 1, length + 2).setMemory(0, length + 2, Memory.GUARD);
        run(pair, write(near, length, region, offset), WcOpcode.RDMA_WRITE);
        to.expect(seed, offset, length, length + " bytes written");
        Check.that(to.bytes(offset - 1, 1).getByte(0) == Memory.GUARD
            && to.bytes(offset + length, 1).getByte(0) == Memory.GUARD, "bytes around were written");
        to.fill(seed + 1, offset, length);
        run(pair, read(near, length, region, offset), WcOpcode.RDMA_READ);
        near.expectPattern(seed + 1, 0, length, length + " bytes read");
        env.moved(2L * length);
    }

    private static void refusesOnDemand(final ConformanceEnv env) {
        final Node node = Node.near(env, 1);
        final Addresses addresses = env.own(new Addresses());
        if (env.device().supports(Feature.ON_DEMAND_PAGING)) {
            final MemoryRegion region =
                env.own(node.pd().register(addresses.at(1), LENGTH - 2, LOCAL_WRITE, ON_DEMAND));
            Check.equal(LENGTH - 2, region.length(), "length");
            Check.that(region.access().contains(ON_DEMAND), "access is %s", region.access());
            region.close();
        } else {
            Check.refused(EOPNOTSUPP, () -> node.pd().register(addresses.at(0), PAGE, LOCAL_WRITE, ON_DEMAND),
                "a region on demand", "ON_DEMAND_PAGING", env.device().whyNot(Feature.ON_DEMAND_PAGING));
        }
        Check.refused(EFAULT, () -> node.pd().register(addresses.at(0), PAGE, LOCAL_WRITE), "without the flag",
            "not readable");
        refuses(node, Feature.ALL_MEMORY, new MrOptions().allMemory());
        refuses(node, Feature.DMA_BUFS, new MrOptions().dmaBuf(0, 0, PAGE));
        addresses.map(0, 1);
        final MemoryRegion relaxed =
            env.own(node.pd().register(addresses.at(0), PAGE, LOCAL_WRITE, RELAXED_ORDERING));
        Check.that(relaxed.access().contains(RELAXED_ORDERING), "access is %s", relaxed.access());
    }

    private static void refuses(final Node node, final Feature feature, final MrOptions options) {
        final RdmaContext device = node.pd().context();
        if (!device.supports(feature)) {
            Check.refused(EOPNOTSUPP, () -> node.pd().register(options), options.toString(), feature.name(),
                device.whyNot(feature));
        }
    }

    private static void mappedLater(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 4, 1, REMOTE_WRITE, REMOTE_READ);
        final Memory near = pair.near().memory(3 * PAGE);
        final Addresses addresses = env.own(new Addresses());
        final MemoryRegion region = env.own(pair.far().pd().register(addresses.at(0), LENGTH, ALL_ON_DEMAND));
        addresses.map(0, PAGES);
        for (int round = 0; round < env.times(4, 100); round++) {
            for (final int length : new int[] {1, 8, 9, PAGE, 2 * PAGE + 17}) {
                exchange(env, pair, near, addresses, region, 1 + env.random().nextInt(3 * PAGE), length);
            }
            addresses.unmap(0, PAGES).map(0, PAGES);
        }
    }

    private static void missingThere(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env);
        final Memory near = refusal.near().memory(3 * PAGE).fill(1, 0, 3 * PAGE);
        final Addresses addresses = env.own(new Addresses()).map(0, 1).map(2, 1, LibcConstants.PROT_READ);
        final MemoryRegion region =
            env.own(refusal.far().pd().register(addresses.at(0), LENGTH, ALL_ON_DEMAND));
        final AccessFlag[] rights = {REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC};
        for (final SendRequest request : List.of(write(near, 8, region, PAGE), write(near, 2 * PAGE, region, 0),
            write(near, 8, region, 2 * PAGE), read(near, 8, region, PAGE), read(near, 2 * PAGE, region, 0),
            write(near, 8, region, PAGE).opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).atomic(1, 0),
            write(near, 8, region, 2 * PAGE).opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).atomic(1, 0))) {
            refusal.with(rights).byPeer(request, WcStatus.REM_ACCESS_ERR, AsyncEventType.QP_ACCESS_ERR);
        }
        Check.equal(0L, addresses.bytes(2 * PAGE, 8).getLong(0), "bytes that must not be written");
        addresses.map(1, 2);
        exchange(env, refusal.with(rights).pair(), near, addresses, region, 1, 3 * PAGE - 2);
    }

    private static void missingHere(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env);
        final Memory far = refusal.far().memory(PAGE, REMOTE_WRITE, REMOTE_READ).guard();
        final Addresses addresses = env.own(new Addresses());
        final MemoryRegion region = env.own(refusal.near().pd().register(addresses.at(0), LENGTH, ALL_ON_DEMAND));
        for (final SendOpcode opcode : new SendOpcode[] {SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ}) {
            refusal.with(REMOTE_WRITE, REMOTE_READ).here(new SendRequest().opcode(opcode)
                .sge(region.iova(), 8, region.lkey()).remote(far.at(0), far.rkey()), WcStatus.LOC_PROT_ERR);
        }
        far.expectGuard(0, PAGE, "memory of the peer");
        addresses.map(0, 1);
        addresses.fill(3, 0, PAGE);
        final RcPair pair = refusal.with(REMOTE_WRITE, REMOTE_READ).pair();
        run(pair, new SendRequest().opcode(SendOpcode.RDMA_WRITE).sge(region.iova(), PAGE, region.lkey())
            .remote(far.at(0), far.rkey()), WcOpcode.RDMA_WRITE);
        far.expectPattern(3, 0, PAGE, "written from pages on demand");
        env.moved(PAGE);
    }

    private static void receives(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(PAGE);
        final Addresses addresses = env.own(new Addresses());
        final MemoryRegion region = env.own(pair.far().pd().register(addresses.at(0), LENGTH, ALL_ON_DEMAND));
        Check.ok(pair.farQp().postReceive(1, region.iova() + 100, PAGE, region.lkey()), "post receive");
        addresses.map(0, 2);
        from.fill(5, 0, PAGE);
        Check.ok(pair.nearQp().postSend(2, from.at(0), PAGE, from.lkey()), "post send");
        pair.near().sent().next().expect(2, WcOpcode.SEND);
        pair.far().received().next().expect(1, WcOpcode.RECV).expectBytes(PAGE);
        addresses.expect(5, 100, PAGE, "received");
        addresses.unmap(0, 2);
        Check.ok(pair.farQp().postReceive(3, region.iova() + 100, PAGE, region.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(4, from.at(0), PAGE, from.lkey()), "post send");
        pair.near().sent().next().expectStatus(4, WcStatus.REM_OP_ERR);
        pair.far().received().next().expectStatus(3, WcStatus.LOC_PROT_ERR);
        env.moved(PAGE);
    }

    private static void atomics(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 4, 1, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(8);
        final Addresses addresses = env.own(new Addresses());
        final MemoryRegion region = env.own(pair.far().pd().register(addresses.at(0), LENGTH, ALL_ON_DEMAND));
        addresses.map(0, 1);
        final SendRequest request = new SendRequest().opcode(SendOpcode.ATOMIC_FETCH_AND_ADD)
            .sge(old.at(0), 8, old.lkey()).remote(region.iova() + 64, region.rkey());
        for (long i = 0; i < env.times(5, 1000); i++) {
            run(pair, request.atomic(3, 0), WcOpcode.FETCH_ADD);
            Check.equal(3 * i, old.buffer().getLong(0), "before");
            Check.equal(3 * i + 3, addresses.bytes(64, 8).getLong(0), "after");
        }
        run(pair, request.opcode(SendOpcode.ATOMIC_CMP_AND_SWP).atomic(-1, 9), WcOpcode.COMP_SWAP);
        Check.that(addresses.bytes(64, 8).getLong(0) != 9, "swapped what is not equal");
        run(pair, request.atomic(addresses.bytes(64, 8).getLong(0), 9), WcOpcode.COMP_SWAP);
        Check.equal(9L, addresses.bytes(64, 8).getLong(0), "after the swap");
    }

    private static void populates(final ConformanceEnv env) {
        final Addresses addresses = env.own(new Addresses()).map(0, 3);
        final MemoryRegion region =
            env.own(Node.near(env, 1).pd().register(addresses.at(0), LENGTH, ALL_ON_DEMAND));
        region.refresh(addresses.at(5), 3 * PAGE - 5);
        Check.refused(EFAULT, () -> region.refresh(addresses.at(0), LENGTH), "a range with a hole",
            Long.toHexString(addresses.at(3 * PAGE)));
        refusesRanges(region);
    }

    private static void refusesRanges(final MemoryRegion region) {
        final long from = region.address();
        for (final long[] range : new long[][] {{from, 0}, {from, -1}, {from - 1, 2}, {from, region.length() + 1},
            {from + region.length(), 1}, {0, 1}, {Long.MAX_VALUE, Long.MAX_VALUE}, {from, Long.MAX_VALUE}}) {
            Check.refused(EINVAL, () -> region.refresh(range[0], range[1]), "a range that is not in the region");
        }
        region.close();
        Check.refused(EBADFD, () -> region.refresh(from, 1), "a region that is closed");
    }

    private static void refusesRefresh(final ConformanceEnv env) {
        final Addresses addresses = env.own(new Addresses()).map(0, PAGES);
        final MemoryRegion region = env.own(Node.near(env, 1).pd().register(addresses.at(0), LENGTH, LOCAL_WRITE));
        if (env.device().supports(Feature.REFRESH)) {
            region.refresh(addresses.at(0), LENGTH);
            refusesRanges(region);
        } else {
            Check.refused(EOPNOTSUPP, () -> region.refresh(addresses.at(0), LENGTH), "refresh", "REFRESH",
                env.device().whyNot(Feature.REFRESH));
        }
    }

    private static void refreshes(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 4, 1, REMOTE_WRITE, REMOTE_READ);
        final Memory near = pair.near().memory(3 * PAGE);
        final Addresses addresses = env.own(new Addresses()).map(0, PAGES);
        final MemoryRegion region = env.own(pair.far().pd().register(addresses.at(0), LENGTH, ALL));
        final List<Integer> keys = List.of(region.lkey(), region.rkey());
        exchange(env, pair, near, addresses, region, 1, 3 * PAGE);
        for (int round = 0; round < env.times(4, 100); round++) {
            final int page = env.random().nextInt(PAGES - 4);
            addresses.map(page, 3);
            region.refresh(addresses.at(page * PAGE), 3 * PAGE);
            exchange(env, pair, near, addresses, region, page * PAGE + 1, 3 * PAGE - 2);
        }
        Check.equal(keys, List.of(region.lkey(), region.rkey()), "keys");
    }

    private static void gone(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env);
        final Memory near = refusal.near().memory(2 * PAGE);
        final Addresses addresses = env.own(new Addresses()).map(0, PAGES);
        final MemoryRegion region = env.own(refusal.far().pd().register(addresses.at(0), LENGTH, ALL));
        addresses.unmap(3, 1);
        Check.refused(EFAULT, () -> region.refresh(addresses.at(3 * PAGE), PAGE), "pages that are gone",
            Long.toHexString(addresses.at(3 * PAGE)));
        for (final SendRequest request : List.of(write(near, 8, region, 3 * PAGE), read(near, 8, region, 3 * PAGE))) {
            refusal.with(REMOTE_WRITE, REMOTE_READ).byPeer(request, WcStatus.REM_ACCESS_ERR,
                AsyncEventType.QP_ACCESS_ERR);
        }
        addresses.map(3, 1);
        region.refresh(addresses.at(3 * PAGE), PAGE);
        exchange(env, refusal.with(REMOTE_WRITE, REMOTE_READ).pair(), near, addresses, region, 2 * PAGE, 2 * PAGE);
    }
}
