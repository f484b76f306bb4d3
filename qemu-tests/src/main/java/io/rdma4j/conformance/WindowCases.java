/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.MW_BIND;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WindowType;

import java.time.Duration;
import java.util.List;

/** Memory windows of both types. The far side binds them and lends their keys to the near side. */
final class WindowCases {
    private static final int PAGE = 4096;
    private static final int START = 1000;
    private static final int LENGTH = 3000;
    private static final String NO_BOUNDS = "windows-reach-all-of-their-region";
    private static final AccessFlag[] ALL = {REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC};

    private WindowCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("window.isRefusedWithAReasonWhereThereAreNone", WindowCases::refusedWithReason),
            window("window.opensAndClosesAgainAndAgain", WindowCases::cycles),
            window("window.refusesCallsThatMakeNoSense", WindowCases::refusesCalls),
            window("window.type1GivesAPartOfARegion", WindowCases::type1),
            window("window.type1IsBoundAgainElsewhere", WindowCases::type1Again),
            window("window.type1BoundToNothingIsDead", WindowCases::type1Nothing),
            window("window.rightsAreItsOwn", WindowCases::rights).needs(Feature.RDMA_READ, Feature.ATOMICS),
            window("window.type2GivesAPartOfARegion", WindowCases::type2),
            window("window.type2IsDeadAfterLocalInvalidation", WindowCases::type2LocalInvalidate)
                .needs(Feature.INVALIDATE),
            window("window.type2IsDeadAfterThePeerInvalidated", WindowCases::type2RemoteInvalidate)
                .needs(Feature.INVALIDATE),
            window("window.type2WorksOnlyThroughItsQp", WindowCases::type2OtherQp),
            window("window.type2IsNotBoundTwice", WindowCases::type2Twice),
            window("window.closedOneIsDead", WindowCases::closed),
            window("window.closedRegionEndsIt", WindowCases::closedRegion));
    }

    private static ConformanceCase window(final String name, final ConformanceCase.Body body) {
        final ConformanceCase either =
            ConformanceCase.of(name, body).needs(Feature.MEMORY_WINDOWS, Feature.RDMA_WRITE, Feature.REMOTE_KEYS);
        return name.contains(".type1") ? either : either.needs(Feature.MEMORY_WINDOWS_TYPE_2);
    }

    private static void refusedWithReason(final ConformanceEnv env) {
        if (env.device().supports(Feature.MEMORY_WINDOWS) && env.device().supports(Feature.MEMORY_WINDOWS_TYPE_2)) {
            throw env.skip("this device has memory windows");
        }
        final Node node = Node.near(env, 4);
        for (final WindowType type : WindowType.values()) {
            if (env.device().supports(type.feature())) {
                continue;
            }
            final RdmaException refused = Check.refused(RdmaException.EOPNOTSUPP,
                () -> node.pd().allocateWindow(type), type.toString());
            Check.that(refused.getMessage().contains(env.device().whyNot(type.feature())),
                "the message does not say why: %s", refused.getMessage());
        }
    }

    /** A pair, memory of the far side with a region that may be bound to, and writes of the near side. */
    private static final class Lender {
        private final ConformanceEnv env;
        private final Refusal refusal;
        private final Memory from;
        private final Memory memory;
        private final MemoryRegion region;

        Lender(final ConformanceEnv env) {
            this.env = env;
            this.refusal = new Refusal(env).with(ALL);
            this.from = refusal.near().memory(2 * PAGE).fill(1, 0, 2 * PAGE);
            this.memory = refusal.far().memory(3 * PAGE).guard();
            this.region = memory.allowing(env, refusal.far().pd(), 0, 3 * PAGE, LOCAL_WRITE, MW_BIND);
        }

        QueuePair binder() {
            return refusal.pair().farQp();
        }

        MemoryWindow window(final WindowType type) {
            return env.own(refusal.far().pd().allocateWindow(type));
        }

        void bind1(final MemoryWindow window, final int start, final int length, final AccessFlag... rights) {
            Check.ok(binder().bindWindow(5, window, region, memory.at(start), length, rights), "bind");
            refusal.far().sent().next().expect(5, WcOpcode.BIND_MW);
        }

        void bind2(final MemoryWindow window, final int start, final int length, final AccessFlag... rights) {
            Check.ok(binder().postSend(new SendRequest(0).wrId(6)
                .bind(window, window.nextRkey(), region, memory.at(start), length, rights)), "bind");
            refusal.far().sent().next().expect(6, WcOpcode.BIND_MW);
        }

        SendRequest write(final int offset, final int length, final int rkey) {
            return new SendRequest().wrId(7).opcode(SendOpcode.RDMA_WRITE).sge(from.at(0), length, from.lkey())
                .remote(memory.at(offset), rkey);
        }

        /** A WRITE through the window arrives, and nothing around it changes. */
        void writes(final int offset, final int length, final int rkey) {
            memory.guard();
            Check.ok(refusal.pair().nearQp().postSend(write(offset, length, rkey)), "post");
            refusal.near().sent().next().expect(7, WcOpcode.RDMA_WRITE);
            memory.expectPattern(1, offset, length, "written through a window");
            memory.expectGuard(0, offset, "before");
            memory.expectGuard(offset + length, 3 * PAGE, "behind");
            memory.guard();
            env.moved(length);
        }

        /** A WRITE with this key is refused; ends the pair, and makes the next one. */
        void refuses(final int offset, final int length, final int rkey) {
            refuses(write(offset, length, rkey));
        }

        void refuses(final SendRequest request) {
            refusal.byPeer(request, WcStatus.REM_ACCESS_ERR, AsyncEventType.QP_ACCESS_ERR);
            memory.expectGuard(0, 3 * PAGE, "memory of the lender");
            refusal.with(ALL);
        }
    }

    private static void cycles(final ConformanceEnv env) {
        final Node node = Node.near(env, 4);
        for (int i = 0; i < env.times(50, 200); i++) {
            final WindowType type = WindowType.values()[i % 2];
            final MemoryWindow window = node.pd().allocateWindow(type);
            Check.that(window.type() == type && window.pd() == node.pd() && !window.isClosed(), "made: %s", window);
            Check.equal(window.rkey() & ~0xff, window.nextRkey() & ~0xff, "upper part of the next key");
            Check.that(window.rkey() != window.nextRkey(), "the next key is the same");
            window.close();
            window.close();
            Check.that(window.isClosed(), "not closed");
        }
        Check.refused(RdmaException.EINVAL, () -> node.pd().allocateWindow(null), "no type");
    }

    private static void refusesCalls(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final QueuePair qp = lender.binder();
        final MemoryRegion region = lender.region;
        final MemoryWindow one = lender.window(WindowType.TYPE_1);
        final MemoryWindow two = lender.window(WindowType.TYPE_2);
        final Node stranger = Node.far(env, 4);
        final MemoryWindow foreign = env.own(stranger.pd().allocateWindow(WindowType.TYPE_1));
        final MemoryRegion plain = lender.memory.region();
        final MemoryRegion readOnly =
            lender.memory.allowing(env, lender.refusal.far().pd(), 0, PAGE, MW_BIND, REMOTE_READ);
        final long at = region.address();
        final int invalid = ReturnCode.INVALID_REQUEST;
        Check.code(invalid, qp.bindWindow(1, null, region, at, 8, REMOTE_READ), "no window");
        Check.code(invalid, qp.bindWindow(1, one, null, at, 8, REMOTE_READ), "no region");
        Check.code(invalid, qp.bindWindow(1, two, region, at, 8, REMOTE_READ), "type 2 by the verb");
        Check.code(invalid, qp.bindWindow(1, one, plain, at, 8, REMOTE_READ), "a region that may not be bound to");
        Check.code(invalid, qp.bindWindow(1, one, readOnly, at, 8, REMOTE_WRITE), "writes without local write");
        Check.code(invalid, qp.bindWindow(1, one, readOnly, at, 8, REMOTE_ATOMIC), "atomics without local write");
        Check.code(invalid, qp.bindWindow(1, one, region, at, 8, LOCAL_WRITE), "a local right");
        Check.code(invalid, qp.bindWindow(1, one, region, at - 1, 8, REMOTE_READ), "before the region");
        Check.code(invalid, qp.bindWindow(1, one, region, at + 1, 3 * PAGE, REMOTE_READ), "behind the region");
        Check.code(invalid, qp.bindWindow(1, one, region, at, -1, REMOTE_READ), "-1 bytes");
        Check.code(invalid, qp.bindWindow(1, one, region, at, Long.MAX_VALUE, REMOTE_READ), "too many bytes");
        Check.code(ReturnCode.FOREIGN_OBJECT, qp.bindWindow(1, foreign, region, at, 8, REMOTE_READ), "other domain");
        Check.code(invalid, qp.postSend(new SendRequest(0).bind(one, one.nextRkey(), region, at, 8, REMOTE_READ)),
            "type 1 by a work request");
        Check.code(invalid, qp.postSend(new SendRequest(0).bind(two, two.nextRkey() ^ 0x100, region, at, 8,
            REMOTE_READ)), "a key of another window");
        Check.code(invalid, qp.postSend(new SendRequest(0).bind(two, two.nextRkey(), region, at, 0, REMOTE_READ)),
            "type 2 to nothing");
        one.close();
        Check.code(invalid, qp.bindWindow(1, one, region, at, 8, REMOTE_READ), "a closed window");
        lender.refusal.far().sent().none(Duration.ofMillis(2), "nothing was posted");
    }

    private static void type1(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final MemoryWindow window = lender.window(WindowType.TYPE_1);
        final int before = window.rkey();
        lender.refuses(START, 8, before);
        lender.bind1(window, START, LENGTH, REMOTE_WRITE);
        Check.that(window.rkey() != before, "the key is the same as before");
        lender.writes(START, LENGTH, window.rkey());
        lender.writes(START, 1, window.rkey());
        lender.writes(START + LENGTH - 1, 1, window.rkey());
        lender.refuses(START, 8, before);
        if (!env.isPeculiar(env.peer(), NO_BOUNDS)) {
            for (final int[] part : new int[][] {{START - 1, 8}, {START + LENGTH - 7, 8}, {START, LENGTH + 1}, {0, 8},
                {START + LENGTH, 8}}) {
                lender.refuses(part[0], part[1], window.rkey());
            }
        }
        lender.writes(START, LENGTH, window.rkey());
    }

    private static void type1Again(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final MemoryWindow window = lender.window(WindowType.TYPE_1);
        int last = window.rkey();
        for (int i = 0; i < env.times(10, 300); i++) {
            final int start = env.random().nextInt(2 * PAGE);
            lender.bind1(window, start, PAGE, REMOTE_WRITE);
            Check.that(window.rkey() != last, "the key did not change in round %d", i);
            lender.writes(start, PAGE, window.rkey());
            if (i % 32 == 0) {
                lender.refuses(start, 8, last);
            }
            last = window.rkey();
        }
    }

    private static void type1Nothing(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final MemoryWindow window = lender.window(WindowType.TYPE_1);
        lender.bind1(window, START, LENGTH, REMOTE_WRITE);
        final int bound = window.rkey();
        lender.writes(START, LENGTH, bound);
        Check.ok(lender.binder().bindWindow(5, window, null, 0, 0), "bind to nothing");
        lender.refusal.far().sent().next().expect(5, WcOpcode.BIND_MW);
        lender.refuses(START, 8, bound);
        lender.refuses(START, 8, window.rkey());
        lender.bind1(window, START, LENGTH, REMOTE_WRITE);
        lender.writes(START, LENGTH, window.rkey());
    }

    private static void rights(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        for (final AccessFlag right : ALL) {
            final MemoryWindow window = lender.window(WindowType.TYPE_1);
            lender.bind1(window, 0, PAGE, right);
            for (final SendOpcode opcode : List.of(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ,
                SendOpcode.ATOMIC_FETCH_AND_ADD)) {
                final SendRequest request = lender.write(8, 8, window.rkey()).opcode(opcode);
                final boolean allowed = opcode == SendOpcode.RDMA_WRITE && right == REMOTE_WRITE
                    || opcode == SendOpcode.RDMA_READ && right == REMOTE_READ
                    || opcode == SendOpcode.ATOMIC_FETCH_AND_ADD && right == REMOTE_ATOMIC;
                if (allowed) {
                    Check.ok(lender.refusal.pair().nearQp().postSend(request), "post");
                    final Wc wc = lender.refusal.near().sent().next();
                    Check.that(wc.status() == WcStatus.SUCCESS, "%s with %s: %s", opcode, right, wc);
                    lender.memory.guard();
                    env.moved(8);
                } else {
                    lender.refuses(request);
                }
            }
        }
    }

    private static void type2(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final MemoryWindow window = lender.window(WindowType.TYPE_2);
        final int next = window.nextRkey();
        lender.bind2(window, START, LENGTH, REMOTE_WRITE);
        Check.equal(next, window.rkey(), "key");
        lender.writes(START, LENGTH, window.rkey());
        if (!env.isPeculiar(env.peer(), NO_BOUNDS)) {
            lender.refuses(START - 1, 8, window.rkey());
        }
    }

    private static void type2LocalInvalidate(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final MemoryWindow window = lender.window(WindowType.TYPE_2);
        for (int i = 0; i < 3; i++) {
            lender.bind2(window, START, LENGTH, REMOTE_WRITE);
            lender.writes(START, LENGTH, window.rkey());
            Check.ok(lender.binder().postSend(new SendRequest(0).wrId(8).opcode(SendOpcode.LOCAL_INV)
                .invalidate(window.rkey())), "invalidate");
            lender.refusal.far().sent().next().expect(8, WcOpcode.LOCAL_INV);
        }
        lender.refuses(START, 8, window.rkey());
    }

    private static void type2RemoteInvalidate(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final MemoryWindow window = lender.window(WindowType.TYPE_2);
        final Memory receive = lender.refusal.far().memory(64);
        for (int i = 0; i < 3; i++) {
            lender.bind2(window, START, LENGTH, REMOTE_WRITE);
            lender.writes(START, LENGTH, window.rkey());
            Check.ok(lender.binder().postReceive(3, receive.at(0), 64, receive.lkey()), "post receive");
            Check.ok(lender.refusal.pair().nearQp().postSend(new SendRequest().wrId(4)
                .opcode(SendOpcode.SEND_WITH_INV).invalidate(window.rkey())
                .sge(lender.from.at(0), 64, lender.from.lkey())), "post");
            lender.refusal.near().sent().next().expect(4, WcOpcode.SEND);
            final Wc received = lender.refusal.far().received().next().expect(3, WcOpcode.RECV).expectBytes(64);
            Check.that(received.invalidated() && received.invalidatedRkey() == window.rkey(),
                "the receiver was not told of key 0x%x: %s", window.rkey(), received);
            receive.expectPattern(1, 0, 64, "message");
            env.moved(64);
        }
        lender.refuses(START, 8, window.rkey());
    }

    private static void type2OtherQp(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final Node near = Node.near(env, 4);
        final Node far = lender.refusal.far();
        final MemoryWindow window = lender.window(WindowType.TYPE_2);
        lender.bind2(window, START, LENGTH, REMOTE_WRITE);
        final QueuePair sender = near.rc(4, 1);
        final QueuePair other = env.own(far.pd().createQp(far.options(4, 1).reserveCq(false)));
        final RcPair pair = RcPair.of(env, near, far, sender, other);
        other.modify(QpAttributes.to(QpState.RTS).accessFlags(REMOTE_WRITE));
        final Memory from = near.memory(64);
        Check.ok(pair.nearQp().postSend(new SendRequest().wrId(1).opcode(SendOpcode.RDMA_WRITE)
            .sge(from.at(0), 64, from.lkey()).remote(lender.memory.at(START), window.rkey())), "post");
        near.sent().next().expectStatus(1, WcStatus.REM_ACCESS_ERR);
        lender.memory.expectGuard(0, 3 * PAGE, "memory behind a window of another QP");
        lender.writes(START, LENGTH, window.rkey());
    }

    private static void type2Twice(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final MemoryWindow window = lender.window(WindowType.TYPE_2);
        lender.bind2(window, START, LENGTH, REMOTE_WRITE);
        Check.ok(lender.binder().postSend(new SendRequest(0).wrId(6).bind(window, window.nextRkey(), lender.region,
            lender.memory.at(0), PAGE, REMOTE_WRITE)), "bind once more");
        lender.refusal.far().sent().next().expectStatus(6, WcStatus.MW_BIND_ERR);
        Check.equal(QpState.ERR, lender.binder().state(), "state of the QP that bound");
    }

    private static void closed(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        for (final WindowType type : WindowType.values()) {
            final MemoryWindow window = lender.window(type);
            if (type == WindowType.TYPE_1) {
                lender.bind1(window, START, LENGTH, REMOTE_WRITE);
            } else {
                lender.bind2(window, START, LENGTH, REMOTE_WRITE);
            }
            final int rkey = window.rkey();
            lender.writes(START, LENGTH, rkey);
            window.close();
            lender.refuses(START, 8, rkey);
        }
    }

    private static void closedRegion(final ConformanceEnv env) {
        final Lender lender = new Lender(env);
        final MemoryWindow window = lender.window(WindowType.TYPE_1);
        lender.bind1(window, START, LENGTH, REMOTE_WRITE);
        lender.writes(START, LENGTH, window.rkey());
        if (env.isPeculiar(env.peer(), "regions-with-windows-stay")) {
            Check.refused(RdmaException.EBUSY, lender.region::close, "closing a region with a window");
            Check.that(!lender.region.isClosed(), "the region was closed");
            lender.writes(START, LENGTH, window.rkey());
            window.close();
            lender.region.close();
            return;
        }
        lender.region.close();
        lender.refuses(START, 8, window.rkey());
        Check.that(!window.isClosed(), "the window was closed with the region");
    }
}
