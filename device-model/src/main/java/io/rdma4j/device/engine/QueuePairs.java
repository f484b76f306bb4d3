/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static io.rdma4j.hw.pvrdma.cmd.CreateQpRequest.*;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.memory.PageTable;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.queues.WqeConsumer;

import java.util.function.Consumer;

/** The queue pairs of a device, by handle and by number. */
public final class QueuePairs {
    /** Queue pair 0 is for subnet management, which Ethernet does not have. */
    static final int GSI_QPN = 1;
    /** That of queue pair 1 ({@code IB_QP1_QKEY} of Linux); for its first bit no ordinary queue pair sends it. */
    static final int GSI_QKEY = 0x8001_0000;

    private final EngineContext context;
    private final Protection protection;
    private final QueueFactory queues;
    private final QpModifier modifier;
    private final ObjectTable<QueuePair> byHandle;
    private final ObjectTable<QueuePair> byQpn;
    /** Before the version with handles of their own, the numbers are the handles. */
    private final ObjectTable<QueuePair> handles;

    /** Makes a queue pair of its names. */
    private interface Maker {
        QueuePair make(int handle, int qpn);
    }

    /** The only port's queue pair for general services; null if there is none. */
    private volatile QueuePair gsi;

    QueuePairs(EngineContext context, Protection protection, QueueFactory queues) {
        this.context = context;
        this.protection = protection;
        this.queues = queues;
        this.modifier = new QpModifier(context);
        final int max = context.limits().maxQp();
        this.byHandle = ObjectTable.indices("queue pair", max);
        if (context.version() >= Bar1.PVRDMA_QPHANDLE_VERSION) {
            this.byQpn = numbers(max);
            this.handles = byHandle;
        } else {
            this.byQpn = context.has(Quirk.PLAIN_HANDLES) ? numbers(max) : numbersThatAreHandles(max);
            this.handles = byQpn;
        }
    }

    /** No two devices are to have the same ones: a peer is known by its number. */
    private ObjectTable<QueuePair> numbers(int max) {
        return ObjectTable.salted("queue pair number", max, context.identity().salt());
    }

    /** Without {@link #GSI_QPN}. */
    private static ObjectTable<QueuePair> numbersThatAreHandles(int max) {
        final ObjectTable<QueuePair> table = ObjectTable.indices("queue pair", max);
        table.allocate();
        return table;
    }

    /**
     * Creates a queue pair in state RESET.
     *
     * @param request what is asked for.
     * @return its names.
     */
    public QpNames create(CreateQpRequest request) {
        requireRings(request);
        final int pages = request.get(TOTAL_CHUNKS);
        final long words = queues.words(pages, pages, request.get(MAX_SEND_WR));
        return context.room().taking(words, () -> create(request, shape(request, words)));
    }

    private QpNames create(CreateQpRequest request, QpShape shape) {
        final ReceiveQueue receives = shape.srq() != null ? shape.srq().receives() : receives(request, shape);
        final int stride = SqWqe.stride(shape.maxSge());
        final WqeConsumer ring = new WqeConsumer(shape.pages().buffer(0), RingState.TX_OFFSET,
            shape.pages().buffers(1, sendPages(request)), request.get(MAX_SEND_WR), stride);
        final QueuePair qp = named(shape.type() == QpType.PVRDMA_QPT_GSI, (handle, qpn) -> new QueuePair(
            context, handle, qpn, shape, queues.workQueue(ring, stride, SqWqe.SGE_OFFSET), receives));
        shape.pd().use();
        shape.sendCq().use();
        shape.recvCq().use();
        if (shape.srq() != null) {
            shape.srq().use();
        }
        return new QpNames(qp.qpn(), qp.handle());
    }

    /** Makes a queue pair that can be found by both its names. First comes the handle: there are less. */
    private QueuePair named(boolean isManagement, Maker maker) {
        if (isManagement) {
            if (handles == byQpn) {
                gsi = maker.make(GSI_QPN, GSI_QPN);
                handles.put(GSI_QPN, gsi);
            } else {
                byHandle.add(handle -> gsi = maker.make(handle, GSI_QPN));
            }
            return gsi;
        }
        if (handles == byQpn) {
            return byQpn.require(byQpn.add(qpn -> maker.make(qpn, qpn)));
        }
        return byHandle.require(
            byHandle.add(handle -> byQpn.require(byQpn.add(qpn -> maker.make(handle, qpn)))));
    }

    private void leave(QueuePair qp) {
        if (qp.isManagement()) {
            gsi = null;
        } else {
            byQpn.release(qp.qpn());
        }
        if (handles != byQpn) {
            byHandle.release(qp.handle());
        } else if (qp.isManagement()) {
            handles.remove(qp.handle());
        }
    }

    private QpShape shape(CreateQpRequest request, long words) {
        final ProtectionDomain pd = protection.pd(request.get(PD_HANDLE));
        final CompletionQueue sendCq = queues.requireCq(request.get(SEND_CQ_HANDLE));
        final CompletionQueue recvCq = queues.requireCq(request.get(RECV_CQ_HANDLE));
        final SharedReceiveQueue srq = request.get(IS_SRQ) != 0 ? queues.requireSrq(request.get(SRQ_HANDLE)) : null;
        requireType(request.get(QP_TYPE));
        return new QpShape(request.get(QP_TYPE), pd, sendCq, recvCq, srq, request.get(SQ_SIG_ALL) != 0,
            request.get(MAX_SEND_SGE),
            PageTable.walk(context.iommu(), request.get(PDIR_DMA), request.get(TOTAL_CHUNKS)), words);
    }

    private void requireType(int type) {
        final boolean management = type == QpType.PVRDMA_QPT_GSI && !context.has(Quirk.ONLY_SEND)
            && !context.has(Quirk.PLAIN_HANDLES);
        if (type != QpType.PVRDMA_QPT_RC && type != QpType.PVRDMA_QPT_UD && !management) {
            throw new CommandError(CommandError.EOPNOTSUPP, "queue pairs of type " + QpType.NAMES.of(type));
        }
        if (management && gsi != null) {
            throw new CommandError(CommandError.EBUSY, "the port has its queue pair 1: " + gsi);
        }
    }

    private void requireRings(CreateQpRequest request) {
        queues.requireCount("max_send_wr", request.get(MAX_SEND_WR), context.limits().maxQpWr());
        queues.requireSge(request.get(MAX_SEND_SGE));
        queues.requirePages("send queue", request.get(SEND_CHUNKS), sendPages(request));
        final int rest = request.get(TOTAL_CHUNKS) - 1 - request.get(SEND_CHUNKS);
        if (request.get(IS_SRQ) == 0) {
            queues.requireCount("max_recv_wr", request.get(MAX_RECV_WR), context.limits().maxQpWr());
            queues.requireSge(request.get(MAX_RECV_SGE));
            queues.requirePages("receive queue", rest, receivePages(request));
        } else if (rest < 0) {
            throw CommandError.invalid("%d pages in all, %d for sends", request.get(TOTAL_CHUNKS),
                request.get(SEND_CHUNKS));
        }
    }

    private static int sendPages(CreateQpRequest request) {
        return RingGeometry.pagesFor(request.get(MAX_SEND_WR), SqWqe.stride(request.get(MAX_SEND_SGE)));
    }

    private static int receivePages(CreateQpRequest request) {
        return RingGeometry.pagesFor(request.get(MAX_RECV_WR), RqWqe.stride(request.get(MAX_RECV_SGE)));
    }

    private ReceiveQueue receives(CreateQpRequest request, QpShape shape) {
        final int stride = RqWqe.stride(request.get(MAX_RECV_SGE));
        final WqeConsumer ring = new WqeConsumer(shape.pages().buffer(0), RingState.RX_OFFSET,
            shape.pages().buffers(1 + request.get(SEND_CHUNKS), receivePages(request)), request.get(MAX_RECV_WR),
            stride);
        return new ReceiveQueue(context, shape.pd(), queues.workQueue(ring, stride, RqWqe.SGE_OFFSET), shape.pages(),
            request.get(MAX_RECV_SGE));
    }

    /**
     * Changes the state or attributes of a queue pair.
     *
     * @param handle its handle.
     * @param mask   which attributes.
     * @param attr   their values.
     */
    public void modify(int handle, int mask, QpAttr attr) {
        modifier.modify(handles.require(handle), mask, attr);
        context.agenda().drain();
    }

    /**
     * Asks for state and attributes.
     *
     * @param handle of the queue pair.
     * @param into   filled completely.
     */
    public void query(int handle, QpAttr into) {
        modifier.query(handles.require(handle), into);
    }

    /**
     * Destroys a queue pair: when this returns, nothing that it was about is under way. Requests that it holds do not
     * complete, but for a receive of a shared queue that it had begun to fill: that is flushed.
     *
     * @param handle its handle.
     * @return how many events it had that the driver finds.
     */
    public int destroy(int handle) {
        final QueuePair qp = handles.require(handle);
        end(qp);
        context.agenda().drain();
        return qp.events();
    }

    private void end(QueuePair qp) {
        qp.end();
        qp.requester().lock().lock();
        qp.requester().end();
        qp.requester().lock().unlock();
        qp.receives().lock().lock();
        try {
            qp.responder().end();
            if (qp.shape().srq() == null) {
                qp.receives().release();
            } else {
                qp.shape().pages().release();
            }
        } finally {
            qp.receives().lock().unlock();
        }
        leave(qp);
        // Of a shared queue too: some may wait for a receive that only this queue pair would have taken for them.
        qp.receives().resumeWaiting(false);
        if (qp.shape().srq() != null) {
            qp.shape().srq().letGo();
        }
        qp.shape().pd().letGo();
        qp.shape().sendCq().letGo();
        qp.shape().recvCq().letGo();
        context.room().give(qp.shape().words());
    }

    QueuePair byHandle(int handle) {
        return handles.get(handle);
    }

    QueuePair byQpn(int qpn) {
        final int number = qpn & ObjectTable.MAX_NUMBER;
        return number == GSI_QPN ? gsi : byQpn.get(number);
    }

    /** For a peer, which knows no numbers but whole ones. */
    QueuePair byExactQpn(int qpn) {
        final QueuePair qp = byQpn(qpn);
        return qp != null && qp.qpn() == qpn ? qp : null;
    }

    void forEach(Consumer<QueuePair> action) {
        handles.forEach(action);
    }

    void reset() {
        handles.snapshot().forEach(this::end);
        context.agenda().drain();
    }

    String describe() {
        final StringBuilder text = new StringBuilder();
        handles.forEach(qp -> text.append("  ").append(qp).append('\n'));
        if (text.length() == 0 && context.counters().get(Counter.BAD_DOORBELLS) > 0) {
            text.append("  no queue pair, but doorbells for some\n");
        }
        return text.toString();
    }
}
