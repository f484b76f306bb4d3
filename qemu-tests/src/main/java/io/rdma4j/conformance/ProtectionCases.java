/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a peer must not reach: the rights of QPs and regions, keys, bounds, domains; each kind of access to each. */
final class ProtectionCases {
    private static final int PAGE = 4096;
    private static final int START = PAGE + 1024;
    private static final int LENGTH = 3000;

    /** The kinds of access, with what the device, the region and the QP must have for them. */
    private enum Access {
        WRITE(SendOpcode.RDMA_WRITE, Feature.RDMA_WRITE, REMOTE_WRITE),
        READ(SendOpcode.RDMA_READ, Feature.RDMA_READ, REMOTE_READ),
        SWAP(SendOpcode.ATOMIC_CMP_AND_SWP, Feature.ATOMICS, REMOTE_ATOMIC),
        ADD(SendOpcode.ATOMIC_FETCH_AND_ADD, Feature.ATOMICS, REMOTE_ATOMIC);

        private static final AccessFlag[] ALL = {LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC};

        private final SendOpcode opcode;
        private final Feature feature;
        private final AccessFlag right;

        Access(final SendOpcode opcode, final Feature feature, final AccessFlag right) {
            this.opcode = opcode;
            this.feature = feature;
            this.right = right;
        }

        /** Eight bytes, as every kind can have. */
        SendRequest of(final Memory local, final long address, final int rkey) {
            return new SendRequest().opcode(opcode).sge(local.at(0), 8, local.lkey()).remote(address, rkey)
                .atomic(Long.MIN_VALUE, -1);
        }

        AccessFlag[] allOthers() {
            return Arrays.stream(ALL).filter(flag -> flag != right).toArray(AccessFlag[]::new);
        }
    }

    private ProtectionCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            protects("protect.qpWithoutTheRight", ProtectionCases::qpRight),
            protects("protect.regionWithoutTheRight", ProtectionCases::regionRight),
            protects("protect.regionOfAnotherDomain", ProtectionCases::otherDomain),
            protects("protect.keyThatNamesNothing", ProtectionCases::unknownKey),
            protects("protect.guessedKeys", ProtectionCases::guessedKeys),
            protects("protect.keyOfAClosedRegion", ProtectionCases::closedKey),
            protects("protect.keyOfAClosedRegionAfterANewOne", ProtectionCases::closedKeyAfterNew)
                .needs(Feature.KEYS_NOT_REUSED),
            protects("protect.localKeyIsNoRemoteKey", ProtectionCases::localKey),
            protects("protect.bytesAroundTheRegion", ProtectionCases::around),
            protects("protect.addressesThatWrap", ProtectionCases::wrapped),
            protects("protect.moreBytesThanTheRegionHas", ProtectionCases::tooMany),
            protects("protect.localKeyOfARequest", ProtectionCases::requestersKey).needs(Feature.PROTECTION_ERRORS),
            protects("protect.readIntoARegionWithoutLocalWrite", ProtectionCases::readIntoReadOnly)
                .needs(Feature.RDMA_READ, Feature.PROTECTION_ERRORS),
            ConformanceCase.of("protect.keysAreNotCountedUp", ProtectionCases::keysNotCounted)
                .needs(Feature.REMOTE_KEYS, Feature.KEYS_NOT_REUSED));
    }

    private static ConformanceCase protects(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.REMOTE_KEYS, Feature.RDMA_WRITE);
    }

    /** A region in the middle of memory of the peer, and what a request to each of its places must lead to. */
    private static final class Target {
        private final ConformanceEnv env;
        private final Refusal refusal;
        private final Memory local;
        private final Memory memory;
        private final List<Access> accesses = new ArrayList<>();

        Target(final ConformanceEnv env) {
            this.env = env;
            this.refusal = new Refusal(env);
            this.local = refusal.near().memory(2 * PAGE).guard();
            this.memory = refusal.far().memory(3 * PAGE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC).guard();
            refusal.after(Access.WRITE.of(local, memory.at(0), memory.rkey()));
            for (final Access access : Access.values()) {
                if (env.device().supports(access.feature)) {
                    accesses.add(access);
                }
            }
        }

        /** Those whose local key is looked at before anything is done at the peer. */
        List<Access> checkedFirst() {
            final boolean atomics = !env.isPeculiar("atomics-are-done-before-the-local-key-is-looked-at");
            return accesses.stream().filter(access -> atomics || access.feature != Feature.ATOMICS).toList();
        }

        MemoryRegion region(final AccessFlag... rights) {
            return memory.allowing(env, refusal.far().pd(), START, LENGTH, rights);
        }

        /** The peer refuses this access; no byte moves in either direction. */
        void refuses(final Access access, final long address, final int rkey) {
            refuses(access.of(local, address, rkey), Access.ALL);
        }

        void refuses(final SendRequest request, final AccessFlag[] qpRights) {
            refusal.with(qpRights).byPeer(request, WcStatus.REM_ACCESS_ERR, AsyncEventType.QP_ACCESS_ERR);
        }

        /** The QP does not allow it: there is no such request (docs/judged.md). */
        void refusesByQp(final SendRequest request, final AccessFlag[] qpRights) {
            refusal.with(qpRights).byPeer(request, WcStatus.REM_INV_REQ_ERR, AsyncEventType.QP_REQ_ERR);
        }

        void expectUntouched() {
            local.expectGuard(0, 2 * PAGE, "memory of the requester");
            memory.expectGuard(0, 3 * PAGE, "memory of the peer");
        }
    }

    private static void qpRight(final ConformanceEnv env) {
        final Target target = new Target(env);
        for (final Access access : target.accesses) {
            target.refusesByQp(access.of(target.local, target.memory.at(0), target.memory.rkey()), access.allOthers());
        }
        target.expectUntouched();
    }

    private static void regionRight(final ConformanceEnv env) {
        final Target target = new Target(env);
        for (final Access access : target.accesses) {
            final MemoryRegion region = target.region(access.allOthers());
            target.refuses(access, region.address(), region.rkey());
        }
        target.expectUntouched();
    }

    private static void otherDomain(final ConformanceEnv env) {
        final Target target = new Target(env);
        final MemoryRegion region =
            target.memory.allowing(env, env.own(env.peer().allocatePd()), START, LENGTH, Access.ALL);
        for (final Access access : target.accesses) {
            target.refuses(access, region.address(), region.rkey());
        }
        target.expectUntouched();
    }

    private static void unknownKey(final ConformanceEnv env) {
        final Target target = new Target(env);
        for (final Access access : target.accesses) {
            target.refuses(access, target.memory.at(0), target.memory.rkey() ^ 0x5a5a_5a00);
            target.refuses(access, target.memory.at(0), 0);
            target.refuses(access, target.memory.at(0), -1);
        }
        target.expectUntouched();
    }

    /** Near the key, near 0, and at random: who knows one key knows no other. */
    private static void guessedKeys(final ConformanceEnv env) {
        final Target target = new Target(env);
        final Set<Integer> good = new HashSet<>(List.of(target.memory.rkey()));
        for (int i = 0; i < 20; i++) {
            good.add(target.region(Access.ALL).rkey());
        }
        final int known = target.memory.rkey();
        final Set<Integer> guesses = new HashSet<>();
        for (int i = 1; i <= env.times(8, 24); i++) {
            guesses.addAll(List.of(known + i, known - i, known + (i << 8), known - (i << 8), i, i << 8,
                known ^ 1 << i, env.random().nextInt()));
        }
        guesses.removeAll(good);
        for (final int guess : guesses) {
            target.refuses(Access.WRITE, target.memory.at(START), guess);
        }
        target.expectUntouched();
    }

    private static void closedKey(final ConformanceEnv env) {
        final Target target = new Target(env);
        for (final Access access : target.accesses) {
            final MemoryRegion region = target.region(Access.ALL);
            final int rkey = region.rkey();
            region.close();
            target.refuses(access, target.memory.at(START), rkey);
        }
        target.expectUntouched();
    }

    private static void closedKeyAfterNew(final ConformanceEnv env) {
        final Target target = new Target(env);
        for (final Access access : target.accesses) {
            final MemoryRegion old = target.region(Access.ALL);
            final int rkey = old.rkey();
            old.close();
            for (int i = 0; i < 8; i++) {
                final MemoryRegion next = target.region(Access.ALL);
                Check.that(next.rkey() != rkey, "a new region has the key 0x%x of the one before", rkey);
                next.close();
            }
            final MemoryRegion last = target.region(Access.ALL);
            target.refuses(access, target.memory.at(START), rkey);
            last.close();
        }
        target.expectUntouched();
    }

    private static void localKey(final ConformanceEnv env) {
        final Target target = new Target(env);
        final MemoryRegion region = target.region(LOCAL_WRITE);
        for (final Access access : target.accesses) {
            target.refuses(access, region.address(), region.lkey());
        }
        target.expectUntouched();
    }

    private static void around(final ConformanceEnv env) {
        final Target target = new Target(env);
        final MemoryRegion region = target.region(Access.ALL);
        final long start = region.address();
        for (final long address : new long[] {start - 8, start + LENGTH, start - PAGE, start + PAGE, 0}) {
            for (final Access access : target.accesses) {
                target.refuses(access, address & -8L, region.rkey());
            }
        }
        for (final long address : new long[] {start - 1, start + LENGTH - 7}) {
            target.refuses(Access.WRITE, address, region.rkey());
            target.refuses(Access.WRITE.of(target.local, address, region.rkey()).opcode(SendOpcode.RDMA_READ),
                Access.ALL);
        }
        target.expectUntouched();
    }

    private static void wrapped(final ConformanceEnv env) {
        final Target target = new Target(env);
        final MemoryRegion region = target.region(Access.ALL);
        for (final long address : new long[] {-8, -1, -7, Long.MAX_VALUE - 3, Long.MIN_VALUE,
            region.address() + (1L << 32), region.address() - (1L << 32), region.address() | 1L << 63}) {
            target.refuses(Access.WRITE, address, region.rkey());
            target.refuses(Access.READ, address, region.rkey());
        }
        target.expectUntouched();
    }

    private static void tooMany(final ConformanceEnv env) {
        final Target target = new Target(env);
        final MemoryRegion region = target.region(Access.ALL);
        for (final int[] part : new int[][] {{0, LENGTH + 1}, {1, LENGTH}, {LENGTH - 1, 2}, {LENGTH, 1}}) {
            for (final SendOpcode opcode : List.of(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ)) {
                target.refuses(new SendRequest().opcode(opcode).sge(target.local.at(0), part[1], target.local.lkey())
                    .remote(region.address() + part[0], region.rkey()), Access.ALL);
            }
        }
        target.expectUntouched();
    }

    /** What is wrong on this side is found out on this side. */
    private static void requestersKey(final ConformanceEnv env) {
        final Target target = new Target(env);
        final Memory stranger = Node.near(env, 1).memory(PAGE);
        for (final Access access : target.checkedFirst()) {
            final SendRequest request = access.of(target.local, target.memory.at(0), target.memory.rkey());
            target.refusal.with(Access.ALL)
                .here(request.sge(target.local.at(0), 8, target.local.lkey() ^ 0x5a5a_5a00), WcStatus.LOC_PROT_ERR);
            target.refusal.with(Access.ALL)
                .here(request.sge(stranger.at(0), 8, stranger.lkey()), WcStatus.LOC_PROT_ERR);
            target.refusal.with(Access.ALL)
                .here(request.sge(target.local.at(2 * PAGE - 7), 8, target.local.lkey()), WcStatus.LOC_PROT_ERR);
        }
        target.expectUntouched();
    }

    /** What a READ or an atomic brings back is written here: that takes the right to do so. */
    private static void readIntoReadOnly(final ConformanceEnv env) {
        final Target target = new Target(env);
        final MemoryRegion readOnly = target.local.allowing(env, target.refusal.near().pd(), 0, PAGE);
        for (final Access access : target.checkedFirst()) {
            if (access != Access.WRITE) {
                target.refusal.with(Access.ALL).here(access.of(target.local, target.memory.at(0),
                    target.memory.rkey()).sge(readOnly.address(), 8, readOnly.lkey()), WcStatus.LOC_PROT_ERR);
            }
        }
        target.expectUntouched();
    }

    /** Keys of regions made one after the other say nothing about each other. */
    private static void keysNotCounted(final ConformanceEnv env) {
        final Node node = Node.near(env, 1);
        final Memory memory = node.memory(PAGE);
        final Set<Integer> keys = new HashSet<>();
        final Set<Integer> steps = new HashSet<>();
        final int count = env.times(64, 256);
        int last = 0;
        for (int i = 0; i < count; i++) {
            final MemoryRegion region = memory.allowing(env, node.pd(), 0, PAGE, LOCAL_WRITE, REMOTE_READ);
            Check.that(keys.add(region.rkey()), "key 0x%x came again after %d others", region.rkey(), i);
            steps.add(region.rkey() - last >> 8);
            last = region.rkey();
            region.close();
        }
        Check.that(steps.size() > count / 2, "%d regions have keys that are only %d distances apart", count,
            steps.size());
    }
}
