/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.util.List;

/** Regions that work requests register and invalidate. The far side owns them and lends their keys to the near side. */
final class FastRegionCases {
    private static final int PAGE = 4096;
    private static final int PAGES = 8;
    private static final AccessFlag[] ALL = {REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC};
    private static final AccessFlag[] WRITABLE = {LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ};

    private FastRegionCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("fast.isRefusedWithAReasonWhereThereIsNone", FastRegionCases::refusedWithReason),
            fast("fast.registersPagesInAnyOrder", FastRegionCases::anyOrder),
            fast("fast.againAndAgainWithNewKeys", FastRegionCases::often),
            fast("fast.boundsAreExact", FastRegionCases::bounds),
            fast("fast.isDeadUntilRegistered", FastRegionCases::deadAtFirst),
            fast("fast.isDeadAfterLocalInvalidation", FastRegionCases::localInvalidate),
            fast("fast.isDeadAfterThePeerInvalidated", FastRegionCases::remoteInvalidate),
            fast("fast.readThatInvalidates", FastRegionCases::readInvalidates).needs(Feature.RDMA_READ),
            fast("fast.registrationInTheMiddleOfABatch", FastRegionCases::inBatch),
            fast("fast.servesAsALocalBuffer", FastRegionCases::localUse),
            fast("fast.isNotRegisteredTwice", FastRegionCases::twice),
            fast("fast.isDeadWhenClosed", FastRegionCases::closed),
            fast("fast.refusesCallsThatMakeNoSense", FastRegionCases::refusesCalls),
            ConformanceCase.of("inv.keyThatNamesNothing", FastRegionCases::unknownKey).needs(Feature.INVALIDATE),
            ConformanceCase.of("inv.keyOfAPlainRegion", FastRegionCases::plainKey)
                .needs(Feature.INVALIDATE, Feature.RDMA_WRITE, Feature.REMOTE_KEYS));
    }

    private static ConformanceCase fast(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.FAST_REGISTRATION, Feature.INVALIDATE,
            Feature.RDMA_WRITE, Feature.REMOTE_KEYS);
    }

    private static void refusedWithReason(final ConformanceEnv env) {
        if (env.device().supports(Feature.FAST_REGISTRATION)) {
            throw env.skip("this device has fast registration");
        }
        final Node node = Node.near(env, 4);
        final RdmaException refused = Check.refused(RdmaException.EOPNOTSUPP,
            () -> node.pd().allocateFastRegion(1), "a fast region");
        Check.that(refused.getMessage().contains(env.device().whyNot(Feature.FAST_REGISTRATION)),
            "the message does not say why: %s", refused.getMessage());
    }

    /** A pair, memory of the far side, a fast region of it, and writes of the near side. */
    private static final class Lender {
        private final ConformanceEnv env;
        private final Refusal refusal;
        private final Memory from;
        private final Memory memory;
        private final FastRegion region;

        Lender(final ConformanceEnv env) {
            this.env = env;
            this.refusal = new Refusal(env).with(ALL);
            this.from = refusal.near().memory(PAGES * PAGE).fill(1, 0, PAGES * PAGE);
            this.memory = refusal.far().memory(PAGES * PAGE).guard();
            this.region = env.own(refusal.far().pd().allocateFastRegion(PAGES));
        }

        PageList pages(final int... numbers) {
            final PageList list = new PageList();
            for (final int number : numbers) {
                list.add(memory.pinned(), number, 1);
            }
            return list;
        }

        SendRequest registration(final long iova, final AccessFlag... rights) {
            return new SendRequest(0).wrId(5).fastRegister(region, region.nextKey(), iova, rights);
        }

        void register(final long iova, final AccessFlag... rights) {
            Check.ok(refusal.pair().farQp().postSend(registration(iova, rights)), "register");
            refusal.far().sent().next().expect(5, WcOpcode.FAST_REG_MR);
        }

        void invalidate() {
            Check.ok(refusal.pair().farQp().postSend(new SendRequest(0).wrId(6).opcode(SendOpcode.LOCAL_INV)
                .invalidate(region.rkey())), "invalidate");
            refusal.far().sent().next().expect(6, WcOpcode.LOCAL_INV);
        }

        SendRequest write(final long address, final int length, final int rkey) {
            return new SendRequest().wrId(7).opcode(SendOpcode.RDMA_WRITE).sge(from.at(0), length, from.lkey())
                .remote(address, rkey);
        }

        void writes(final long address, final int length) {
            Check.ok(refusal.pair().nearQp().postSend(write(address, length, region.rkey())), "post");
            refusal.near().sent().next().expect(7, WcOpcode.RDMA_WRITE);
            env.moved(length);
        }

        void refuses(final long address, final int length, final int rkey) {
            memory.guard();
            refusal.byPeer(write(address, length, rkey), WcStatus.REM_ACCESS_ERR, AsyncEventType.QP_ACCESS_ERR);
            memory.expectGuard(0, PAGES * PAGE, "memory of the lender");
            refusal.with(ALL);
        }
    }

    private static void anyOrder(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final int[] order = {6, 1, 3, 0};
        lender.region.map(lender.pages(order), 100, 3 * PAGE);
        lender.register(0x70_0000_0064L, WRITABLE);
        lender.writes(0x70_0000_0064L, 3 * PAGE);
        for (int i = 0; i < 3 * PAGE; i++) {
            final int place = 100 + i;
            Check.equal(Memory.pattern(1, i), lender.memory.buffer().getByte(order[place / PAGE] * PAGE + place % PAGE),
                "byte %d", i);
        }
        lender.memory.expectGuard(2 * PAGE, 3 * PAGE, "a page that is not in the list");
        lender.memory.expectGuard(6 * PAGE, 6 * PAGE + 100, "before the first byte");
        lender.memory.expectGuard(100, PAGE, "behind the last byte");
    }

    private static void often(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        int last = lender.region.rkey();
        for (int i = 0; i < env.times(20, 300); i++) {
            final int page = env.random().nextInt(PAGES);
            final int offset = env.random().nextInt(PAGE - 64);
            lender.region.map(lender.pages(page), offset, 64);
            lender.register(((long) i << 32) + offset, WRITABLE);
            Check.that(lender.region.rkey() != last, "the key did not change in round %d", i);
            lender.memory.guard();
            lender.writes(((long) i << 32) + offset, 64);
            lender.memory.expectPattern(1, page * PAGE + offset, 64, "round " + i);
            lender.memory.expectGuard(0, page * PAGE + offset, "before");
            lender.memory.expectGuard(page * PAGE + offset + 64, PAGES * PAGE, "behind");
            last = lender.region.rkey();
            lender.invalidate();
        }
    }

    private static void bounds(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        lender.region.map(lender.pages(4, 2), 100, 5000);
        final long iova = 0x20_0000L + 100;
        lender.register(iova, LOCAL_WRITE, REMOTE_WRITE);
        lender.writes(iova, 5000);
        lender.writes(iova + 4999, 1);
        final int rkey = lender.region.rkey();
        for (final long[] part : new long[][] {{-1, 8}, {4999, 2}, {5000, 1}, {0, 5001}, {-PAGE, 8}}) {
            lender.refuses(iova + part[0], (int) part[1], rkey);
        }
        lender.refuses(lender.memory.at(4 * PAGE + 100), 8, rkey);
    }

    private static void deadAtFirst(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        lender.refuses(0, 8, lender.region.rkey());
        lender.region.map(lender.pages(0), 0, PAGE);
        lender.refuses(0, 8, lender.region.rkey());
        lender.refuses(lender.memory.at(0), 8, lender.region.rkey());
        lender.refuses(0, 8, lender.region.nextKey());
    }

    private static void localInvalidate(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        lender.region.map(lender.pages(0), 0, PAGE);
        lender.register(0x10_0000, WRITABLE);
        lender.writes(0x10_0000, 100);
        lender.invalidate();
        lender.refuses(0x10_0000, 8, lender.region.rkey());
    }

    private static void remoteInvalidate(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final Memory receive = lender.refusal.far().memory(64);
        lender.region.map(lender.pages(0), 0, PAGE);
        for (int i = 0; i < 3; i++) {
            lender.register(0x10_0000, WRITABLE);
            lender.writes(0x10_0000, 100);
            Check.ok(lender.refusal.pair().farQp().postReceive(3, receive.at(0), 64, receive.lkey()), "post receive");
            Check.ok(lender.refusal.pair().nearQp().postSend(new SendRequest().wrId(4)
                .opcode(SendOpcode.SEND_WITH_INV).invalidate(lender.region.rkey())
                .sge(lender.from.at(0), 64, lender.from.lkey())), "post");
            lender.refusal.near().sent().next().expect(4, WcOpcode.SEND);
            final Wc received = lender.refusal.far().received().next().expect(3, WcOpcode.RECV);
            Check.that(received.invalidated() && received.invalidatedRkey() == lender.region.rkey(),
                "the receiver was not told of key 0x%x: %s", lender.region.rkey(), received);
            env.moved(64);
        }
        lender.refuses(0x10_0000, 8, lender.region.rkey());
    }

    /** The reader lends its own buffer for the answer, and takes the key back with the same request. */
    private static void readInvalidates(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 4, 1, ALL);
        final Memory source = pair.far().memory(PAGE, REMOTE_READ).fill(4, 0, PAGE);
        final Memory into = pair.near().memory(PAGE).guard();
        final FastRegion region = env.own(pair.near().pd().allocateFastRegion(PAGES));
        region.map(new PageList().add(into.pinned()), 0, PAGE);
        Check.ok(pair.nearQp().postSend(new SendRequest(0).wrId(1)
            .fastRegister(region, region.nextKey(), 0x30_0000, LOCAL_WRITE, REMOTE_WRITE)), "register");
        pair.near().sent().next().expect(1, WcOpcode.FAST_REG_MR);
        Check.ok(pair.nearQp().postSend(new SendRequest().wrId(2).opcode(SendOpcode.RDMA_READ_WITH_INV)
            .sge(0x30_0000, 1000, region.lkey()).remote(source.at(5), source.rkey())
            .invalidate(region.rkey())), "read");
        pair.near().sent().next().expect(2, WcOpcode.RDMA_READ).expectBytes(1000);
        Check.equal(Memory.pattern(4, 5), into.buffer().getByte(0), "first byte");
        Check.equal(Memory.pattern(4, 1004), into.buffer().getByte(999), "last byte");
        into.expectGuard(1000, PAGE, "behind");
        env.moved(1000);
        Check.ok(pair.nearQp().postSend(3, 0x30_0000, 8, region.lkey()), "send by the key that is dead");
        pair.near().sent().next().expectStatus(3, WcStatus.LOC_PROT_ERR);
    }

    /** Register, lend, and tell the peer, with one doorbell. */
    private static void inBatch(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final Memory receive = lender.refusal.near().memory(64);
        lender.region.map(lender.pages(3), 0, PAGE);
        Check.ok(lender.refusal.pair().nearQp().postReceive(1, receive.at(0), 64, receive.lkey()), "post receive");
        final SendRequest[] both = {lender.registration(0x40_0000, WRITABLE).flags(0),
            new SendRequest().wrId(2).sge(lender.memory.at(0), 64, lender.memory.lkey())};
        Check.equal(2, lender.refusal.pair().farQp().postSend(both, 2), "posted");
        lender.refusal.near().received().next().expect(1, WcOpcode.RECV);
        lender.refusal.far().sent().next().expect(2, WcOpcode.SEND);
        lender.writes(0x40_0000, PAGE);
        lender.memory.expectPattern(1, 3 * PAGE, PAGE, "page 3");
    }

    private static void localUse(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        lender.region.map(lender.pages(5, 1), 10, PAGE);
        lender.register(0x50_000aL, LOCAL_WRITE);
        Check.ok(lender.refusal.pair().farQp().postReceive(1, 0x50_000aL, PAGE, lender.region.lkey()), "post receive");
        Check.ok(lender.refusal.pair().nearQp().postSend(2, lender.from.at(0), PAGE, lender.from.lkey()), "post send");
        lender.refusal.far().received().next().expect(1, WcOpcode.RECV).expectBytes(PAGE);
        lender.refusal.near().sent().next().expect(2, WcOpcode.SEND);
        lender.memory.expectGuard(0, PAGE, "before the page that is the second");
        for (int i = 0; i < 10; i++) {
            Check.equal(Memory.pattern(1, PAGE - 10 + i), lender.memory.buffer().getByte(PAGE + i),
                "byte %d of the second page", i);
        }
        lender.memory.expectGuard(PAGE + 10, 5 * PAGE + 10, "between the last byte and the first");
        lender.memory.expectPattern(1, 5 * PAGE + 10, PAGE - 10, "received into the first page");
        lender.memory.expectGuard(6 * PAGE, PAGES * PAGE, "behind the page that is the first");
        env.moved(PAGE);
    }

    /** What is registered has to be invalidated first; the QP that does not is in error. */
    private static void twice(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        lender.region.map(lender.pages(0), 0, PAGE);
        lender.register(0x10_0000, WRITABLE);
        Check.ok(lender.refusal.pair().farQp().postSend(lender.registration(0x20_0000, WRITABLE)), "register again");
        lender.refusal.far().sent().next().expectStatus(5, WcStatus.MW_BIND_ERR);
        Check.equal(QpState.ERR, lender.refusal.pair().farQp().state(), "state of the QP that registered twice");
    }

    private static void closed(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        lender.region.map(lender.pages(0), 0, PAGE);
        lender.register(0x10_0000, WRITABLE);
        lender.writes(0x10_0000, PAGE);
        final int rkey = lender.region.rkey();
        lender.region.close();
        lender.region.close();
        Check.that(lender.region.isClosed(), "not closed");
        lender.refuses(0x10_0000, 8, rkey);
    }

    private static void refusesCalls(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final FastRegion region = lender.region;
        for (final int pages : new int[] {0, -1, Integer.MAX_VALUE}) {
            Check.refused(RdmaException.EINVAL, () -> lender.refusal.far().pd().allocateFastRegion(pages),
                pages + " pages", String.valueOf(pages));
        }
        Check.refused(RdmaException.EINVAL, () -> region.map(lender.pages(0), 0, 0), "no bytes");
        Check.refused(RdmaException.EINVAL, () -> region.map(lender.pages(0), 0, PAGE + 1), "too few pages");
        Check.refused(RdmaException.EINVAL, () -> region.map(lender.pages(0, 1), 0, 1), "too many pages");
        Check.refused(RdmaException.EINVAL, () -> region.map(lender.pages(0, 1, 2, 3, 4, 5, 6, 7, 0), 0, 9 * PAGE),
            "more pages than it has room for");
        final int invalid = ReturnCode.INVALID_REQUEST;
        Check.code(invalid, lender.refusal.pair().farQp().postSend(lender.registration(0, WRITABLE)), "not mapped");
        region.map(lender.pages(0), 16, 100);
        Check.code(invalid, lender.refusal.pair().farQp().postSend(lender.registration(0, WRITABLE)), "another place");
        Check.code(invalid, lender.refusal.pair().farQp().postSend(lender.registration(16, REMOTE_WRITE)), "rights");
        Check.code(invalid, lender.refusal.pair().farQp().postSend(new SendRequest(0)
            .fastRegister(region, region.nextKey() ^ 0x100, 16, WRITABLE)), "a key of another region");
        Check.code(ReturnCode.FOREIGN_OBJECT, lender.refusal.pair().nearQp().postSend(
            lender.registration(16, WRITABLE)), "a QP of another domain");
        region.close();
        Check.code(invalid, lender.refusal.pair().farQp().postSend(lender.registration(16, WRITABLE)), "closed");
        Check.refused(RdmaException.EBADFD, () -> region.map(lender.pages(0), 0, 1), "closed", "closed");
    }

    private static void unknownKey(final ConformanceEnv env) {
        final Refusal refusal = new Refusal(env);
        for (final int key : new int[] {0, -1, 0x1234_5678}) {
            refusal.with();
            Check.ok(refusal.pair().nearQp().postSend(new SendRequest(0).wrId(1).opcode(SendOpcode.LOCAL_INV)
                .invalidate(key)), "invalidate");
            refusal.near().sent().next().expectStatus(1, WcStatus.MW_BIND_ERR);
            Check.equal(QpState.ERR, refusal.pair().nearQp().state(), "state after invalidating key 0x%x", key);
        }
    }

    /** A plain region is not for peers to take away, nor for LOCAL_INV: it stays. */
    private static void plainKey(final ConformanceEnv env) {
        env.skipIfPeculiar("refused-invalidations-are-not-told");
        final Refusal refusal = new Refusal(env).with(ALL);
        final Memory from = refusal.near().memory(64).fill(2, 0, 64);
        final Memory to = refusal.far().memory(64, REMOTE_WRITE);
        refusal.byPeer(new SendRequest().opcode(SendOpcode.SEND_WITH_INV).invalidate(to.rkey())
            .sge(from.at(0), 64, from.lkey()), WcStatus.REM_ACCESS_ERR, AsyncEventType.QP_ACCESS_ERR);
        refusal.with(ALL);
        Check.ok(refusal.pair().farQp().postSend(new SendRequest(0).wrId(1).opcode(SendOpcode.LOCAL_INV)
            .invalidate(to.rkey())), "invalidate");
        refusal.far().sent().next().expectStatus(1, WcStatus.MW_BIND_ERR);
        Check.ok(refusal.with(ALL).pair().nearQp().postSend(OneSided.write(from, 0, 64, to, 0).wrId(9)), "post");
        refusal.near().sent().next().expect(9, WcOpcode.RDMA_WRITE);
        to.expectPattern(2, 0, 64, "written through the region that stayed");
        env.moved(64);
    }
}
