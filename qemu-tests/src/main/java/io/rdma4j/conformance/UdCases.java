/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;

import java.time.Duration;
import java.util.List;

/** Datagrams. */
final class UdCases {
    /** Bytes of the global route header in front of each datagram. */
    static final int GRH = 40;
    private static final int QKEY = 0x1234_5678;
    private static final Duration SILENCE = Duration.ofMillis(80);

    private UdCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("ud.everySizeUpToTheMtu", UdCases::everySize),
            ConformanceCase.of("ud.emptyDatagram", UdCases::emptyDatagram),
            ConformanceCase.of("ud.headerTellsWhereItCameFrom", UdCases::headerTells),
            ConformanceCase.of("ud.everyNumberOfElements", UdCases::everyNumberOfElements),
            ConformanceCase.of("ud.oneQpToMany", UdCases::oneToMany),
            ConformanceCase.of("ud.manyQpsToOne", UdCases::manyToOne),
            ConformanceCase.of("ud.severalDomainsSendToOnePeer", UdCases::severalDomains),
            ConformanceCase.of("ud.immediateData", UdCases::immediateData).needs(Feature.SEND_WITH_IMM),
            ConformanceCase.of("ud.moreThanTheMtuNeverArrives", UdCases::moreThanMtu),
            ConformanceCase.of("ud.refusesWithoutAddressHandle", UdCases::refusesWithoutHandle),
            ConformanceCase.of("ud.refusesAHandleOfAnotherDomain", UdCases::refusesForeignHandle),
            ConformanceCase.of("ud.handleMayBeClosedOncePosted", UdCases::handleMayBeClosed),
            ConformanceCase.of("ud.dropsDatagramsWithTheWrongQkey", UdCases::dropsWrongQkey),
            ConformanceCase.of("ud.privilegedQkeyStandsForTheQpsOwn", UdCases::privilegedQkey),
            ConformanceCase.of("ud.dropsDatagramsWithoutAReceive", UdCases::dropsWithoutReceive),
            ConformanceCase.of("ud.dropsDatagramsToNobody", UdCases::dropsToNobody));
    }

    /** Two UD QPs and the way from the near one to the far one. */
    private static final class Pair {
        private final ConformanceEnv env;
        private final Node near;
        private final Node far;
        private final QueuePair nearQp;
        private final QueuePair farQp;
        private final AddressHandle way;
        private final Memory from;
        private final Memory to;

        Pair(final ConformanceEnv env, final int maxSge) {
            this(env, maxSge, Node.datagrams(env, 16));
        }

        Pair(final ConformanceEnv env, final int maxSge, final Node sender) {
            this.env = env;
            near = sender;
            far = Node.far(env, 16);
            nearQp = near.ud(16, maxSge, QKEY);
            farQp = far.ud(16, maxSge, QKEY);
            way = env.own(near.pd().createAh(AhAttributes.to(farQp.localAddress().gid())));
            from = near.memory(8192);
            to = far.memory(8192);
        }

        SendRequest request(final int offset, final int length) {
            return new SendRequest().wrId(2).sge(from.at(offset), length, from.lkey())
                .to(way, farQp.qpNumber(), QKEY);
        }

        Wc exchange(final int offset, final int length, final int seed) {
            from.fill(seed, offset, length);
            to.guard();
            Check.ok(farQp.postReceive(1, to.at(offset), GRH + length, to.lkey()), "post receive");
            Check.ok(nearQp.postSend(request(offset, length)), "post send");
            near.sent().next().expect(2, WcOpcode.SEND);
            final Wc received = far.received().next().expect(1, WcOpcode.RECV).expectBytes(GRH + length);
            to.expectPattern(seed, offset + GRH, length, "datagram of " + length);
            to.expectGuard(0, offset, "before a datagram of " + length);
            to.expectGuard(offset + GRH + length, 8192, "behind a datagram of " + length);
            env.moved(length);
            return received;
        }
    }

    private static int mtu(final ConformanceEnv env) {
        return Math.min(env.device().queryPort(1).activeMtu().bytes(), env.peer().queryPort(1).activeMtu().bytes());
    }

    private static void everySize(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        final int mtu = mtu(env);
        for (int size = 1; size <= mtu; size <<= 1) {
            for (int length = Math.max(1, size - 1); length <= Math.min(mtu, size + 1); length++) {
                pair.exchange(7 + length % 13, length, length);
            }
        }
    }

    private static void emptyDatagram(final ConformanceEnv env) {
        new Pair(env, 1).exchange(100, 0, 1);
    }

    private static void headerTells(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        final Wc received = pair.exchange(0, 100, 77);
        Check.that(received.hasGrh(), "the completion does not tell of a header: %s", received);
        Check.equal(pair.nearQp.qpNumber(), received.sourceQp(), "source QP");
        Check.equal(pair.farQp.qpNumber(), received.qpn(), "own QP");
        final Gid source = pair.nearQp.localAddress().gid();
        if (source.isIpv4Mapped()) {
            for (int i = 0; i < 4; i++) {
                Check.equal(source.bytes()[12 + i], pair.to.buffer().getByte(32 + i), "byte %d of the source", i);
            }
        } else {
            for (int i = 0; i < Gid.LENGTH; i++) {
                Check.equal(source.bytes()[i], pair.to.buffer().getByte(8 + i), "byte %d of the source", i);
            }
        }
    }

    private static void everyNumberOfElements(final ConformanceEnv env) {
        final int most = Math.min(env.device().attributes().maxSge(), env.peer().attributes().maxSge());
        final Pair pair = new Pair(env, most);
        for (int count = 1; count <= most; count++) {
            final SendRequest send = new SendRequest(most).wrId(2).to(pair.way, pair.farQp.qpNumber(), QKEY);
            final ReceiveRequest receive = new ReceiveRequest(most).wrId(1);
            pair.from.fill(count, 0, 8192);
            pair.to.guard();
            for (int i = 0; i < count; i++) {
                send.addSge(pair.from.at(i * 200), 10 + i, pair.from.lkey());
                receive.addSge(pair.to.at(i * 200), i == 0 ? GRH + 10 : 10 + i, pair.to.lkey());
            }
            Check.ok(pair.farQp.postReceive(receive), "post receive");
            Check.ok(pair.nearQp.postSend(send), "post send");
            pair.near.sent().next().expect(2, WcOpcode.SEND);
            pair.far.received().next().expect(1, WcOpcode.RECV);
            for (int i = 0; i < count; i++) {
                final int at = i * 200 + (i == 0 ? GRH : 0);
                for (int k = 0; k < 10 + i; k++) {
                    Check.equal(pair.from.buffer().getByte(i * 200 + k), pair.to.buffer().getByte(at + k),
                        "byte %d of element %d of %d", k, i, count);
                }
                pair.to.expectGuard(at + 10 + i, (i + 1) * 200, "behind element " + i);
            }
            env.moved(10L * count);
        }
    }

    private static void oneToMany(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        final Node others = Node.far(env, 64);
        final Memory memory = others.memory(8192);
        for (int i = 0; i < 4; i++) {
            final QueuePair other = others.ud(8, 1, QKEY + i);
            Check.ok(other.postReceive(i, memory.at(i * 1024), 512, memory.lkey()), "post receive");
            pair.from.fill(i, 0, 100);
            Check.ok(pair.nearQp.postSend(pair.request(0, 100).to(pair.way, other.qpNumber(), QKEY + i)), "send");
            pair.near.sent().next().expect(2, WcOpcode.SEND);
            Check.equal(other.qpNumber(), others.received().next().expect(i, WcOpcode.RECV).qpn(), "receiver");
            memory.expectPattern(i, i * 1024 + GRH, 100, "datagram to QP " + i);
            env.moved(100);
        }
    }

    private static void manyToOne(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        final Node others = Node.datagrams(env, 64);
        final Memory memory = others.memory(4096);
        for (int i = 0; i < 4; i++) {
            final QueuePair other = others.ud(8, 1, 0x99);
            final AddressHandle way = env.own(others.pd().createAh(pair.way.attributes()));
            memory.fill(i, 0, 50);
            Check.ok(pair.farQp.postReceive(i, pair.to.at(0), 512, pair.to.lkey()), "post receive");
            Check.ok(other.postSend(new SendRequest().sge(memory.at(0), 50, memory.lkey())
                .to(way, pair.farQp.qpNumber(), QKEY)), "send");
            others.sent().next().expect(0, WcOpcode.SEND);
            Check.equal(other.qpNumber(), pair.far.received().next().expect(i, WcOpcode.RECV).sourceQp(), "source");
            pair.to.expectPattern(i, GRH, 50, "datagram from QP " + i);
            env.moved(50);
        }
    }

    private static void severalDomains(final ConformanceEnv env) {
        if (env.isPeculiar("ah-cached-by-gid")) {
            throw env.skip("this device sends datagrams to a peer only from the domain that did so first");
        }
        for (int i = 0; i < 3; i++) {
            new Pair(env, 1, Node.near(env, 16)).exchange(0, 100, i);
        }
    }

    private static void immediateData(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        Check.ok(pair.farQp.postReceive(1, pair.to.at(0), 512, pair.to.lkey()), "post receive");
        Check.ok(pair.nearQp.postSend(pair.request(0, 10).opcode(SendOpcode.SEND_WITH_IMM).immData(0xcafe_f00d)),
            "post send");
        final Wc received = pair.far.received().next().expect(1, WcOpcode.RECV);
        Check.that(received.hasImm() && received.imm() == 0xcafe_f00d, "immediate data arrived as %s", received);
        pair.near.sent().next().expect(2, WcOpcode.SEND);
        env.moved(10);
    }

    /** Refused at once, or posted and completed; in any case no byte arrives. */
    private static void moreThanMtu(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        final int tooLong = env.device().queryPort(1).activeMtu().bytes() + 1;
        pair.to.guard();
        Check.ok(pair.farQp.postReceive(1, pair.to.at(0), 8192, pair.to.lkey()), "post receive");
        final int code = pair.nearQp.postSend(pair.request(0, tooLong));
        if (code != ReturnCode.OK) {
            Check.code(ReturnCode.INVALID_REQUEST, code, "datagram of " + tooLong);
        } else {
            Check.equal(2L, pair.near.sent().next().wrId(), "wrId");
        }
        pair.far.received().none(SILENCE, "a datagram of " + tooLong + " bytes does not fit into a packet");
        pair.to.expectGuard(0, 8192, "receive buffer");
    }

    private static void refusesWithoutHandle(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        Check.code(ReturnCode.INVALID_REQUEST, pair.nearQp.postSend(new SendRequest()
            .sge(pair.from.at(0), 10, pair.from.lkey())), "datagram without a handle");
        Check.that(pair.nearQp.postSend(1, pair.from.at(0), 10, pair.from.lkey()) < 0, "the short way, without handle");
        pair.near.sent().none(SILENCE, "nothing was posted");
        pair.exchange(0, 100, 1);
    }

    private static void refusesForeignHandle(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        final Node other = Node.near(env, 4);
        final AddressHandle foreign = env.own(other.pd().createAh(pair.way.attributes()));
        Check.code(ReturnCode.FOREIGN_OBJECT,
            pair.nearQp.postSend(pair.request(0, 10).to(foreign, pair.farQp.qpNumber(), QKEY)), "foreign handle");
        foreign.close();
        final AddressHandle closed = pair.near.pd().createAh(pair.way.attributes());
        closed.close();
        Check.that(pair.nearQp.postSend(pair.request(0, 10).to(closed, pair.farQp.qpNumber(), QKEY)) < 0,
            "a datagram was posted with a closed handle");
        pair.exchange(0, 100, 1);
    }

    private static void handleMayBeClosed(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        final AddressHandle brief = pair.near.pd().createAh(pair.way.attributes());
        Check.ok(pair.farQp.postReceive(1, pair.to.at(0), 512, pair.to.lkey()), "post receive");
        Check.ok(pair.nearQp.postSend(pair.request(0, 10).to(brief, pair.farQp.qpNumber(), QKEY)), "post send");
        brief.close();
        pair.near.sent().next().expect(2, WcOpcode.SEND);
        pair.far.received().next().expect(1, WcOpcode.RECV).expectBytes(GRH + 10);
        env.moved(10);
    }

    /** A key with the top bit set is never sent: the QP's own goes out instead. */
    private static void privilegedQkey(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        for (final int qkey : new int[] {Integer.MIN_VALUE, -1, Integer.MIN_VALUE | QKEY + 1}) {
            pair.from.fill(qkey, 0, 20);
            Check.ok(pair.farQp.postReceive(1, pair.to.at(0), 512, pair.to.lkey()), "post receive");
            Check.ok(pair.nearQp.postSend(pair.request(0, 20).to(pair.way, pair.farQp.qpNumber(), qkey)), "send");
            pair.near.sent().next().expect(2, WcOpcode.SEND);
            pair.far.received().next().expect(1, WcOpcode.RECV).expectBytes(GRH + 20);
            pair.to.expectPattern(qkey, GRH, 20, "datagram");
            env.moved(20);
        }
    }

    private static void dropsWrongQkey(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        Check.ok(pair.farQp.postReceive(1, pair.to.at(0), 512, pair.to.lkey()), "post receive");
        Check.ok(pair.nearQp.postSend(pair.request(0, 10).to(pair.way, pair.farQp.qpNumber(), QKEY + 1)), "send");
        pair.near.sent().next().expect(2, WcOpcode.SEND);
        pair.far.received().none(SILENCE, "the queue key was wrong");
        pair.from.fill(8, 0, 20);
        Check.ok(pair.nearQp.postSend(pair.request(0, 20)), "send with the right key");
        pair.near.sent().next().expect(2, WcOpcode.SEND);
        pair.far.received().next().expect(1, WcOpcode.RECV).expectBytes(GRH + 20);
        pair.to.expectPattern(8, GRH, 20, "datagram with the right key");
        env.moved(20);
    }

    private static void dropsWithoutReceive(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        Check.ok(pair.nearQp.postSend(pair.request(0, 10)), "send to a QP without receives");
        pair.near.sent().next().expect(2, WcOpcode.SEND);
        // Behind it on the way: when this is there, the first one is gone.
        final Node others = Node.far(env, 4);
        final QueuePair behind = others.ud(4, 1, QKEY);
        final Memory memory = others.memory(512);
        Check.ok(behind.postReceive(1, memory.at(0), 512, memory.lkey()), "post receive");
        Check.ok(pair.nearQp.postSend(pair.request(0, 10).to(pair.way, behind.qpNumber(), QKEY)), "send behind it");
        pair.near.sent().next().expect(2, WcOpcode.SEND);
        others.received().next().expect(1, WcOpcode.RECV);
        pair.far.received().none(SILENCE, "nothing was posted to receive into");
        pair.exchange(0, 100, 3);
    }

    private static void dropsToNobody(final ConformanceEnv env) {
        final Pair pair = new Pair(env, 1);
        final Node gone = Node.far(env, 4);
        final QueuePair closed = gone.ud(4, 1, QKEY);
        final int number = closed.qpNumber();
        closed.close();
        Check.ok(pair.nearQp.postSend(pair.request(0, 10).to(pair.way, number, QKEY)), "send to a closed QP");
        pair.near.sent().next().expect(2, WcOpcode.SEND);
        pair.exchange(0, 100, 3);
    }
}
