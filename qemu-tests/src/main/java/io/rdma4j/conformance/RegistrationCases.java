/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBADFD;
import static io.rdma4j.RdmaException.EBUSY;
import static io.rdma4j.RdmaException.EFAULT;
import static io.rdma4j.RdmaException.EINVAL;
import static io.rdma4j.RdmaException.ENOMEM;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WcOpcode;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Memory of the device, and regions over it. */
final class RegistrationCases {
    private static final int PAGE = 4096;

    private RegistrationCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("memory.comesZeroedAndAligned", RegistrationCases::memoryZeroed),
            ConformanceCase.of("memory.refusesSizesThatMakeNoSense", RegistrationCases::memoryRefuses),
            ConformanceCase.of("memory.staysWhileRegionsAreInIt", RegistrationCases::memoryStays),
            ConformanceCase.of("mr.tellsWhatWasRegistered", RegistrationCases::tells),
            ConformanceCase.of("mr.closesTwiceWithoutHarm", RegistrationCases::closesTwice),
            ConformanceCase.of("mr.anyStartAndLength", RegistrationCases::anyStartAndLength),
            ConformanceCase.of("mr.manyPages", RegistrationCases::manyPages).within(Duration.ofSeconds(40)),
            ConformanceCase.of("mr.manyRegions", RegistrationCases::manyRegions),
            ConformanceCase.of("mr.overlappingRegionsAreIndependent", RegistrationCases::overlapping),
            ConformanceCase.of("mr.refusesRangesThatMakeNoSense", RegistrationCases::refusesRanges),
            ConformanceCase.of("mr.refusesRightsThatContradict", RegistrationCases::refusesRights),
            ConformanceCase.of("mr.hasARemoteKeyOnlyWithRemoteRights", RegistrationCases::remoteKeyOnlyWithRights),
            ConformanceCase.of("mr.remoteKeysDiffer", RegistrationCases::remoteKeysDiffer).needs(Feature.REMOTE_KEYS),
            ConformanceCase.of("mr.refusesMemoryOutOfReach", RegistrationCases::refusesOutOfReach),
            ConformanceCase.of("mr.byteBufferFromPositionToLimit", RegistrationCases::byteBuffer).needsAnyMemory(),
            ConformanceCase.of("mr.agronaBuffer", RegistrationCases::agronaBuffer).needsAnyMemory(),
            ConformanceCase.of("mr.rawAddress", RegistrationCases::rawAddress).needsAnyMemory(),
            ConformanceCase.of("mr.keepsItsBufferFromBeingCollected", RegistrationCases::keepsBuffer).needsAnyMemory(),
            ConformanceCase.of("mr.refusesHeapMemory", RegistrationCases::refusesHeap));
    }

    private static void memoryZeroed(final ConformanceEnv env) {
        for (final int length : new int[] {1, PAGE - 1, PAGE, PAGE + 1, 100 * PAGE + 7}) {
            final PinnedMemory memory = env.own(env.device().allocate(length));
            Check.equal(0L, memory.address() % PAGE, "offset in page of %d bytes", length);
            Check.equal((length + PAGE - 1L) / PAGE * PAGE, memory.length(), "length for %d bytes", length);
            final UnsafeBuffer buffer = memory.buffer();
            for (int i = 0; i < memory.length(); i += 8) {
                Check.that(buffer.getLong(i) == 0, "byte %d of %d is not zero", i, length);
            }
            buffer.setMemory(0, buffer.capacity(), (byte) -1);
            memory.close();
            memory.close();
            Check.that(memory.isClosed(), "not closed");
        }
    }

    private static void memoryRefuses(final ConformanceEnv env) {
        Check.refused(EINVAL, () -> env.device().allocate(0), "0 bytes", "0");
        Check.refused(EINVAL, () -> env.device().allocate(-1), "-1 bytes", "-1");
        for (final long length : new long[] {1L << 50, Long.MAX_VALUE}) {
            try {
                env.own(env.device().allocate(length));
                throw new AssertionError(length + " bytes were allocated");
            } catch (final RdmaException e) {
                Check.that(e.errno() == ENOMEM || e.errno() == EINVAL, "errno of '%s'", e.getMessage());
            }
        }
        final PinnedMemory memory = env.own(env.device().allocate(PAGE));
        for (final int[] part : new int[][] {{-1, 1}, {0, PAGE + 1}, {PAGE, 1}, {1, Integer.MAX_VALUE}, {0, -1}}) {
            try {
                memory.buffer(part[0], part[1]);
            } catch (final IndexOutOfBoundsException e) {
                continue;
            }
            throw new AssertionError("a view of " + part[1] + " bytes at " + part[0] + " of one page was given out");
        }
    }

    private static void memoryStays(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final PinnedMemory memory = env.own(env.device().allocate(PAGE));
        final MemoryRegion region = env.own(pd.register(memory, AccessFlag.LOCAL_WRITE));
        Check.refused(EBUSY, memory::close, "closing memory that is registered");
        Check.that(!memory.isClosed() && !region.isClosed(), "it was closed all the same");
        region.close();
        memory.close();
        Check.refused(EBADFD, () -> pd.register(memory, AccessFlag.LOCAL_WRITE), "closed memory", "closed");
    }

    private static void tells(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final PinnedMemory memory = env.own(env.device().allocate(3 * PAGE));
        final MemoryRegion all = env.own(pd.register(memory, AccessFlag.LOCAL_WRITE));
        Check.equal(memory.address(), all.address(), "address");
        Check.equal(memory.length(), all.length(), "length");
        Check.equal(Set.of(AccessFlag.LOCAL_WRITE), all.access(), "access");
        Check.equal(pd, all.pd(), "domain");
        final MemoryRegion part = env.own(pd.register(memory.address() + 13, 5000));
        Check.equal(memory.address() + 13, part.address(), "address of a part");
        Check.equal(5000L, part.length(), "length of a part");
        Check.equal(Set.of(), part.access(), "access of a part");
        Check.that(all.lkey() != part.lkey(), "two regions have the local key 0x%x", all.lkey());
    }

    private static void closesTwice(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final PinnedMemory memory = env.own(env.device().allocate(PAGE));
        final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE);
        region.close();
        final MemoryRegion other = env.own(pd.register(memory, AccessFlag.LOCAL_WRITE));
        region.close();
        Check.that(region.isClosed() && !other.isClosed(), "the second close hit another region");
    }

    /** Below a page, across pages, exact pages; one message through each region, to its first and last byte. */
    private static void anyStartAndLength(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(5 * PAGE);
        final Memory to = pair.far().memory(8 * PAGE);
        final int[] starts = {0, 1, 63, 2048, PAGE - 1};
        final int[] lengths = {1, 2, 100, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 3 * PAGE + 5};
        for (final int start : starts) {
            for (final int length : lengths) {
                throughRegion(env, pair, from, to, PAGE + start, length);
            }
        }
    }

    private static void throughRegion(
        final ConformanceEnv env, final RcPair pair, final Memory from, final Memory to, final int start,
        final int length) {
        final MemoryRegion region = pair.far().pd().register(to.at(start), length, AccessFlag.LOCAL_WRITE);
        to.guard();
        final int seed = 31 * start + length;
        from.fill(seed, 0, length);
        Check.ok(pair.farQp().postReceive(1, to.at(start), length, region.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(2, from.at(0), length, from.lkey()), "post send");
        pair.near().sent().next().expect(2, WcOpcode.SEND);
        pair.far().received().next().expect(1, WcOpcode.RECV).expectBytes(length);
        region.close();
        final String what = length + " bytes at offset " + start;
        to.expectPattern(seed, start, length, what);
        to.expectGuard(start - 64, start, "before " + what);
        to.expectGuard(start + length, start + length + 64, "behind " + what);
        env.moved(length);
    }

    /** More pages than one translation table names: at the seams of pages and tables, and at both ends. */
    private static void manyPages(final ConformanceEnv env) {
        final int pages = env.times(1537, 12_289);
        final int length = (int) Math.min((long) pages * PAGE, env.peer().attributes().maxMrSize()) - 5;
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(4 * PAGE);
        final PinnedMemory pinned = env.own(env.peer().allocate(length + 5L));
        final MemoryRegion region =
            env.own(pair.far().pd().register(pinned.address() + 3, length, AccessFlag.LOCAL_WRITE));
        final UnsafeBuffer buffer = pinned.buffer();
        final int tables = 512 * PAGE;
        final int size = 2 * PAGE + 9;
        for (final int offset : new int[] {3, tables - PAGE - 1, 2 * tables - 1, 3 * tables - size,
            length + 3 - size}) {
            final int seed = offset;
            from.fill(seed, 0, size);
            Check.ok(pair.farQp().postReceive(1, pinned.address() + offset, size, region.lkey()), "post receive");
            Check.ok(pair.nearQp().postSend(2, from.at(0), size, from.lkey()), "post send");
            pair.near().sent().next().expect(2, WcOpcode.SEND);
            pair.far().received().next().expect(1, WcOpcode.RECV);
            Memory.expectPattern(buffer, seed, offset, size, "at offset " + offset + " of " + length);
            buffer.setMemory(offset, size, (byte) 0);
            env.moved(size);
        }
        for (int i = 0; i < buffer.capacity(); i += 8) {
            Check.that(buffer.getLong(i) == 0, "byte %d was written to by mistake", i);
        }
    }

    private static void manyRegions(final ConformanceEnv env) {
        final int count = Math.min(env.times(60, 500), env.peer().attributes().maxMr() - 2);
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(PAGE);
        final Memory to = pair.far().memory(64 * PAGE);
        final List<MemoryRegion> regions = new ArrayList<>();
        final Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < count; i++) {
            regions.add(to.part(env, pair.far().pd(), i % 60 * PAGE + i, 1 + PAGE));
            Check.that(keys.add(regions.get(i).lkey()), "local key 0x%x was given out twice", regions.get(i).lkey());
        }
        for (int i = 0; i < count; i += 7) {
            final MemoryRegion region = regions.get(i);
            from.fill(i, 0, 64);
            Check.ok(pair.farQp().postReceive(i, region.address() + 100, 64, region.lkey()), "post receive");
            Check.ok(pair.nearQp().postSend(i, from.at(0), 64, from.lkey()), "post send");
            pair.near().sent().next().expect(i, WcOpcode.SEND);
            pair.far().received().next().expect(i, WcOpcode.RECV);
            to.expectPattern(i, i % 60 * PAGE + i + 100, 64, "in region " + i);
            env.moved(64);
        }
    }

    private static void overlapping(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(PAGE);
        final Memory to = pair.far().memory(4 * PAGE);
        final MemoryRegion inner = to.part(env, pair.far().pd(), PAGE, PAGE);
        final MemoryRegion twin = to.part(env, pair.far().pd(), PAGE, PAGE);
        final MemoryRegion across = to.part(env, pair.far().pd(), PAGE / 2, 2 * PAGE);
        twin.close();
        to.region().close();
        for (final MemoryRegion region : List.of(inner, across)) {
            from.fill(region.lkey(), 0, 500);
            Check.ok(pair.farQp().postReceive(1, to.at(PAGE + 20), 500, region.lkey()), "post receive");
            Check.ok(pair.nearQp().postSend(1, from.at(0), 500, from.lkey()), "post send");
            pair.near().sent().next().expect(1, WcOpcode.SEND);
            pair.far().received().next().expect(1, WcOpcode.RECV);
            to.expectPattern(region.lkey(), PAGE + 20, 500, "through " + region);
            env.moved(500);
        }
    }

    private static void refusesRanges(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final PinnedMemory memory = env.own(env.device().allocate(PAGE));
        final long start = memory.address();
        refuse(pd, start, 0, "no bytes");
        refuse(pd, start, -1, "-1 bytes");
        refuse(pd, start, Long.MIN_VALUE, "a negative length");
        refuse(pd, -PAGE, 2 * PAGE, "a range that wraps");
        refuse(pd, start, env.device().attributes().maxMrSize() + 1, "more than max_mr_size");
        refuse(pd, start, Long.MAX_VALUE, "a length that wraps");
    }

    private static void refuse(
        final ProtectionDomain pd, final long address, final long length, final String what) {
        Check.refused(EINVAL, () -> pd.register(address, length, AccessFlag.LOCAL_WRITE), what);
    }

    private static void refusesRights(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final PinnedMemory memory = env.own(env.device().allocate(PAGE));
        for (final AccessFlag flag : List.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)) {
            Check.refused(EINVAL, () -> pd.register(memory, flag), flag + " without LOCAL_WRITE", "LOCAL_WRITE");
        }
    }

    private static void remoteKeyOnlyWithRights(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final PinnedMemory memory = env.own(env.device().allocate(PAGE));
        final MemoryRegion local = env.own(pd.register(memory, AccessFlag.LOCAL_WRITE));
        Check.that(!local.hasRkey(), "a region without remote rights has a remote key");
        Check.refused(EINVAL, local::rkey, "remote key of a region without remote rights", "remote");
    }

    private static void remoteKeysDiffer(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final PinnedMemory memory = env.own(env.device().allocate(PAGE));
        final Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            final MemoryRegion region = env.own(pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ));
            Check.that(region.hasRkey() && keys.add(region.rkey()), "remote key 0x%x came twice", region.rkey());
        }
    }

    private static void refusesOutOfReach(final ConformanceEnv env) {
        if (env.device().reachesAnyMemory()) {
            throw env.skip("this device reaches any memory of the process");
        }
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final ByteBuffer foreign = ByteBuffer.allocateDirect(2 * PAGE);
        Check.refused(EFAULT, () -> pd.register(foreign, AccessFlag.LOCAL_WRITE), "memory out of reach");
        final PinnedMemory memory = env.own(env.device().allocate(PAGE));
        Check.refused(EFAULT, () -> pd.register(memory.address() - (1L << 40), PAGE, AccessFlag.LOCAL_WRITE),
            "memory far below");
    }

    private static void byteBuffer(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(PAGE);
        final ByteBuffer buffer = ByteBuffer.allocateDirect(3 * PAGE + 1);
        buffer.position(77).limit(3 * PAGE - 5);
        final MemoryRegion region = env.own(pair.far().pd().register(buffer, AccessFlag.LOCAL_WRITE));
        Check.equal(BufferUtil.address(buffer) + 77, region.address(), "address");
        Check.equal(3L * PAGE - 5 - 77, region.length(), "length");
        Check.equal(77, buffer.position(), "position afterwards");
        receiveInto(env, pair, from, region, 1000, new UnsafeBuffer(buffer, 0, buffer.capacity()), 77 + 1000);
    }

    private static void agronaBuffer(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(PAGE);
        final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(3 * PAGE), 123, 2 * PAGE);
        final MemoryRegion region = env.own(pair.far().pd().register(buffer, AccessFlag.LOCAL_WRITE));
        Check.equal(buffer.addressOffset(), region.address(), "address");
        Check.equal((long) buffer.capacity(), region.length(), "length");
        receiveInto(env, pair, from, region, 3000, buffer, 3000);
    }

    private static void rawAddress(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(PAGE);
        final ByteBuffer owner = ByteBuffer.allocateDirect(2 * PAGE);
        final long address = BufferUtil.address(owner);
        final MemoryRegion region =
            env.own(pair.far().pd().register(address + 9, PAGE, owner, AccessFlag.LOCAL_WRITE));
        receiveInto(env, pair, from, region, 0, new UnsafeBuffer(owner), 9);
    }

    private static void receiveInto(
        final ConformanceEnv env, final RcPair pair, final Memory from, final MemoryRegion region, final int offset,
        final UnsafeBuffer view, final int viewOffset) {
        from.fill(offset, 0, 1234);
        Check.ok(pair.farQp().postReceive(5, region.address() + offset, 1234, region.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(6, from.at(0), 1234, from.lkey()), "post send");
        pair.near().sent().next().expect(6, WcOpcode.SEND);
        pair.far().received().next().expect(5, WcOpcode.RECV).expectBytes(1234);
        Memory.expectPattern(view, offset, viewOffset, 1234, "in " + region);
        env.moved(1234);
    }

    private static void keepsBuffer(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);
        final WeakReference<ByteBuffer> watched = new WeakReference<>(buffer);
        final MemoryRegion region = env.own(pd.register(buffer, AccessFlag.LOCAL_WRITE));
        buffer = null;
        for (int i = 0; i < 3; i++) {
            System.gc();
            Check.that(watched.get() != null, "the buffer was collected under the device");
        }
        region.close();
    }

    private static void refusesHeap(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        Check.refused(EINVAL, () -> pd.register(ByteBuffer.allocate(PAGE), AccessFlag.LOCAL_WRITE),
            "a heap ByteBuffer", "direct");
        Check.refused(EINVAL, () -> pd.register(new UnsafeBuffer(new byte[PAGE]), AccessFlag.LOCAL_WRITE),
            "a buffer over a byte array", "direct");
        Check.refused(EINVAL, () -> pd.register(ByteBuffer.allocateDirect(0), AccessFlag.LOCAL_WRITE),
            "an empty buffer");
    }
}
