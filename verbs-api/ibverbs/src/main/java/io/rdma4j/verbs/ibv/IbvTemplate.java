/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.spi.PreparedSends;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Work requests that were written as the library wants them once, in memory of their own: posting changes their numbers
 * and hands the list over. Bindings of windows are written anew at each post, because their objects change.
 */
final class IbvTemplate extends PreparedSends {
    private final SendPath path;
    private final UnsafeBuffer block;

    private IbvTemplate(final IbvQp qp, final SendRequest... given) {
        super(qp, qp.context, given);
        path = qp.sends;
        block = PostPath.blockOf(requests.length, Abi.SendWr.LENGTH, path.maxSge());
    }

    static IbvTemplate of(final IbvQp qp, final SendRequest... requests) {
        qp.requireOpen(OPERATION);
        final IbvTemplate template = new IbvTemplate(qp, requests);
        for (int i = 0; i < requests.length; i++) {
            template.prepare(i);
        }
        return template;
    }

    private void prepare(final int i) {
        final SendRequest request = requests[i];
        final int code = !isLive(request) ? objection(request)
            : path.number(request) == Opcodes.NONE ? ReturnCode.UNSUPPORTED : objectionToLive(request);
        if (code != ReturnCode.OK) {
            throw refused(i, code);
        }
        if (isLive(request)) {
            return;
        }
        if (request.isInline()) {
            // The application's may be used for something else from now on.
            final UnsafeBuffer copy = Struct.allocate(path.slots.length());
            if (!Payloads.copy(request.inlineSource(), request.inlineOffset(), request.inlineLength(), copy, 0)) {
                throw refused(i, ReturnCode.INVALID_REQUEST);
            }
            request.inline(copy, 0, request.inlineLength());
            lengths[i] = request.inlineLength();
        } else {
            path.writeElements(at(i), request.sges(), request.sges().size());
            lengths[i] = request.sges().totalLength(request.sges().size());
        }
        encodeAgain(i);
    }

    private int objection(final SendRequest request) {
        final int count = request.isInline() ? 1 : request.sges().size();
        final int refusal = path.objection(request, request.opcode(), count,
            path.isDatagram() ? request.addressHandle() : null);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        return request.isInline() ? path.objectionToInline(request.opcode(), request.inlineSource(),
            request.inlineOffset(), request.inlineLength())
            : path.objectionToElements(request.sges(), request.opcode(), count);
    }

    private long at(final int i) {
        return path.place(block, i);
    }

    @Override
    protected void encodeAgain(final int i) {
        path.encode(at(i), requests[i], requests[i].opcode(), requests[i].isInline(), requests[i].addressHandle());
    }

    @Override
    protected void writeElement(final int i, final int sge, final long address, final int length, final int lkey) {
        path.rewriteElement(at(i), sge, address, length, lkey);
    }

    @Override
    protected boolean writePayload(final int i, final DirectBuffer source, final int offset, final int length) {
        final UnsafeBuffer copy = (UnsafeBuffer) requests[i].inlineSource();
        requests[i].inline(copy, 0, length);
        return Payloads.copy(source, offset, length, copy, 0);
    }

    @Override
    public int post(final int count) {
        final int refusal = path.enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            if (count < 0 || count > requests.length) {
                return ReturnCode.INVALID_REQUEST;
            }
            int code = ReturnCode.OK;
            for (int i = 0; i < count && code == ReturnCode.OK; i++) {
                code = isLive(requests[i]) ? path.enqueue(requests[i]) : enqueue(i);
            }
            return path.finish(code);
        } finally {
            path.leave();
        }
    }

    private int enqueue(final int i) {
        final SendRequest request = requests[i];
        final int refusal = objection(request);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        final long at = at(i);
        final int seq = path.nextSequence();
        final int slot = path.nextSlot();
        if (!path.claim(at, request.wrId(), lengths[i])) {
            return ReturnCode.QUEUE_FULL;
        }
        path.remember(seq, request, request.opcode());
        if (path.isDatagram()) {
            // The QP's key may be another one by now.
            encodeAgain(i);
        }
        if (request.isInline()) {
            path.placeInline(at, slot, request);
        }
        path.commit(at);
        return ReturnCode.OK;
    }
}
