/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.property;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.util.ArrayList;
import java.util.List;

/** What was posted to one QP, and the rules for what may complete. One thread posts to each of its queues. */
final class Ledger {
    private final QueuePair qp;
    private final List<Long> signaled = new ArrayList<>();
    private final List<Long> unsignaled = new ArrayList<>();
    private final List<Long> receives = new ArrayList<>();
    private long nextSend;
    private long nextReceive;

    Ledger(final QueuePair qp) {
        this.qp = qp;
    }

    /** Posts; false if the queue is full. */
    boolean send(final SendRequest request) {
        final int code = qp.postSend(request.wrId(nextSend));
        assertThat(code).as(ReturnCode.nameOf(code)).isIn(ReturnCode.OK, ReturnCode.QUEUE_FULL);
        if (code == ReturnCode.OK) {
            (request.flags() == 0 ? unsignaled : signaled).add(nextSend++);
        }
        return code == ReturnCode.OK;
    }

    void receive(final long address, final int length, final int lkey) {
        final int code = qp.postReceive(nextReceive, address, length, lkey);
        assertThat(code).as(ReturnCode.nameOf(code)).isIn(ReturnCode.OK, ReturnCode.QUEUE_FULL);
        if (code == ReturnCode.OK) {
            receives.add(nextReceive++);
        }
    }

    /** After the QP went to the error state and its CQ was drained. */
    void check(final Outcomes outcomes) {
        final List<Long> sent = new ArrayList<>();
        final List<Long> received = new ArrayList<>();
        final List<Long> sentSignaled = new ArrayList<>();
        outcomes.list.stream().filter(outcome -> outcome.qp() == qp).forEach(outcome -> {
            if (outcome.opcode() == WcOpcode.RECV) {
                received.add(outcome.wrId());
            } else {
                sent.add(outcome.wrId());
                if (!unsignaled.contains(outcome.wrId())) {
                    sentSignaled.add(outcome.wrId());
                } else {
                    assertThat(outcome.status()).as("unsignaled, %s", outcome).isNotEqualTo(WcStatus.SUCCESS);
                }
            }
        });
        assertThat(received).as("receives, each once and in order").isEqualTo(receives);
        assertThat(sentSignaled).as("signaled sends, each once and in order").isEqualTo(signaled);
        assertThat(sent).as("all sends, in order and at most once").isSorted().doesNotHaveDuplicates();
        checkStatuses(outcomes);
    }

    /** Once one failed all later ones of that queue are flushed; nothing succeeds after an error. */
    private void checkStatuses(final Outcomes outcomes) {
        boolean sendFailed = false;
        boolean receiveFailed = false;
        for (final Outcomes.Outcome outcome : outcomes.list) {
            if (outcome.qp() != qp) {
                continue;
            }
            final boolean receive = outcome.opcode() == WcOpcode.RECV;
            if (receive ? receiveFailed : sendFailed) {
                assertThat(outcome.status()).as("after an error, %s", outcome).isEqualTo(WcStatus.WR_FLUSH_ERR);
            }
            if (outcome.status() != WcStatus.SUCCESS) {
                receiveFailed |= receive;
                sendFailed |= !receive;
            }
        }
    }
}
