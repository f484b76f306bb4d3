/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.util.List;

import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Requests that are encoded once and posted often, and payloads that are copied when they are posted. */
final class TemplateCases {
    private static final int INLINE = 256;

    private TemplateCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("template.postsWhatWasPrepared", TemplateCases::posts),
            ConformanceCase.of("template.everyFieldCanBeChanged", TemplateCases::fields),
            ConformanceCase.of("template.isACopyOfItsRequests", TemplateCases::isCopy),
            ConformanceCase.of("template.postsAsManyAsFit", TemplateCases::asManyAsFit),
            ConformanceCase.of("template.refusesWhatIsRefusedElsewhere", TemplateCases::refuses),
            ConformanceCase.of("template.refusesTheWrongState", TemplateCases::wrongState),
            ConformanceCase.of("template.datagrams", TemplateCases::datagrams),
            ConformanceCase.of("template.writesAndReads", TemplateCases::writesAndReads)
                .needs(Feature.RDMA_WRITE, Feature.RDMA_READ, Feature.REMOTE_KEYS),
            ConformanceCase.of("template.atomics", TemplateCases::atomics)
                .needs(Feature.ATOMICS, Feature.REMOTE_KEYS),
            ConformanceCase.of("inline.everySizeUpToItsMaximum", TemplateCases::inlineSizes),
            ConformanceCase.of("inline.sourceIsFreeAtOnce", TemplateCases::inlineFree),
            ConformanceCase.of("inline.sourceMayBeOnTheHeap", TemplateCases::inlineHeap),
            ConformanceCase.of("inline.refusesMoreThanItsMaximum", TemplateCases::inlineRefuses),
            ConformanceCase.of("inline.isOnlyThereIfAskedFor", TemplateCases::inlineOnlyIfAsked),
            ConformanceCase.of("inline.betweenOtherRequests", TemplateCases::inlineBetween),
            ConformanceCase.of("inline.inATemplate", TemplateCases::inlineTemplate),
            ConformanceCase.of("inline.write", TemplateCases::inlineWrite)
                .needs(Feature.RDMA_WRITE, Feature.REMOTE_KEYS),
            ConformanceCase.of("inline.isFlushedAsAnyOther", TemplateCases::inlineFlush));
    }

    /** Some messages with one doorbell, the same ones again and again. */
    private static void posts(final ConformanceEnv env) {
        final int count = 4;
        final RcPair pair = RcPair.connected(env, 8, 2);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        final SendRequest[] requests = new SendRequest[count];
        for (int i = 0; i < count; i++) {
            requests[i] = new SendRequest(2).wrId(100 + i).addSge(from.at(512 * i), 100 + i, from.lkey())
                .addSge(from.at(512 * i + 256), 50, from.lkey());
        }
        final SendTemplate template = pair.nearQp().prepare(requests);
        Check.equal(count, template.size(), "requests in the template");
        Check.equal(pair.nearQp(), template.queuePair(), "QP of the template");
        for (int round = 0; round < env.times(10, 200); round++) {
            for (int i = 0; i < count; i++) {
                from.fill(round + i, 512 * i, 100 + i).fill(round - i, 512 * i + 256, 50);
                Check.ok(pair.farQp().postReceive(i, to.at(512 * i), 512, to.lkey()), "post receive");
            }
            Check.equal(count, template.post(), "posted in round " + round);
            for (int i = 0; i < count; i++) {
                pair.near().sent().next().expect(100 + i, WcOpcode.SEND);
                pair.far().received().next().expect(i, WcOpcode.RECV).expectBytes(150 + i);
                to.expectPattern(round + i, 512 * i, 100 + i, "first piece of message " + i);
                to.expectPattern(round - i, 512 * i + 100 + i, 50, "second piece of message " + i);
                env.moved(150 + i);
            }
        }
    }

    private static void fields(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 2);
        final Memory from = pair.near().memory(8192);
        final Memory other = pair.near().memory(8192);
        final Memory to = pair.far().memory(8192);
        final SendTemplate template = pair.nearQp().prepare(
            new SendRequest(2).addSge(from.at(0), 1, from.lkey()).addSge(from.at(0), 1, from.lkey()));
        for (int i = 0; i < env.times(20, 500); i++) {
            final Memory second = i % 2 == 0 ? from : other;
            final int at = env.random().nextInt(3000);
            final int length = env.random().nextInt(1000);
            from.fill(i, at, length);
            second.fill(~i, 4096 + 7, length + 3);
            template.wrId(0, i * 3L).address(0, 0, from.at(at)).length(0, 0, length)
                .address(0, 1, second.at(4096 + 7)).length(0, 1, length + 3).lkey(0, 1, second.lkey());
            Check.ok(pair.farQp().postReceive(i, to.at(0), 8192, to.lkey()), "post receive");
            Check.equal(1, template.post(), "posted");
            pair.near().sent().next().expect(i * 3L, WcOpcode.SEND);
            pair.far().received().next().expect(i, WcOpcode.RECV).expectBytes(2 * length + 3);
            to.expectPattern(i, 0, length, "first piece of round " + i);
            to.expectPattern(~i, length, length + 3, "second piece of round " + i);
            env.moved(2L * length + 3);
        }
    }

    private static void isCopy(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final Memory from = pair.near().memory(4096).fill(1, 0, 100).fill(2, 1000, 100);
        final Memory to = pair.far().memory(4096);
        final SendRequest request = new SendRequest().wrId(5).sge(from.at(0), 100, from.lkey());
        final SendTemplate template = pair.nearQp().prepare(request);
        request.wrId(6).sge(from.at(1000), 100, from.lkey());
        Check.ok(pair.farQp().postReceive(1, to.at(0), 100, to.lkey()), "post receive");
        Check.ok(pair.farQp().postReceive(2, to.at(200), 100, to.lkey()), "post receive");
        Check.equal(1, template.post(), "posted");
        Check.ok(pair.nearQp().postSend(request), "post the request itself");
        pair.near().sent().next().expect(5, WcOpcode.SEND);
        pair.near().sent().next().expect(6, WcOpcode.SEND);
        pair.far().received().next(2);
        to.expectPattern(1, 0, 100, "by the template");
        to.expectPattern(2, 200, 100, "by the request");
        env.moved(200);
    }

    private static void asManyAsFit(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory from = pair.near().memory(64);
        final Memory to = pair.far().memory(64);
        final SendRequest[] requests = new SendRequest[3];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new SendRequest().wrId(i).sge(from.at(0), 8, from.lkey());
        }
        final SendTemplate template = pair.nearQp().prepare(requests);
        for (int round = 0; round < 3; round++) {
            Check.equal(3, template.post(), "posted");
            Check.equal(3, template.post(3), "posted");
            Check.equal(0, template.post(0), "posted of none");
            Check.equal(2, template.post(), "posted where 2 fit");
            Check.code(ReturnCode.QUEUE_FULL, template.post(), "posted where none fits");
            Check.code(ReturnCode.QUEUE_FULL, template.post(1), "posted where none fits");
            for (int i = 0; i < 8; i++) {
                Check.ok(pair.farQp().postReceive(i, to.at(0), 8, to.lkey()), "post receive");
            }
            for (int i = 0; i < 8; i++) {
                pair.near().sent().next().expect(i % 3, WcOpcode.SEND);
                pair.far().received().next().expect(i, WcOpcode.RECV);
                env.moved(8);
            }
        }
        Check.code(ReturnCode.INVALID_REQUEST, template.post(4), "more than there are");
        Check.code(ReturnCode.INVALID_REQUEST, template.post(-1), "less than none");
    }

    private static void refuses(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final Memory from = pair.near().memory(64);
        final QueuePair qp = pair.nearQp();
        final SendRequest good = new SendRequest().sge(from.at(0), 8, from.lkey());
        final SendRequest tooMany = new SendRequest(16);
        for (int i = 0; i <= qp.maxSendSge(); i++) {
            tooMany.addSge(from.at(0), 1, from.lkey());
        }
        Check.refused(RdmaException.EINVAL, () -> qp.prepare(), "nothing");
        Check.refused(RdmaException.EINVAL, () -> qp.prepare(good, null), "null");
        Check.refused(RdmaException.EINVAL, () -> qp.prepare(good, tooMany), "too many elements", "1");
        Check.refused(RdmaException.EINVAL, () -> qp.prepare(good, good, good, good, good), "more than fit", "5");
        final SendTemplate template = qp.prepare(good);
        refusesField("a second request", () -> template.wrId(1, 0));
        refusesField("request -1", () -> template.wrId(-1, 0));
        refusesField("a second element", () -> template.address(0, 1, 0));
        refusesField("a negative length", () -> template.length(0, 0, -1));
        refusesField("a remote address of a SEND", () -> template.remote(0, 0, 0));
        refusesField("operands of a SEND", () -> template.operands(0, 0, 0));
        refusesField("immediate data of a SEND", () -> template.immData(0, 0));
        refusesField("a payload where none was", () -> template.inline(0, new UnsafeBuffer(new byte[8]), 0, 8));
        qp.close();
        Check.code(ReturnCode.CLOSED, template.post(), "post to a closed QP");
        Check.refused(RdmaException.EBADFD, () -> qp.prepare(good), "closed QP", "closed");
    }

    private static void refusesField(final String what, final Runnable setter) {
        try {
            setter.run();
        } catch (final IllegalArgumentException e) {
            Check.that(e.getMessage() != null, "%s is refused without a reason", what);
            return;
        }
        throw new AssertionError(what + " was taken");
    }

    private static void wrongState(final ConformanceEnv env) {
        final RcPair pair = RcPair.unconnected(env, Node.near(env, 4), Node.far(env, 4), 4, 1);
        final Memory from = pair.near().memory(64);
        final Memory to = pair.far().memory(64);
        final SendTemplate template =
            pair.nearQp().prepare(new SendRequest().wrId(3).sge(from.at(0), 8, from.lkey()));
        Check.code(ReturnCode.WRONG_STATE, template.post(), "post in RESET");
        pair.connect();
        Check.ok(pair.farQp().postReceive(1, to.at(0), 8, to.lkey()), "post receive");
        Check.equal(1, template.post(), "posted in RTS");
        pair.near().sent().next().expect(3, WcOpcode.SEND);
        pair.far().received().next().expect(1, WcOpcode.RECV);
        pair.nearQp().modify(QpAttributes.to(QpState.ERR));
        Check.equal(1, template.post(), "posted in ERR");
        pair.near().sent().next().expectStatus(3, WcStatus.WR_FLUSH_ERR);
        env.moved(8);
    }

    private static void datagrams(final ConformanceEnv env) {
        final Node node = Node.datagrams(env, 16);
        final QueuePair sender = node.ud(4, 1, 9);
        final QueuePair taker = node.ud(4, 1, 9);
        final Memory memory = node.memory(4096);
        final AddressHandle way = env.own(node.pd().createAh(AhAttributes.to(env.device().queryGid(1, 0))));
        final SendTemplate template = sender.prepare(new SendRequest().to(way, taker.qpNumber(), 9)
            .sge(memory.at(0), 64, memory.lkey()));
        for (int i = 0; i < 20; i++) {
            memory.fill(i, 64 * i, 1 + i);
            Check.ok(taker.postReceive(i, memory.at(2048), 1024, memory.lkey()), "post receive");
            template.wrId(0, ~i).address(0, 0, memory.at(64 * i)).length(0, 0, 1 + i);
            Check.equal(1, template.post(), "posted");
            node.sent().next().expect(~i, WcOpcode.SEND);
            node.received().next().expect(i, WcOpcode.RECV).expectBytes(41 + i);
            memory.expectPattern(i, 2048 + 40, 1 + i, "datagram " + i);
            env.moved(1 + i);
        }
        way.close();
        Check.that(template.post() < 0, "posted with a closed address handle");
    }

    private static void writesAndReads(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 4, 1, REMOTE_WRITE, REMOTE_READ);
        final Memory near = pair.near().memory(8192);
        final Memory far = pair.far().memory(8192, REMOTE_WRITE, REMOTE_READ);
        final SendTemplate both = pair.nearQp().prepare(OneSided.write(near, 0, 8, far, 0).wrId(1).flags(0),
            OneSided.read(near, 4096, 8, far, 0).wrId(2));
        for (int i = 0; i < 50; i++) {
            near.fill(i, 3 * i, 100 + i);
            both.address(0, 0, near.at(3 * i)).length(0, 0, 100 + i).remote(0, far.at(17 * i), far.rkey());
            both.address(1, 0, near.at(4096 + i)).length(1, 0, 100 + i).remote(1, far.at(17 * i), far.rkey());
            Check.equal(2, both.post(), "posted");
            pair.near().sent().next().expect(2, WcOpcode.RDMA_READ);
            far.expectPattern(i, 17 * i, 100 + i, "written in round " + i);
            near.expectPattern(i, 4096 + i, 100 + i, "read in round " + i);
            env.moved(200 + 2L * i);
        }
    }

    private static void atomics(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 4, 1, REMOTE_ATOMIC);
        final Memory old = pair.near().memory(64);
        final Memory word = pair.far().memory(64, REMOTE_ATOMIC);
        final SendTemplate both = pair.nearQp().prepare(OneSided.fetchAndAdd(old, 0, word, 0, 0).wrId(1),
            OneSided.compareAndSwap(old, 8, word, 0, 0, 0).wrId(2));
        long expected = 0;
        for (int i = 0; i < 50; i++) {
            final int at = 8 * (i % 3);
            word.buffer().putLong(at, expected);
            both.operands(0, i, 0).remote(0, word.at(at), word.rkey());
            both.operands(1, expected + i, ~expected).remote(1, word.at(at), word.rkey());
            Check.equal(2, both.post(), "posted");
            pair.near().sent().next().expect(1, WcOpcode.FETCH_ADD);
            pair.near().sent().next().expect(2, WcOpcode.COMP_SWAP);
            Check.equal(expected, old.buffer().getLong(0), "what was there before in round %d", i);
            Check.equal(expected + i, old.buffer().getLong(8), "what was there between in round %d", i);
            Check.equal(~expected, word.buffer().getLong(at), "what is there after round %d", i);
            expected = ~expected;
            env.moved(16);
        }
    }

    private static RcPair withInline(final ConformanceEnv env, final int maxWr) {
        final Node near = Node.near(env, maxWr);
        final Node far = Node.far(env, maxWr);
        final QueuePair qp = env.own(near.pd().createQp(near.options(maxWr, 1).maxInline(INLINE)));
        return RcPair.of(env, near, far, qp, far.rc(maxWr, 1));
    }

    private static void inlineSizes(final ConformanceEnv env) {
        final RcPair pair = withInline(env, 4);
        Check.that(pair.nearQp().maxInline() >= INLINE, "asked for %d, got %d", INLINE, pair.nearQp().maxInline());
        final Memory to = pair.far().memory(4096);
        final UnsafeBuffer source = new UnsafeBuffer(new byte[pair.nearQp().maxInline() + 8]);
        for (int length = 0; length <= pair.nearQp().maxInline(); length += env.times(15, 1)) {
            for (int i = 0; i < length; i++) {
                source.putByte(length % 8 + i, Memory.pattern(length, i));
            }
            to.buffer().setMemory(0, 512, Memory.GUARD);
            Check.ok(pair.farQp().postReceive(1, to.at(3), 400, to.lkey()), "post receive");
            Check.ok(pair.nearQp().postSendInline(length, source, length % 8, length), length + " bytes");
            source.setMemory(0, source.capacity(), (byte) 0);
            pair.near().sent().next().expect(length, WcOpcode.SEND);
            pair.far().received().next().expect(1, WcOpcode.RECV).expectBytes(length);
            to.expectPattern(length, 3, length, length + " bytes");
            to.expectGuard(3 + length, 512, "behind " + length + " bytes");
            env.moved(length);
        }
    }

    /** The queue is full of payloads out of one buffer before the first of them can be received. */
    private static void inlineFree(final ConformanceEnv env) {
        final int count = 16;
        final RcPair pair = withInline(env, count);
        final Memory to = pair.far().memory(count * INLINE);
        final UnsafeBuffer source = new UnsafeBuffer(new byte[INLINE]);
        for (int round = 0; round < env.times(2, 50); round++) {
            for (int i = 0; i < count; i++) {
                for (int k = 0; k < INLINE; k++) {
                    source.putByte(k, Memory.pattern(round * count + i, k));
                }
                Check.ok(pair.nearQp().postSendInline(i, source, 0, INLINE - i), "post " + i);
            }
            Check.code(ReturnCode.QUEUE_FULL, pair.nearQp().postSendInline(99, source, 0, 1), "one more");
            source.setMemory(0, INLINE, (byte) 0);
            for (int i = 0; i < count; i++) {
                Check.ok(pair.farQp().postReceive(i, to.at(i * INLINE), INLINE, to.lkey()), "post receive");
            }
            for (int i = 0; i < count; i++) {
                pair.far().received().next().expect(i, WcOpcode.RECV).expectBytes(INLINE - i);
                pair.near().sent().next().expect(i, WcOpcode.SEND);
                to.expectPattern(round * count + i, i * INLINE, INLINE - i, "payload " + i + " of round " + round);
                env.moved(INLINE - i);
            }
        }
    }

    private static void inlineHeap(final ConformanceEnv env) {
        final RcPair pair = withInline(env, 4);
        final Memory to = pair.far().memory(512);
        final ExpandableArrayBuffer source = new ExpandableArrayBuffer();
        source.putStringWithoutLengthAscii(5, "out of an array on the heap");
        Check.ok(pair.farQp().postReceive(1, to.at(0), 100, to.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(new SendRequest().wrId(2).inline(source, 5, 27)), "post");
        pair.near().sent().next().expect(2, WcOpcode.SEND);
        pair.far().received().next().expect(1, WcOpcode.RECV).expectBytes(27);
        Check.equal("out of an array on the heap", to.buffer().getStringWithoutLengthAscii(0, 27), "payload");
        env.moved(27);
    }

    private static void inlineRefuses(final ConformanceEnv env) {
        final RcPair pair = withInline(env, 4);
        final QueuePair qp = pair.nearQp();
        final UnsafeBuffer source = new UnsafeBuffer(new byte[qp.maxInline() + 1]);
        Check.code(ReturnCode.INVALID_REQUEST, qp.postSendInline(1, source, 0, qp.maxInline() + 1), "too many bytes");
        Check.code(ReturnCode.INVALID_REQUEST, qp.postSendInline(1, source, 0, -1), "-1 bytes");
        Check.code(ReturnCode.INVALID_REQUEST, qp.postSendInline(1, source, -1, 1), "before the source");
        Check.code(ReturnCode.INVALID_REQUEST, qp.postSendInline(1, source, source.capacity(), 1), "behind the source");
        Check.code(ReturnCode.INVALID_REQUEST, qp.postSendInline(1, source, Integer.MAX_VALUE, 1), "far behind");
        Check.code(ReturnCode.INVALID_REQUEST, qp.postSendInline(1, null, 0, 1), "no source");
        final Node node = Node.near(env, 4);
        for (final int size : new int[] {-1, QpOptions.MAX_INLINE + 1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            Check.refused(RdmaException.EINVAL, () -> node.pd().createQp(node.options(4, 1).maxInline(size)),
                size + " bytes inline", String.valueOf(size));
        }
        final Memory to = pair.far().memory(64);
        Check.ok(pair.farQp().postReceive(1, to.at(0), 64, to.lkey()), "post receive");
        Check.ok(qp.postSendInline(7, source, 1, 64), "a good one");
        pair.near().sent().next().expect(7, WcOpcode.SEND);
        pair.far().received().next().expect(1, WcOpcode.RECV).expectBytes(64);
        env.moved(64);
    }

    private static void inlineOnlyIfAsked(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        Check.equal(0, pair.nearQp().maxInline(), "inline bytes of a QP that was not asked for any");
        Check.that(pair.nearQp().postSendInline(1, new UnsafeBuffer(new byte[8]), 0, 8) < 0, "8 bytes were taken");
        final Memory from = pair.near().memory(64);
        final Memory to = pair.far().memory(64);
        pair.exchange(from, 0, to, 0, 64);
    }

    private static void inlineBetween(final ConformanceEnv env) {
        final RcPair pair = withInline(env, 8);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(8 * 512);
        final UnsafeBuffer source = new UnsafeBuffer(new byte[64]);
        final SendRequest inline = new SendRequest();
        for (int round = 0; round < env.times(4, 100); round++) {
            for (int i = 0; i < 8; i++) {
                Check.ok(pair.farQp().postReceive(i, to.at(512 * i), 512, to.lkey()), "post receive");
            }
            for (int i = 0; i < 8; i++) {
                for (int k = 0; k < 64; k++) {
                    source.putByte(k, Memory.pattern(round + i, k));
                }
                from.fill(round + i, 512 * i, 64);
                Check.ok(pair.nearQp().postSend((i + round) % 3 == 0 ? inline.wrId(i).inline(source, 0, 64)
                    : inline.wrId(i).sge(from.at(512 * i), 64, from.lkey())), "post " + i);
            }
            for (int i = 0; i < 8; i++) {
                pair.near().sent().next().expect(i, WcOpcode.SEND);
                pair.far().received().next().expect(i, WcOpcode.RECV).expectBytes(64);
                to.expectPattern(round + i, 512 * i, 64, "message " + i);
                env.moved(64);
            }
        }
    }

    private static void inlineTemplate(final ConformanceEnv env) {
        final RcPair pair = withInline(env, 4);
        final Memory to = pair.far().memory(512);
        final UnsafeBuffer source = new UnsafeBuffer(new byte[INLINE]);
        final SendTemplate template = pair.nearQp().prepare(new SendRequest().inline(source, 0, 1));
        for (int i = 0; i < 50; i += env.times(7, 1)) {
            for (int k = 0; k < INLINE; k++) {
                source.putByte(k, Memory.pattern(i, k));
            }
            template.wrId(0, i).inline(0, source, 0, 5 * i);
            source.setMemory(0, INLINE, (byte) 0);
            Check.ok(pair.farQp().postReceive(1, to.at(0), 512, to.lkey()), "post receive");
            Check.equal(1, template.post(), "posted");
            pair.near().sent().next().expect(i, WcOpcode.SEND);
            pair.far().received().next().expect(1, WcOpcode.RECV).expectBytes(5 * i);
            to.expectPattern(i, 0, 5 * i, "payload " + i);
            env.moved(5L * i);
        }
    }

    private static void inlineWrite(final ConformanceEnv env) {
        final Node near = Node.near(env, 4);
        final Node far = Node.far(env, 4);
        final RcPair pair = RcPair.of(env, near, far,
            env.own(near.pd().createQp(near.options(4, 1).maxInline(INLINE))), far.rc(4, 1));
        pair.farQp().modify(QpAttributes.to(QpState.RTS).accessFlags(REMOTE_WRITE));
        final Memory to = far.memory(512, REMOTE_WRITE).guard();
        final UnsafeBuffer source = new UnsafeBuffer(new byte[16]);
        source.putLong(0, 0x0102_0304_0506_0708L);
        source.putLong(8, -1);
        Check.ok(pair.nearQp().postSend(new SendRequest().wrId(4).opcode(SendOpcode.RDMA_WRITE)
            .inline(source, 0, 16).remote(to.at(100), to.rkey())), "post");
        source.setMemory(0, 16, (byte) 0);
        near.sent().next().expect(4, WcOpcode.RDMA_WRITE);
        Check.equal(0x0102_0304_0506_0708L, to.buffer().getLong(100), "first word");
        Check.equal(-1L, to.buffer().getLong(108), "second word");
        to.expectGuard(0, 100, "before");
        to.expectGuard(116, 512, "behind");
        env.moved(16);
    }

    private static void inlineFlush(final ConformanceEnv env) {
        final RcPair pair = withInline(env, 8);
        final UnsafeBuffer source = new UnsafeBuffer(new byte[INLINE]);
        for (int i = 0; i < 8; i++) {
            Check.ok(pair.nearQp().postSendInline(i, source, 0, INLINE), "post " + i);
        }
        pair.nearQp().modify(QpAttributes.to(QpState.ERR));
        for (int i = 0; i < 8; i++) {
            pair.near().sent().next().expectStatus(i, WcStatus.WR_FLUSH_ERR);
        }
    }
}
