/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.driver.libc.LibcConstants.MAP_ANONYMOUS;
import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED;
import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED_NOREPLACE;
import static io.rdma4j.driver.libc.LibcConstants.MAP_PRIVATE;
import static io.rdma4j.driver.libc.LibcConstants.PROT_READ;
import static io.rdma4j.driver.libc.LibcConstants.PROT_WRITE;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OperationKind;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Regions over addresses whose memory comes later and changes: found by the device, or told by refresh(). */
final class FabricPagingCases {
    private static final int LENGTH = 4 * 4096;
    private static final int READ_WRITE = PROT_READ | PROT_WRITE;
    private static final int ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS;
    private static final int ATTEMPTS = 5;

    private FabricPagingCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("fabric.regionOfMemoryThatComesLater", FabricPagingCases::later).needsAnyMemory(),
            ConformanceCase.of("fabric.regionOfMemoryThatIsAllocatedIsThere", FabricPagingCases::allocated));
    }

    /** Pages need not be there: the device looks for them, or the application tells of them. */
    private static FabricPair pair(final ConformanceEnv env) {
        final Set<MrMode> offered = EnumSet.copyOf(FabricPair.EVERYTHING);
        offered.remove(MrMode.ALLOCATED);
        try {
            return FabricPair.of(env, hints -> hints.capabilities(Capability.MSG).mrMode(offered));
        } catch (final FabricException e) {
            Check.equal(FiErrno.FI_ENODATA, e.errno(), "errno of '%s'", e.getMessage());
            throw env.skip("memory has to be there when it is registered: %s",
                FabricPair.info(env.device(), hints -> hints.capabilities(Capability.MSG)).why(MrMode.ALLOCATED));
        }
    }

    private static void later(final ConformanceEnv env) {
        final FabricPair pair = pair(env);
        final FabricMemory to = pair.farMemory(LENGTH);
        final boolean told = pair.info().mrMode().contains(MrMode.MMU_NOTIFY);
        for (int attempt = 1;; attempt++) {
            final long address = nothing();
            try (MemoryRegion region =
                pair.near().domain().register(address, LENGTH, EnumSet.of(MrAccess.SEND), 0)) {
                if (told && region.isEnabled() && attempt < ATTEMPTS) {
                    continue; // Another thread's memory came there.
                }
                Check.equal(!told, region.isEnabled(), "%s is enabled before there is memory", region);
                if (told) {
                    Check.that(pair.near().endpoint().send(address, 8, region, 1) < 0, "%s was taken", region);
                }
                try (MappedMemory memory = MappedMemory.map(
                    address, LENGTH, READ_WRITE, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)) {
                    for (int round = 1; round <= env.times(4, 50); round++) {
                        refresh(region, told);
                        send(env, pair, region, to, round);
                        // Other pages at the same addresses.
                        Libc.mmap(memory.address(), LENGTH, READ_WRITE, ANONYMOUS | MAP_FIXED, -1, 0);
                    }
                    return;
                }
            } catch (final RdmaException e) {
                Check.that(attempt < ATTEMPTS, "other threads are always faster: %s", e.getMessage());
            }
        }
    }

    private static void refresh(final MemoryRegion region, final boolean told) {
        if (told) {
            region.refresh();
        }
        Check.that(region.isEnabled(), "%s is not enabled when its memory is there", region);
    }

    private static long nothing() {
        try (MappedMemory memory = MappedMemory.anonymous(LENGTH)) {
            return memory.address();
        }
    }

    private static void send(
        final ConformanceEnv env, final FabricPair pair, final MemoryRegion region, final FabricMemory to,
        final int seed) {
        final UnsafeBuffer from = new UnsafeBuffer(region.address(), LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            from.putByte(i, Memory.pattern(seed, i));
        }
        pair.far().post(() -> pair.far().endpoint().receive(to.at(0), LENGTH, to.region(), 1), "receive");
        pair.near().post(() -> pair.near().endpoint().send(region.address(), LENGTH, region, 2), "send");
        pair.near().next().expect(2, OperationKind.SEND);
        pair.far().next().expect(1, OperationKind.RECEIVE).expectLength(LENGTH);
        to.expectPattern(seed, 0, LENGTH, "round " + seed + " of other pages");
        env.moved(LENGTH);
    }

    /** With ALLOCATED memory that is not there is refused when it is registered. */
    private static void allocated(final ConformanceEnv env) {
        final FabricPair pair =
            FabricPair.of(env, hints -> hints.capabilities(Capability.MSG).demand(MrMode.ALLOCATED));
        FabricCheck.refused(FiErrno.FI_EFAULT, () -> pair.near().domain().register(
            4096, LENGTH, EnumSet.of(MrAccess.SEND), 0), "addresses where nothing is mapped");
        pair.expectMessagesFlow();
    }
}
