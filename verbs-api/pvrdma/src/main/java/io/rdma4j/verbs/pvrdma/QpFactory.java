/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.queues.ReceiveQueue;
import io.rdma4j.queues.SendQueue;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.pvrdma.device.CreateQp;
import io.rdma4j.verbs.pvrdma.device.QpHandle;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.QpRanges;

/** Makes QPs: checks the options, takes memory and room in the CQs, asks the device, joins the parts. */
final class QpFactory {
    static final String OPERATION = QpRanges.CREATE;

    private final PvrdmaPd pd;
    private final PvrdmaContext context;
    private final QpOptions options;

    private QpFactory(final PvrdmaPd pd, final QpOptions options) {
        this.pd = pd;
        this.context = pd.context;
        this.options = options;
    }

    static PvrdmaQp create(final PvrdmaPd pd, final QpOptions options) {
        Errors.notNull(options, OPERATION, pd.context, "options");
        Errors.notNull(options.type(), OPERATION, pd.context, "type");
        return new QpFactory(pd, options).create();
    }

    private PvrdmaQp create() {
        final QpResources.Queues queues = queues();
        context.requireWorking(OPERATION);
        final PvrdmaSrq srq = queues.srq();
        if (srq == null) {
            return create(queues);
        }
        srq.coming(queues.receiveCq(), OPERATION);
        try {
            return create(queues);
        } finally {
            srq.notComing();
        }
    }

    private PvrdmaQp create(final QpResources.Queues queues) {
        final QpSizes sizes = QpSizes.of(options, context);
        try (Undo undo = new Undo()) {
            final QpResources.Queues reserved = reserve(queues, sizes, undo);
            final QpMemory memory = QpMemory.allocate(pd, sizes);
            undo.addIfGood(memory::close);
            final PvrdmaQp qp = createOnDevice(reserved, sizes, memory, undo);
            undo.forget();
            undo.add(qp::close);
            reserved.sendUse().user(qp);
            reserved.receiveUse().user(qp);
            if (qp.srq != null) {
                qp.srq.attach(qp, qp.receiveCq, OPERATION);
            }
            undo.forget();
            return qp;
        }
    }

    private QpResources.Queues queues() {
        final PvrdmaCq receiveCq = own(options.receiveCq(), "receive CQ");
        final PvrdmaSrq srq = own(options.srq());
        return new QpResources.Queues(own(options.sendCq(), "send CQ"), receiveCq, srq, null, null);
    }

    private PvrdmaCq own(final CompletionQueue cq, final String name) {
        Errors.notNull(cq, OPERATION, context, name);
        if (!(cq instanceof PvrdmaCq) || ((PvrdmaCq) cq).context != context) {
            throw Errors.invalid(OPERATION, context, "%s (%s) belongs to another device", name, cq);
        }
        ((PvrdmaCq) cq).requireOpen(OPERATION);
        return (PvrdmaCq) cq;
    }

    private PvrdmaSrq own(final SharedReceiveQueue srq) {
        if (srq != null && (!(srq instanceof PvrdmaSrq) || ((PvrdmaSrq) srq).pd != pd)) {
            throw Errors.invalid(OPERATION, context, "%s belongs to another protection domain", srq);
        }
        return (PvrdmaSrq) srq;
    }

    /** Takes room in both CQs; with one CQ for both, in one step. */
    private QpResources.Queues reserve(final QpResources.Queues queues, final QpSizes sizes, final Undo undo) {
        final boolean one = queues.sendCq() == queues.receiveCq();
        final CqUse sendUse = one ? new CqUse(sizes.sendWr(), sizes.receiveWr(), queues.srq(), options.reserveCq())
            : new CqUse(sizes.sendWr(), 0, null, options.reserveCq());
        final CqUse receiveUse =
            one ? sendUse : new CqUse(0, sizes.receiveWr(), queues.srq(), options.reserveCq());
        queues.sendCq().attach(sendUse, OPERATION);
        undo.add(() -> queues.sendCq().detach(sendUse));
        if (!one) {
            queues.receiveCq().attach(receiveUse, OPERATION);
            undo.add(() -> queues.receiveCq().detach(receiveUse));
        }
        return new QpResources.Queues(queues.sendCq(), queues.receiveCq(), queues.srq(), sendUse, receiveUse);
    }

    private PvrdmaQp createOnDevice(
        final QpResources.Queues queues, final QpSizes sizes, final QpMemory memory, final Undo undo) {
        // The device may have given the handle to a QP that is being closed by another thread.
        synchronized (context.qps) {
            final QpHandle created = context.device.commands().createQp(request(queues, sizes, memory));
            undo.add(() -> context.device.commands().destroyQp(created.handle()));
            final LiveEntry entry = context.device.live().add(QpKind.KIND, created.handle());
            undo.add(entry::close);
            final PvrdmaQp qp = new PvrdmaQp(pd, new QpResources(options.type(), created.handle(), created.qpn(),
                sizes, queues, sendPath(sizes, memory, created.handle(), queues.sendCq(), entry),
                receivePath(sizes, memory, created.handle(), queues.receiveCq(), entry), memory, entry));
            context.fetchEventsOfFormer();
            context.qps.put(qp.handle, qp);
            return qp;
        }
    }

    private CreateQp request(final QpResources.Queues queues, final QpSizes sizes, final QpMemory memory) {
        final CreateQp request = new CreateQp()
            .type(QpDescription.code(options.type()))
            .pdirDma(memory.rings().pdirDma())
            .pd(pd.handle)
            .cqs(queues.sendCq().handle, queues.receiveCq().handle)
            .send(sizes.sendWr(), sizes.sendSge())
            .signalAll(options.signalAll());
        return queues.srq() == null ? request.recv(sizes.receiveWr(), sizes.receiveSge())
            : request.srq(queues.srq().handle);
    }

    private SendPath sendPath(final QpSizes sizes, final QpMemory memory, final int handle, final PvrdmaCq cq,
        final LiveEntry entry) {
        final SendQueue queue = new SendQueue(memory.rings().buffer(), RingState.TX_OFFSET, sizes.sendOffset(),
            sizes.sendWr(), sizes.sendSge(), context.doorbell, handle, QpDescription.sendTotals(entry));
        return new SendPath(queue, pd, cq, options.type() == QpType.UD, options.signalAll(),
            Opcodes.of(options.type(), context.traits), memory.inlines().slots());
    }

    private ReceivePath receivePath(final QpSizes sizes, final QpMemory memory, final int handle, final PvrdmaCq cq,
        final LiveEntry entry) {
        final ReceiveQueue queue = sizes.receiveWr() == 0 ? null : new ReceiveQueue(memory.rings().buffer(),
            RingState.RX_OFFSET, sizes.receiveOffset(), sizes.receiveWr(), sizes.receiveSge(), context.doorbell,
            handle, QpDescription.receiveTotals(entry));
        return new ReceivePath(queue, cq);
    }
}
