/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** Several QPs complete into one CQ: each completion names its QP, and those of one QP keep their order. */
class CqSharingTest {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
    private static final int QPS = 6;

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    private final Map<QueuePair, Long> next = new HashMap<>();
    private final List<Peer> nears = new ArrayList<>();
    private final List<Peer> fars = new ArrayList<>();
    private CompletionQueue cq;

    private void open(final String options) {
        final PvrdmaContext device = devices.open(options);
        final PvrdmaContext other = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        cq = device.createCq(1024);
        for (int i = 0; i < QPS; i++) {
            nears.add(new Peer(device, pd, cq, new QpOptions().maxSendWr(64).maxReceiveWr(16)));
            fars.add(new Peer(other, new QpOptions()));
            nears.get(i).connect(fars.get(i));
            next.put(nears.get(i).qp, 0L);
        }
    }

    private static void send(final Peer near, final Peer far, final long wrId) {
        assertThat(far.qp.postReceive(wrId, far.at(0), 8, far.lkey())).isZero();
        // Where another thread polls it may be behind.
        Crew.await("room in " + near.qp, () -> {
            final int code = near.qp.postSend(wrId, near.at(0), 8, near.lkey());
            assertThat(code).isIn(ReturnCode.OK, ReturnCode.QUEUE_FULL);
            return code == ReturnCode.OK;
        });
        Completions.awaitSuccess(far.cq);
    }

    private void check(final Completion c) {
        assertThat(c.status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(c.wrId()).as("%s", c.queuePair()).isEqualTo(next.get(c.queuePair()));
        assertThat(c.qpNumber()).isEqualTo(c.queuePair().qpNumber());
        next.merge(c.queuePair(), 1L, Long::sum);
    }

    private void pollUntilEach(final int index, final long count) {
        Crew.await(count + " completions of " + index, () -> {
            assertThat(cq.poll(this::check, 7)).isNotNegative();
            return next.get(nears.get(index).qp) == count;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", Devices.QEMU})
    void eachCompletionNamesItsQp(final String options) {
        open(options);
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < QPS; i++) {
                send(nears.get((i + round) % QPS), fars.get((i + round) % QPS), round);
            }
            if (round % 5 == 4) {
                for (int i = 0; i < QPS; i++) {
                    pollUntilEach(i, round + 1);
                }
            }
        }
        Completions.assertNone(cq);
        assertThat(cq.dropped()).isZero();
    }

    @Test
    void closingOneTakesItsCompletionsAndNoOthers() {
        open("");
        for (int round = 0; round < 8; round++) {
            for (int i = 0; i < QPS; i++) {
                send(nears.get(i), fars.get(i), round);
            }
        }
        nears.get(2).qp.close();
        nears.get(5).qp.close();
        for (int i = 0; i < QPS; i++) {
            if (i != 2 && i != 5) {
                pollUntilEach(i, 8);
            }
        }
        Completions.assertNone(cq);
        assertThat(next.get(nears.get(2).qp)).isZero();
        assertThat(next.get(nears.get(5).qp)).isZero();
        assertThat(cq.dropped()).isZero();
    }

    /** One thread posts to each QP, one polls, one resizes the queue. */
    @Test
    void threadsOfSeveralQpsMeetInIt() throws InterruptedException {
        open("");
        final int rounds = 200;
        final AtomicBoolean done = new AtomicBoolean();
        final List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < QPS; i++) {
            final Peer near = nears.get(i);
            final Peer far = fars.get(i);
            senders.add(crew.start(() -> {
                for (int round = 0; round < rounds && !crew.hasFailed(); round++) {
                    send(near, far, round);
                }
            }));
        }
        final Thread resizer = crew.start(() -> {
            for (int i = 0; !done.get(); i++) {
                cq.resize(i % 2 == 0 ? 2048 : 1024);
                // Nothing is handed over while the ring is replaced: without a pause the poller hardly gets a turn.
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        });
        for (int i = 0; i < QPS; i++) {
            pollUntilEach(i, rounds);
        }
        done.set(true);
        Patience.join(resizer);
        for (final Thread sender : senders) {
            Patience.join(sender);
        }
        assertThat(cq.dropped()).isZero();
    }
}
