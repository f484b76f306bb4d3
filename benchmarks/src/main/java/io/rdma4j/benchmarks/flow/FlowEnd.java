/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.queues.Padded;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One end of a connection that carries many messages in one direction. Requests are prepared once, in batches with one
 * doorbell and one completion each. How many messages the taker has room for it writes into the sender's memory, by an
 * RDMA WRITE now and then, so that no message ever meets an empty receive queue.
 */
final class FlowEnd extends Padded implements CompletionHandler {
    /** Posted and not known to be completed, at most. */
    private static final int WINDOW = 128;
    private static final int DEPTH = 512;
    private static final int POLL_LIMIT = 32;
    private static final int LINES = 128;
    private static final AccessFlag[] RIGHTS = {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE};

    private final Patience patience;
    private final Flow.Shape shape;
    private final int window;
    private final int depth;
    private final CompletionQueue sendCq;
    private final CompletionQueue receiveCq;
    private final QueuePair qp;
    private final UnsafeBuffer memory;
    private final MemoryRegion region;
    private final SendTemplate[] batches;
    private final ReceiveRequest[][] stock;
    private SendTemplate grant;
    private WcStatus failure = WcStatus.SUCCESS;
    private boolean granted = true;
    private long given;
    private long limit;
    private long sent;
    private long completed;
    private long received;
    private long restocked;

    /** Everything is closed with the context. */
    FlowEnd(final RdmaContext context, final Patience patience, final Flow.Shape shape) {
        this.patience = patience;
        this.shape = shape;
        window = Math.min(WINDOW, shape.slots());
        depth = Math.min(DEPTH, shape.slots());
        sendCq = context.createCq(4 * WINDOW);
        receiveCq = context.createCq(2 * DEPTH);
        final ProtectionDomain pd = context.allocatePd();
        qp = pd.createQp(new QpOptions().sendCq(sendCq).receiveCq(receiveCq).maxSendWr(2 * WINDOW)
            .maxReceiveWr(2 * DEPTH));
        final PinnedMemory pinned = context.allocate(shape.bytes() + 2 * LINES);
        region = pd.register(pinned, RIGHTS);
        memory = pinned.buffer();
        batches = new SendTemplate[shape.slots() / shape.batch()];
        stock = new ReceiveRequest[batches.length][shape.batch()];
    }

    /** Connects them: the first one is to send, or to write, and the other one to take. */
    static void connect(final FlowEnd from, final FlowEnd to, final SendOpcode opcode) {
        from.connect(to);
        to.connect(from);
        from.prepare(to, opcode);
        to.grant = to.qp.prepare(new SendRequest().opcode(SendOpcode.RDMA_WRITE).wrId(0)
            .sge(to.region.address() + to.shape.bytes() + LINES, Long.BYTES, to.region.lkey())
            .remote(from.region.address() + from.shape.bytes(), from.region.rkey()));
        if (opcode == SendOpcode.SEND) {
            to.prepareStock();
        }
    }

    private void connect(final FlowEnd peer) {
        QpConnector.connect(qp, peer.qp.localAddress(),
            new QpAttributes().accessFlags(Set.of(RIGHTS)));
    }

    /** The last of each batch makes a completion, whose identifier says how many it stands for. */
    private void prepare(final FlowEnd peer, final SendOpcode opcode) {
        final int batch = shape.batch();
        for (int b = 0; b < batches.length; b++) {
            final SendRequest[] requests = new SendRequest[batch];
            for (int i = 0; i < batch; i++) {
                final long offset = shape.offset((long) b * batch + i);
                requests[i] = new SendRequest().opcode(opcode).wrId(batch)
                    .flags(i == batch - 1 ? SendRequest.SIGNALED : 0)
                    .sge(region.address() + offset, shape.length(), region.lkey());
                if (opcode != SendOpcode.SEND) {
                    requests[i].remote(peer.region.address() + offset, peer.region.rkey());
                }
            }
            batches[b] = qp.prepare(requests);
        }
    }

    private void prepareStock() {
        for (int slot = 0; slot < shape.slots(); slot++) {
            stock[slot / shape.batch()][slot % shape.batch()] = new ReceiveRequest().wrId(slot)
                .sge(region.address() + shape.offset(slot), shape.length(), region.lkey());
        }
        while (restocked < depth) {
            restock();
        }
        grant(restocked);
    }

    private void restock() {
        final int posted = qp.postReceive(stock[(int) (restocked / shape.batch() % stock.length)], shape.batch());
        require(posted, shape.batch(), "post receives");
        restocked += shape.batch();
    }

    private void require(final int posted, final int wanted, final String operation) {
        if (posted != wanted) {
            throw new IllegalStateException(operation + ": " + posted + " of " + wanted
                + (posted < 0 ? ", " + ReturnCode.nameOf(posted) : "") + "; " + this);
        }
    }

    /** For both ends, if there is no need to say how much there is room for. */
    void setUnlimited() {
        limit = Long.MAX_VALUE;
        given = Long.MAX_VALUE;
    }

    /** Lets the peer send all messages below this number. */
    void grant(final long below) {
        while (!granted) {
            poll(sendCq);
        }
        granted = false;
        given = below;
        memory.putLong(shape.bytes() + LINES, below);
        require(grant.post(), 1, "post a grant");
    }

    private void poll(final CompletionQueue cq) {
        if (cq.poll(this, POLL_LIMIT) < 0 || failure != WcStatus.SUCCESS) {
            throw new IllegalStateException("polling: " + failure + "; " + this);
        }
        patience.check();
    }

    /** Sends or writes the next batch. */
    void sendBatch() {
        final int batch = shape.batch();
        while (sent + batch - completed > window) {
            poll(sendCq);
        }
        while (limit - sent < batch) {
            limit = memory.getLongAcquire(shape.bytes());
            patience.check();
        }
        for (int i = 0; i < batch; i++) {
            memory.putLong(shape.mark(sent + i), sent + i + 1);
        }
        require(batches[(int) (sent / batch % batches.length)].post(), batch, "post");
        sent += batch;
    }

    /** Waits until everything is completed. */
    void finish() {
        while (completed < sent) {
            poll(sendCq);
        }
    }

    /** Takes so many messages that come into posted receives, and posts those again. */
    void receive(final long count) {
        final long end = received + count;
        while (received < end) {
            poll(receiveCq);
            while (received + depth - restocked >= shape.batch()) {
                restock();
            }
            if (restocked - depth / 2 >= given) {
                grant(restocked);
            }
        }
    }

    /** Takes so many messages that are written into this memory. */
    void watch(final long count) {
        for (final long end = received + count; received < end; received++) {
            while (memory.getLongAcquire(shape.mark(received)) != received + 1) {
                patience.check();
            }
            if (received + shape.slots() / 2 >= given) {
                grant(received + shape.slots());
            }
        }
    }

    /** That message n - 1, which nobody waited for, is there. */
    void check(final long n) {
        final long found = memory.getLongAcquire(shape.mark(n - 1));
        if (found != n) {
            throw new IllegalStateException("message " + found + " is there instead of " + n + "; " + this);
        }
    }

    long sent() {
        return sent;
    }

    @Override
    public void onCompletion(final Completion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            failure = completion.status();
        } else if (completion.opcode() == WcOpcode.RECV) {
            take((int) completion.wrId());
        } else if (completion.wrId() == 0) {
            granted = true;
        } else {
            completed += completion.wrId();
        }
    }

    private void take(final int slot) {
        received++;
        if (memory.getLong(slot * shape.length() + shape.length() - Long.BYTES) != received) {
            throw new IllegalStateException("not message " + received + " in slot " + slot + "; " + this);
        }
    }

    @Override
    public String toString() {
        return "sent " + sent + " of " + limit + ", completed " + completed + ", received " + received + ", posted "
            + restocked + ", granted " + given;
    }
}
