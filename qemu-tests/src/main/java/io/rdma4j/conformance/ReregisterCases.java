/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBADFD;
import static io.rdma4j.RdmaException.EINVAL;
import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
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

import java.util.List;
import java.util.Set;

/** Regions that become other regions: memory, length, rights and domain, one by one and together; old keys are dead. */
final class ReregisterCases {
    private static final int PAGE = 4096;
    private static final AccessFlag[] NO_RIGHTS = {};

    private ReregisterCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("rereg.memory", ReregisterCases::memory),
            ConformanceCase.of("rereg.length", ReregisterCases::length),
            ConformanceCase.of("rereg.toPagesAndBack", ReregisterCases::toPages).needs(Feature.PAGE_LISTS),
            ConformanceCase.of("rereg.domain", ReregisterCases::domain),
            ConformanceCase.of("rereg.againAndAgain", ReregisterCases::often),
            ConformanceCase.of("rereg.letsGoOfMemoryItDoesNotHaveAnyMore", ReregisterCases::letsGo),
            ConformanceCase.of("rereg.failureLeavesTheRegionAsItWas", ReregisterCases::failure),
            ConformanceCase.of("rereg.sharedRegionsStayAsTheyAre", ReregisterCases::sharedStays),
            ConformanceCase.of("rereg.postedReceiveOfTheOldKeyFails", ReregisterCases::postedReceive)
                .needs(Feature.PROTECTION_ERRORS),
            ConformanceCase.of("rereg.oldLocalKeyIsDead", ReregisterCases::oldLocalKey)
                .needs(Feature.PROTECTION_ERRORS),
            ConformanceCase.of("rereg.otherDomainBreaksTrafficUntilItComesBack", ReregisterCases::domainBreaks)
                .needs(Feature.PROTECTION_ERRORS),
            ConformanceCase.of("rereg.rightToWriteComesAndGoes", ReregisterCases::rightToWrite)
                .needs(Feature.RDMA_WRITE, Feature.REMOTE_KEYS),
            ConformanceCase.of("rereg.rightToAtomicsComesAndGoes", ReregisterCases::rightToAtomics)
                .needs(Feature.ATOMICS, Feature.REMOTE_KEYS));
    }

    private static void receive(
        final ConformanceEnv env, final RcPair pair, final Memory from, final int seed, final MemoryRegion region,
        final int length) {
        RegionKindCases.receive(env, pair, from, seed, region, 0, length);
    }

    private static void memory(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(2 * PAGE);
        final Memory first = pair.far().memory(2 * PAGE).guard();
        final Memory second = pair.far().memory(4 * PAGE).guard();
        final MemoryRegion region = first.part(env, pair.far().pd(), 100, 5000);
        receive(env, pair, from, 1, region, 5000);
        final int lkey = region.lkey();
        region.reregister(new MrOptions().memory(second.at(PAGE + 7), 6000));
        Check.that(!env.device().supports(Feature.KEYS_NOT_REUSED) || region.lkey() != lkey, "it has its old key");
        Check.equal(second.at(PAGE + 7), region.address(), "address");
        Check.equal(6000L, region.length(), "length");
        Check.equal(Set.of(LOCAL_WRITE), region.access(), "rights");
        receive(env, pair, from, 2, region, 6000);
        first.expectPattern(1, 100, 5000, "in the first memory");
        second.expectPattern(2, PAGE + 7, 6000, "in the second memory");
        second.expectGuard(0, PAGE + 7, "before");
        second.expectGuard(PAGE + 6007, 4 * PAGE, "behind");
    }

    private static void length(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(4 * PAGE);
        final Memory to = pair.far().memory(4 * PAGE);
        final MemoryRegion region = to.part(env, pair.far().pd(), 50, 10);
        for (final int length : new int[] {PAGE, 1, 3 * PAGE, 4 * PAGE - 50, 2}) {
            region.reregister(new MrOptions().length(length));
            Check.equal((long) length, region.length(), "length");
            Check.equal(to.at(50), region.address(), "address");
            to.guard();
            receive(env, pair, from, length, region, length);
            to.expectPattern(length, 50, length, "of " + length);
            to.expectGuard(50 + length, 4 * PAGE, "behind");
        }
    }

    private static void toPages(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(2 * PAGE);
        final Memory to = pair.far().memory(4 * PAGE).guard();
        final MemoryRegion region = to.part(env, pair.far().pd(), 0, PAGE);
        region.reregister(new MrOptions().pages(new PageList().add(to.pinned(), 3, 1).add(to.pinned(), 1, 1), 5, PAGE));
        receive(env, pair, from, 1, region, PAGE);
        to.expectPattern(1, 3 * PAGE + 5, PAGE - 5, "first page");
        to.expectGuard(PAGE + 5, 3 * PAGE + 5, "between");
        region.reregister(new MrOptions().memory(to.at(2 * PAGE), PAGE));
        to.guard();
        receive(env, pair, from, 2, region, PAGE);
        to.expectPattern(2, 2 * PAGE, PAGE, "memory again");
        to.expectGuard(0, 2 * PAGE, "before");
        to.expectGuard(3 * PAGE, 4 * PAGE, "behind");
    }

    private static void domain(final ConformanceEnv env) {
        final Node first = Node.far(env, 4);
        final Node second = Node.far(env, 4);
        final RcPair one = RcPair.between(env, Node.near(env, 4), first, 4, 1);
        final RcPair two = RcPair.between(env, Node.near(env, 4), second, 4, 1);
        final Memory from = one.near().memory(PAGE);
        final Memory other = two.near().memory(PAGE);
        final Memory to = first.memory(PAGE);
        final MemoryRegion region = to.part(env, first.pd(), 0, PAGE);
        for (int i = 0; i < 4; i++) {
            receive(env, one, from, 1 + i, region, 1000);
            region.reregister(new MrOptions().pd(second.pd()));
            Check.equal(second.pd(), region.pd(), "domain");
            receive(env, two, other, 100 + i, region, 1000);
            to.expectPattern(100 + i, 0, 1000, "in the other domain");
            region.reregister(new MrOptions().pd(first.pd()));
            Check.equal(first.pd(), region.pd(), "domain");
        }
        region.reregister(new MrOptions().pd(second.pd()).memory(to.at(10), 20).access(NO_RIGHTS));
        Check.that(region.pd() == second.pd() && region.length() == 20 && region.access().isEmpty(),
            "all at once: %s", region);
    }

    private static void often(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(2 * PAGE);
        final Memory to = pair.far().memory(16 * PAGE);
        final MemoryRegion region = to.part(env, pair.far().pd(), 0, 1);
        for (int i = 0; i < env.times(6, 300); i++) {
            final int start = env.random().nextInt(14 * PAGE);
            final int length = 1 + env.random().nextInt(2 * PAGE);
            region.reregister(new MrOptions().memory(to.at(start), length));
            receive(env, pair, from, i, region, length);
            to.expectPattern(i, start, length, "round " + i);
        }
    }

    private static void letsGo(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final PinnedMemory first = env.own(env.device().allocate(PAGE));
        final PinnedMemory second = env.own(env.device().allocate(PAGE));
        final MemoryRegion region = env.own(pd.register(first, LOCAL_WRITE));
        region.reregister(new MrOptions().memory(second));
        first.close();
        Check.refused(RdmaException.EBUSY, second::close, "closing memory that is registered");
        region.close();
        second.close();
        Check.refused(EBADFD, () -> region.reregister(new MrOptions().length(1)), "a closed region", "closed");
    }

    private static void failure(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(PAGE);
        final Memory to = pair.far().memory(2 * PAGE);
        final MemoryRegion region = to.part(env, pair.far().pd(), 10, 1000);
        final int lkey = region.lkey();
        final ProtectionDomain closed = env.peer().allocatePd();
        closed.close();
        Check.refused(EINVAL, () -> region.reregister(new MrOptions()), "nothing to change");
        Check.refused(EINVAL, () -> region.reregister(new MrOptions().length(0)), "no bytes");
        Check.refused(EINVAL, () -> region.reregister(new MrOptions().length(Long.MAX_VALUE)), "too many bytes");
        Check.refused(EINVAL, () -> region.reregister(new MrOptions().access(REMOTE_WRITE)), "rights", "LOCAL_WRITE");
        Check.refused(EBADFD, () -> region.reregister(new MrOptions().pd(closed)), "a closed domain");
        if (env.hasTwoDevices()) {
            Check.refused(EINVAL, () -> region.reregister(new MrOptions().pd(pair.near().pd())), "another device");
        }
        Check.that(region.lkey() == lkey && region.length() == 1000 && region.address() == to.at(10)
            && !region.isClosed(), "after refusals: %s", region);
        receive(env, pair, from, 1, region, 1000);
        to.expectPattern(1, 10, 1000, "through the region that stayed");
    }

    private static void sharedStays(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(PAGE);
        final Memory to = pair.far().memory(2 * PAGE);
        final MemoryRegion region = to.part(env, pair.far().pd(), 10, 1000);
        final MemoryRegion twin = env.own(pair.far().pd().registerShared(region, region.address(), LOCAL_WRITE));
        region.reregister(new MrOptions().memory(to.at(PAGE), 100));
        Check.equal(1000L, twin.length(), "length of the other one");
        receive(env, pair, from, 3, twin, 1000);
        to.expectPattern(3, 10, 1000, "through the other one");
        receive(env, pair, from, 4, region, 100);
        to.expectPattern(4, PAGE, 100, "through the one that moved");
    }

    /** What was posted with the old key cannot be used; after a restart of both QPs traffic passes with the new one. */
    private static void postedReceive(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(PAGE);
        final Memory to = pair.far().memory(2 * PAGE).guard();
        final MemoryRegion region = to.part(env, pair.far().pd(), 0, PAGE);
        Check.ok(pair.farQp().postReceive(1, region.iova(), PAGE, region.lkey()), "post receive");
        region.reregister(new MrOptions().memory(to.at(PAGE), PAGE));
        Check.ok(pair.nearQp().postSend(2, from.at(0), PAGE, from.lkey()), "post send");
        pair.far().received().next().expectStatus(1, WcStatus.LOC_PROT_ERR);
        pair.near().sent().next().expectStatus(2, WcStatus.REM_OP_ERR);
        to.expectGuard(0, 2 * PAGE, "memory of both registrations");
        if (env.device().supports(Feature.QP_RESET)) {
            pair.reconnect();
            receive(env, pair, from, 5, region, PAGE);
            to.expectPattern(5, PAGE, PAGE, "after a restart");
        }
    }

    private static void oldLocalKey(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env).with();
        final Memory memory = refusal.near().memory(2 * PAGE);
        final MemoryRegion region = memory.part(env, refusal.near().pd(), 0, PAGE);
        final int lkey = region.lkey();
        region.reregister(new MrOptions().access(NO_RIGHTS));
        refusal.here(new SendRequest().sge(region.iova(), 64, lkey), WcStatus.LOC_PROT_ERR);
    }

    private static void domainBreaks(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env).with();
        final Memory memory = refusal.near().memory(PAGE).fill(3, 0, 100);
        final MemoryRegion region = memory.part(env, refusal.near().pd(), 0, PAGE);
        region.reregister(new MrOptions().pd(env.own(env.device().allocatePd())));
        refusal.here(new SendRequest().sge(region.iova(), 64, region.lkey()), WcStatus.LOC_PROT_ERR);
        region.reregister(new MrOptions().pd(refusal.near().pd()));
        final RcPair pair = refusal.with().pair();
        final Memory to = pair.far().memory(PAGE);
        Check.ok(pair.farQp().postReceive(1, to.at(0), 100, to.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(2, region.iova(), 100, region.lkey()), "post send");
        pair.near().sent().next().expect(2, WcOpcode.SEND);
        pair.far().received().next().expect(1, WcOpcode.RECV);
        to.expectPattern(3, 0, 100, "out of the region that came back");
        env.moved(100);
    }

    private static void rightToWrite(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env);
        final Memory from = refusal.near().memory(64);
        final Memory to = refusal.far().memory(PAGE).guard();
        final MemoryRegion region =
            to.allowing(env, refusal.far().pd(), 0, PAGE, LOCAL_WRITE, REMOTE_READ);
        final SendRequest write = new SendRequest().opcode(SendOpcode.RDMA_WRITE).sge(from.at(0), 64, from.lkey());
        for (int i = 0; i < 2; i++) {
            refusal.with(REMOTE_WRITE).byPeer(write.remote(region.iova(), region.rkey()), WcStatus.REM_ACCESS_ERR,
                AsyncEventType.QP_ACCESS_ERR);
            to.expectGuard(0, PAGE, "memory without the right");
            region.reregister(new MrOptions().access(LOCAL_WRITE, REMOTE_WRITE));
            from.fill(i, 0, 64);
            Check.ok(refusal.with(REMOTE_WRITE).pair().nearQp()
                .postSend(write.wrId(9).remote(region.iova(), region.rkey())), "post");
            refusal.near().sent().next().expect(9, WcOpcode.RDMA_WRITE);
            to.expectPattern(i, 0, 64, "memory with the right");
            to.guard();
            final int rkey = region.rkey();
            region.reregister(new MrOptions().access(LOCAL_WRITE, REMOTE_READ));
            refusal.with(REMOTE_WRITE).byPeer(write.remote(region.iova(), rkey), WcStatus.REM_ACCESS_ERR,
                AsyncEventType.QP_ACCESS_ERR);
            env.moved(64);
        }
        to.expectGuard(0, PAGE, "memory without the right");
    }

    private static void rightToAtomics(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env);
        final Memory old = refusal.near().memory(64);
        final Memory to = refusal.far().memory(PAGE);
        final MemoryRegion region =
            to.allowing(env, refusal.far().pd(), 0, PAGE, LOCAL_WRITE, REMOTE_READ);
        final SendRequest add = new SendRequest().opcode(SendOpcode.ATOMIC_FETCH_AND_ADD)
            .sge(old.at(0), 8, old.lkey()).atomic(5, 0);
        refusal.with(REMOTE_ATOMIC).byPeer(add.remote(region.iova(), region.rkey()), WcStatus.REM_ACCESS_ERR,
            AsyncEventType.QP_ACCESS_ERR);
        region.reregister(new MrOptions().access(LOCAL_WRITE, REMOTE_ATOMIC));
        Check.ok(refusal.with(REMOTE_ATOMIC).pair().nearQp()
            .postSend(add.wrId(9).remote(region.iova(), region.rkey())), "post");
        refusal.near().sent().next().expect(9, WcOpcode.FETCH_ADD);
        Check.equal(5L, to.buffer().getLong(0), "word after the only add that was allowed");
        env.moved(8);
    }
}
