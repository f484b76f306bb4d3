/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What posting refuses, by its return code, before the device sees it; afterwards the queue works as before. */
final class QueueCases {
    private QueueCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("post.sendQueueIsFullAfterItsSize", QueueCases::sendQueueFull),
            ConformanceCase.of("post.receiveQueueIsFullAfterItsSize", QueueCases::receiveQueueFull),
            ConformanceCase.of("post.largestQueues", QueueCases::largestQueues),
            ConformanceCase.of("post.refusesTooManyElements", QueueCases::tooManyElements),
            ConformanceCase.of("post.refusesTheWrongState", QueueCases::wrongState),
            ConformanceCase.of("post.refusesWhatTheDeviceCannotDo", QueueCases::unsupported),
            ConformanceCase.of("post.refusesRequestsTooLarge", QueueCases::tooLarge),
            ConformanceCase.of("post.refusesOperationsThatUdLacks", QueueCases::notOnUd));
    }

    private static void sendQueueFull(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        final int size = pair.nearQp().maxSendWr();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < size; i++) {
                Check.ok(pair.farQp().postReceive(i, to.at(0), 64, to.lkey()), "post receive");
            }
            for (int i = 0; i < size; i++) {
                Check.ok(pair.nearQp().postSend(i, from.at(0), 64, from.lkey()), "send " + i + " of " + size);
            }
            Check.code(ReturnCode.QUEUE_FULL, pair.nearQp().postSend(99, from.at(0), 64, from.lkey()), "one more");
            for (int i = 0; i < size; i++) {
                pair.near().sent().next().expect(i, WcOpcode.SEND);
                pair.far().received().next().expect(i, WcOpcode.RECV);
                env.moved(64);
            }
        }
    }

    private static void receiveQueueFull(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        final QueuePair qp = pair.farQp();
        for (int i = 0; i < qp.maxReceiveWr(); i++) {
            Check.ok(qp.postReceive(i, to.at(0), 64, to.lkey()), "receive " + i);
        }
        Check.code(ReturnCode.QUEUE_FULL, qp.postReceive(99, to.at(0), 64, to.lkey()), "one more");
        Check.ok(pair.nearQp().postSend(1, from.at(0), 64, from.lkey()), "send");
        pair.near().sent().next();
        pair.far().received().next().expect(0, WcOpcode.RECV);
        Check.ok(qp.postReceive(100, to.at(0), 64, to.lkey()), "receive after one was used");
        Check.code(ReturnCode.QUEUE_FULL, qp.postReceive(101, to.at(0), 64, to.lkey()), "one more again");
        env.moved(64);
    }

    /** The largest receive queue, filled; the slots of its last page are as good as those of the first. */
    private static void largestQueues(final ConformanceEnv env) {
        final int size = Integer.highestOneBit(Math.min(env.times(512, 4096),
            Math.min(env.device().attributes().maxSendWr(1), env.peer().attributes().maxReceiveWr(1))));
        final RcPair pair = RcPair.connected(env, size, 1);
        final Memory from = pair.near().memory(4096).fill(1, 0, 4096);
        final Memory to = pair.far().memory(4096);
        final ReceiveRequest[] receives = new ReceiveRequest[size];
        final SendRequest[] sends = new SendRequest[size];
        for (int i = 0; i < size; i++) {
            receives[i] = new ReceiveRequest().wrId(i).sge(to.at(i % 4000), 8, to.lkey());
            sends[i] = new SendRequest().wrId(~i).sge(from.at(i % 4000), 8, from.lkey());
        }
        Check.equal(size, pair.farQp().postReceive(receives, size), "receives posted");
        Check.code(ReturnCode.QUEUE_FULL, pair.farQp().postReceive(receives[0]), "one receive more");
        Check.equal(size, pair.nearQp().postSend(sends, size), "sends posted");
        for (int i = 0; i < size; i++) {
            pair.far().received().next().expect(i, WcOpcode.RECV).expectBytes(8);
            pair.near().sent().next().expect(~i, WcOpcode.SEND);
            env.moved(8);
        }
    }

    private static void tooManyElements(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 2);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        final SendRequest send = new SendRequest(200);
        final ReceiveRequest receive = new ReceiveRequest(200);
        for (int i = 0; i <= pair.nearQp().maxSendSge(); i++) {
            send.addSge(from.at(i), 1, from.lkey());
        }
        for (int i = 0; i <= pair.farQp().maxReceiveSge(); i++) {
            receive.addSge(to.at(i), 1, to.lkey());
        }
        Check.code(ReturnCode.TOO_MANY_SGES, pair.nearQp().postSend(send), send.sges().size() + " elements");
        Check.code(ReturnCode.TOO_MANY_SGES, pair.farQp().postReceive(receive), receive.sges().size() + " elements");
        Check.code(ReturnCode.TOO_MANY_SGES, pair.nearQp().postSend(new SendRequest[] {send}, 1), "batch");
        pair.exchange(from, 0, to, 0, 100);
    }

    private static void wrongState(final ConformanceEnv env) {
        final Node near = Node.near(env, 8);
        final QueuePair qp = near.rc(4, 1);
        final QueuePair peer = Node.far(env, 8).rc(4, 1);
        final Memory memory = near.memory(4096);
        Check.code(ReturnCode.WRONG_STATE, qp.postReceive(1, memory.at(0), 8, memory.lkey()), "receive in RESET");
        refusesSend(qp, memory, QpState.RESET);
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
        Check.ok(qp.postReceive(2, memory.at(0), 8, memory.lkey()), "receive in INIT");
        refusesSend(qp, memory, QpState.INIT);
        qp.modify(QpCases.rtrAttributes(peer));
        Check.ok(qp.postReceive(3, memory.at(0), 8, memory.lkey()), "receive in RTR");
        refusesSend(qp, memory, QpState.RTR);
    }

    private static void refusesSend(final QueuePair qp, final Memory memory, final QpState state) {
        Check.code(ReturnCode.WRONG_STATE, qp.postSend(1, memory.at(0), 8, memory.lkey()), "send in " + state);
        Check.code(ReturnCode.WRONG_STATE, qp.postSend(new SendRequest().sge(memory.at(0), 8, memory.lkey())),
            "request in " + state);
    }

    private static void unsupported(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        final Map<SendOpcode, Feature> needs = new EnumMap<>(SendOpcode.class);
        needs.put(SendOpcode.RDMA_WRITE, Feature.RDMA_WRITE);
        needs.put(SendOpcode.RDMA_WRITE_WITH_IMM, Feature.RDMA_WRITE);
        needs.put(SendOpcode.RDMA_READ, Feature.RDMA_READ);
        needs.put(SendOpcode.ATOMIC_CMP_AND_SWP, Feature.ATOMICS);
        needs.put(SendOpcode.ATOMIC_FETCH_AND_ADD, Feature.ATOMICS);
        needs.put(SendOpcode.SEND_WITH_IMM, Feature.SEND_WITH_IMM);
        needs.put(SendOpcode.SEND_WITH_INV, Feature.INVALIDATE);
        int tried = 0;
        for (final Map.Entry<SendOpcode, Feature> entry : needs.entrySet()) {
            if (!env.device().supports(entry.getValue())) {
                Check.code(ReturnCode.UNSUPPORTED, pair.nearQp().postSend(new SendRequest().opcode(entry.getKey())
                    .sge(from.at(0), 8, from.lkey()).remote(to.at(0), 0)), entry.getKey().toString());
                tried++;
            }
        }
        if (tried == 0) {
            throw env.skip("this device does everything that can be posted");
        }
        pair.exchange(from, 0, to, 0, 100);
    }

    private static void tooLarge(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 2);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        Check.code(ReturnCode.INVALID_REQUEST, pair.nearQp().postSend(new SendRequest(2)
            .addSge(from.at(0), Integer.MAX_VALUE, from.lkey()).addSge(from.at(0), Integer.MAX_VALUE, from.lkey())),
            "a message of 4 GiB");
        Check.code(ReturnCode.INVALID_REQUEST, pair.nearQp().postSend(1, from.at(0), -1, from.lkey()), "-1 bytes");
        Check.code(ReturnCode.INVALID_REQUEST, pair.farQp().postReceive(1, to.at(0), -1, to.lkey()), "-1 bytes");
        pair.exchange(from, 0, to, 0, 100);
    }

    private static void notOnUd(final ConformanceEnv env) {
        final Node near = Node.near(env, 8);
        final QueuePair qp = near.ud(4, 1, 1);
        final Memory from = near.memory(4096);
        final AddressHandle way = env.own(near.pd().createAh(AhAttributes.to(env.peer().queryGid(1, 0))));
        for (final SendOpcode opcode : List.of(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ,
            SendOpcode.ATOMIC_CMP_AND_SWP, SendOpcode.ATOMIC_FETCH_AND_ADD, SendOpcode.SEND_WITH_INV)) {
            Check.code(ReturnCode.UNSUPPORTED, qp.postSend(new SendRequest().opcode(opcode)
                .sge(from.at(0), 8, from.lkey()).to(way, 2, 1).remote(from.at(0), 0)), opcode + " on UD");
        }
    }
}
