/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.inlining;

import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.benchmarks.rings.FakeDevice;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcStatus;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The program whose compilation {@link Inlining} looks at. Each call of the data path has a method of its own here,
 * which the compiler is told to compile by itself. Beside it, everything else that a process may use is in use: rings
 * with a doorbell in memory, datagrams, a shared receive queue, reads and atomics.
 */
final class InliningWork implements CompletionHandler {
    private static final int QUEUE = 64;
    private static final int LENGTH = Sizes.MESSAGE;
    private static final int QKEY = 0x1234;
    private static final int BATCH = 16;
    private static final int COMPLETIONS = 4 * FakeDevice.SEND_COUNT;
    /** Turns after which the compiler knows what is used how often, on a machine that leaves it time to compile. */
    private static final int ENOUGH = 200_000;
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);
    private static final AccessFlag[] RIGHTS = {
        AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC};

    private final CompletionQueue cq;
    private final QueuePair qp;
    private final ProtectionDomain pd;
    private final MemoryRegion region;
    private final SharedReceiveQueue srq;
    private final SendRequest request = new SendRequest();
    private long sum;

    private InliningWork(final RdmaContext context, final QpOptions options, final boolean shared) {
        cq = context.createCq(2 * QUEUE);
        pd = context.allocatePd();
        srq = shared ? pd.createSrq(QUEUE, 1) : null;
        final QpOptions all = options.cq(cq).maxSendWr(QUEUE);
        qp = pd.createQp(shared ? all.srq(srq) : all.maxReceiveWr(QUEUE));
        final PinnedMemory memory = context.allocate(2 * LENGTH);
        region = pd.register(memory, RIGHTS);
    }

    /**
     * Runs until the time is over, and not less than what it takes to be compiled.
     *
     * @param args seconds to run
     */
    public static void main(final String[] args) {
        final long end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * TimeUnit.SECONDS.toNanos(1));
        final FakeDevice posts = new FakeDevice(FakeDevice.SEND_COUNT, FakeDevice.SEND_COUNT);
        final FakeDevice completions = new FakeDevice(COMPLETIONS, COMPLETIONS);
        try (RdmaContext context = RdmaDevices.open(RdmaDevices.DEFAULT_ADDRESS)) {
            final InliningWork client = new InliningWork(context, new QpOptions(), false);
            final InliningWork server = new InliningWork(context, new QpOptions(), false);
            connect(client, server);
            final Others others = new Others(context);
            for (int n = 0; n < ENOUGH || System.nanoTime() - end < 0; n++) {
                rings(posts, completions, n);
                others.use(n);
                client.exchange(server, n % BATCH == 0 ? SendOpcode.RDMA_READ
                    : n % BATCH == 1 ? SendOpcode.ATOMIC_FETCH_AND_ADD : SendOpcode.RDMA_WRITE);
            }
            if (client.sum == server.sum) {
                throw new IllegalStateException("both ends counted " + client.sum);
            }
        }
    }

    private static void connect(final InliningWork one, final InliningWork other) {
        QpConnector.connect(one.qp, other.qp.localAddress(),
            new QpAttributes().accessFlags(Set.of(RIGHTS)));
        QpConnector.connect(other.qp, one.qp.localAddress(),
            new QpAttributes().accessFlags(Set.of(RIGHTS)));
    }

    /** What is in use besides connections. */
    private static final class Others {
        private final InliningWork datagrams;
        private final InliningWork client;
        private final InliningWork shared;

        Others(final RdmaContext context) {
            datagrams = new InliningWork(context, new QpOptions().type(QpType.UD), false);
            QpConnector.activate(datagrams.qp, QKEY);
            datagrams.request.to(datagrams.pd.createAh(AhAttributes.to(datagrams.qp.localAddress().gid())),
                datagrams.qp.qpNumber(), QKEY);
            client = new InliningWork(context, new QpOptions(), false);
            shared = new InliningWork(context, new QpOptions(), true);
            connect(client, shared);
        }

        void use(final int n) {
            datagrams.datagram();
            require(shared.postShared(n));
            require(client.postSend(n));
            shared.await();
            client.await();
        }
    }

    private void datagram() {
        require(qp.postReceive(1, region.address(), 2 * LENGTH, region.lkey()));
        require(qp.postSend(request.opcode(SendOpcode.SEND).sge(region.address(), LENGTH, region.lkey())));
        await();
        await();
    }

    private static void rings(final FakeDevice posts, final FakeDevice completions, final int n) {
        ringPost(posts);
        ringReceive(posts);
        if (n % (COMPLETIONS / BATCH) == 0) {
            for (int k = completions.fill(); k > 0; k -= BATCH) {
                ringPoll(completions);
            }
        }
    }

    /** A message there, which the peer receives, and an operation that the peer does not notice. */
    private void exchange(final InliningWork peer, final SendOpcode operation) {
        require(peer.postReceive(1));
        require(postSend(2));
        peer.await();
        await();
        request.opcode(operation).remote(peer.region.address(), peer.region.rkey())
            .sge(region.address(), operation == SendOpcode.ATOMIC_FETCH_AND_ADD ? Long.BYTES : LENGTH, region.lkey());
        require(postRequest());
        await();
    }

    private static void require(final int code) {
        if (code != ReturnCode.OK) {
            throw new IllegalStateException(ReturnCode.nameOf(code));
        }
    }

    private void await() {
        if (poll() == 0) {
            final long end = System.nanoTime() + PATIENCE;
            while (poll() == 0) {
                if (System.nanoTime() - end > 0) {
                    throw new IllegalStateException("no completion came to " + cq + " of " + qp);
                }
            }
        }
    }

    // The compiler is told to compile the following by themselves.

    private int postSend(final long wrId) {
        return qp.postSend(wrId, region.address(), LENGTH, region.lkey());
    }

    private int postReceive(final long wrId) {
        return qp.postReceive(wrId, region.address(), LENGTH, region.lkey());
    }

    private int postShared(final long wrId) {
        return srq.postReceive(wrId, region.address(), LENGTH, region.lkey());
    }

    private int postRequest() {
        return qp.postSend(request);
    }

    private int poll() {
        return cq.poll(this, 1);
    }

    private static void ringPost(final FakeDevice device) {
        device.postSend();
    }

    private static void ringReceive(final FakeDevice device) {
        device.postReceive();
    }

    private static long ringPoll(final FakeDevice device) {
        return device.poll(BATCH);
    }

    @Override
    public void onCompletion(final Completion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            throw new IllegalStateException(completion.toString());
        }
        sum += completion.wrId() + completion.byteLength();
    }
}
