/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;

/** One side of an exchange: a domain with a CQ for sends and one for receives, and what is made from them. */
final class Node {
    private final ConformanceEnv env;
    private final ProtectionDomain pd;
    private final Completions sent;
    private final Completions received;

    private Node(final ConformanceEnv env, final ProtectionDomain pd, final int cqe) {
        this.env = env;
        this.pd = pd;
        this.sent = new Completions(env, env.own(pd.context().createCq(cqe)));
        this.received = new Completions(env, env.own(pd.context().createCq(cqe)));
    }

    /** A side on the device under test, with a domain of its own. */
    static Node near(final ConformanceEnv env, final int cqe) {
        return new Node(env, env.own(env.device().allocatePd()), cqe);
    }

    /** A side on the device of the peers, with a domain of its own. */
    static Node far(final ConformanceEnv env, final int cqe) {
        return new Node(env, env.own(env.peer().allocatePd()), cqe);
    }

    /** A side that sends datagrams. */
    static Node datagrams(final ConformanceEnv env, final int cqe) {
        return new Node(env, env.datagramDomain(), cqe);
    }

    ProtectionDomain pd() {
        return pd;
    }

    Completions sent() {
        return sent;
    }

    Completions received() {
        return received;
    }

    CompletionQueue sendCq() {
        return sent.cq();
    }

    CompletionQueue receiveCq() {
        return received.cq();
    }

    QpOptions options(final int maxWr, final int maxSge) {
        return new QpOptions().sendCq(sendCq()).receiveCq(receiveCq())
            .maxSendWr(maxWr).maxReceiveWr(maxWr).maxSendSge(maxSge).maxReceiveSge(maxSge);
    }

    QueuePair rc(final int maxWr, final int maxSge) {
        return env.own(pd.createQp(options(maxWr, maxSge)));
    }

    QueuePair ud(final int maxWr, final int maxSge, final int qkey) {
        final QueuePair qp = env.own(pd.createQp(options(maxWr, maxSge).type(QpType.UD)));
        QpConnector.activate(qp, qkey);
        return qp;
    }

    Memory memory(final int length, final AccessFlag... remote) {
        return Memory.of(env, pd, length, remote);
    }
}
