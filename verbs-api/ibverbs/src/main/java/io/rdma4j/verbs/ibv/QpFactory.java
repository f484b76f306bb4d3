/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.QpRanges;
import org.agrona.concurrent.UnsafeBuffer;

/** Makes QPs. */
final class QpFactory {
    static final String OPERATION = QpRanges.CREATE;
    private static final int RC = 2;
    private static final int UD = 4;

    private final IbvPd pd;
    private final IbvContext context;
    private final QpOptions options;
    private final IbvCq sendCq;
    private final IbvCq receiveCq;
    private final IbvSrq srq;
    private final int sendWr;
    private final int receiveWr;
    private final int receiveSge;
    private final int inline;

    private QpFactory(final IbvPd pd, final QpOptions options) {
        this.pd = pd;
        this.context = pd.context;
        this.options = options;
        sendCq = own(options.sendCq(), "send CQ");
        receiveCq = own(options.receiveCq(), "receive CQ");
        srq = own(options.srq());
        context.requireWorking(OPERATION);
        QpRanges.checkSizes(options, context);
        sendWr = IbvAttributes.roundUp(options.maxSendWr());
        inline = InlineSlots.length(options.maxInline());
        receiveWr = srq == null ? IbvAttributes.roundUp(options.maxReceiveWr()) : 0;
        receiveSge = srq == null ? options.maxReceiveSge() : 0;
    }

    static IbvQp create(final IbvPd pd, final QpOptions options) {
        Errors.notNull(options, OPERATION, pd.context, "options");
        Errors.notNull(options.type(), OPERATION, pd.context, "type");
        return new QpFactory(pd, options).create();
    }

    private IbvCq own(final CompletionQueue cq, final String name) {
        Errors.notNull(cq, OPERATION, context, name);
        if (!(cq instanceof IbvCq) || ((IbvCq) cq).context != context) {
            throw Errors.invalid(OPERATION, context, "%s (%s) belongs to another device", name, cq);
        }
        ((IbvCq) cq).requireOpen(OPERATION);
        return (IbvCq) cq;
    }

    private IbvSrq own(final SharedReceiveQueue queue) {
        if (queue != null && (!(queue instanceof IbvSrq) || ((IbvSrq) queue).pd != pd)) {
            throw Errors.invalid(OPERATION, context, "%s belongs to another protection domain", queue);
        }
        if (queue != null) {
            ((IbvSrq) queue).requireOpen(OPERATION);
        }
        return (IbvSrq) queue;
    }

    private IbvQp create() {
        try (Undo undo = new Undo()) {
            final CqUse[] uses = CqUse.of(sendCq, receiveCq, srq, sendWr, receiveWr, options.reserveCq());
            for (final CqUse use : uses) {
                use.cq().attach(use, OPERATION);
                undo.add(() -> use.cq().detach(use, 0));
            }
            if (srq != null) {
                srq.attach(OPERATION, uses[0]);
                undo.add(() -> srq.detach(uses[0]));
            }
            final UnsafeBuffer attr = attr();
            long pointer = context.library.createQp(pd.pointer, attr.addressOffset());
            boolean copies = false;
            if (pointer == 0 && inline > 0 && context.library.errno() == RdmaException.EINVAL) {
                // Perhaps for want of inline data of that length: then the payload is read from where it was copied to.
                attr.putInt(Abi.QpInitAttr.CAP_MAX_INLINE_DATA, 0);
                pointer = context.library.createQp(pd.pointer, attr.addressOffset());
                copies = true;
            }
            // Or it says how much there is, which may be less than was asked for (vmw_pvrdma).
            copies |= attr.getInt(Abi.QpInitAttr.CAP_MAX_INLINE_DATA) < inline;
            Struct.keep(attr);
            final long qp =
                context.requireObject(pointer, OPERATION, "ibv_create_qp", "max_qp", context.attributes().maxQp());
            undo.add(() -> context.library.destroyQp(qp));
            final InlineSlots slots = slots(copies);
            undo.add(slots::close);
            final LiveEntry entry = context.live.add(QpKind.KIND, context.nextNumber());
            undo.add(entry::close);
            final IbvQp made = new IbvQp(pd, qp, options.type(), uses, srq,
                new SendPath(pd, qp, options.type() == QpType.UD, sendWr, options.maxSendSge(),
                    Opcodes.of(options.type(), context.traits), slots, entry.counters()),
                new ReceivePath(context, qp, receiveWr, receiveSge, entry.counters()));
            made.publish(entry, made::describe);
            undo.forget();
            return made;
        }
    }

    private InlineSlots slots(final boolean registered) {
        if (inline == 0) {
            return InlineSlots.NONE;
        }
        final UnsafeBuffer bytes = Struct.allocate(sendWr * inline);
        return new InlineSlots(bytes, inline, !registered ? null : IbvMr.create(pd, RegionRequest.of(context,
            new MrOptions().memory(bytes.addressOffset(), bytes.capacity(), bytes).access(new AccessFlag[0]))));
    }

    /** The library's number of a type. */
    static int code(final QpType type) {
        return type == QpType.RC ? RC : UD;
    }

    private UnsafeBuffer attr() {
        final UnsafeBuffer attr = Struct.allocate(Abi.QpInitAttr.LENGTH);
        attr.putLong(Abi.QpInitAttr.SEND_CQ, sendCq.pointer);
        attr.putLong(Abi.QpInitAttr.RECV_CQ, receiveCq.pointer);
        attr.putLong(Abi.QpInitAttr.SRQ, srq == null ? 0 : srq.pointer);
        attr.putInt(Abi.QpInitAttr.CAP_MAX_SEND_WR, sendWr);
        attr.putInt(Abi.QpInitAttr.CAP_MAX_RECV_WR, receiveWr);
        attr.putInt(Abi.QpInitAttr.CAP_MAX_SEND_SGE, options.maxSendSge());
        attr.putInt(Abi.QpInitAttr.CAP_MAX_RECV_SGE, receiveSge);
        attr.putInt(Abi.QpInitAttr.CAP_MAX_INLINE_DATA, inline);
        attr.putInt(Abi.QpInitAttr.QP_TYPE, code(options.type()));
        attr.putInt(Abi.QpInitAttr.SQ_SIG_ALL, options.signalAll() ? 1 : 0);
        return attr;
    }
}
