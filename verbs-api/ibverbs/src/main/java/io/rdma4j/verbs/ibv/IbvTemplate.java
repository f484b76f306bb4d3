/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SgeList;
import io.rdma4j.verbs.spi.Errors;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.EnumSet;
import java.util.Set;

/**
 * Work requests that were written as the library wants them once, in memory of their own: posting changes their numbers
 * and hands the list over. Bindings of windows are written anew at each post, because their objects change.
 */
final class IbvTemplate implements SendTemplate {
    private static final String OPERATION = "prepare sends";
    private static final Set<SendOpcode> ATOMIC =
        EnumSet.of(SendOpcode.ATOMIC_CMP_AND_SWP, SendOpcode.ATOMIC_FETCH_AND_ADD);
    private static final Set<SendOpcode> RDMA =
        EnumSet.of(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM, SendOpcode.RDMA_READ);
    private static final Set<SendOpcode> IMMEDIATE =
        EnumSet.of(SendOpcode.SEND_WITH_IMM, SendOpcode.RDMA_WRITE_WITH_IMM);
    private static final Set<SendOpcode> INVALIDATING = EnumSet.of(SendOpcode.LOCAL_INV, SendOpcode.SEND_WITH_INV);
    private static final Set<SendOpcode> LIVE = EnumSet.of(SendOpcode.BIND_MW);

    private final IbvQp qp;
    private final SendPath path;
    private final SendRequest[] requests;
    private final UnsafeBuffer block;
    private final int[] lengths;

    private IbvTemplate(final IbvQp qp, final SendRequest[] copies) {
        this.qp = qp;
        this.path = qp.sends;
        this.requests = copies;
        this.lengths = new int[copies.length];
        this.block = PostPath.blockOf(copies.length, Abi.SendWr.LENGTH, path.maxSge());
    }

    static IbvTemplate of(final IbvQp qp, final SendRequest... requests) {
        qp.requireOpen(OPERATION);
        Errors.notNull(requests, OPERATION, qp.context, "requests");
        Errors.inRange(requests.length, 1, qp.maxSendWr(), OPERATION, qp.context, "number of requests");
        final SendRequest[] copies = new SendRequest[requests.length];
        for (int i = 0; i < copies.length; i++) {
            final SendRequest request = Errors.notNull(requests[i], OPERATION, qp.context, "request " + i);
            copies[i] = new SendRequest(request.sges().size()).set(request);
        }
        final IbvTemplate template = new IbvTemplate(qp, copies);
        for (int i = 0; i < copies.length; i++) {
            template.prepare(i);
        }
        return template;
    }

    private void prepare(final int i) {
        final SendRequest request = requests[i];
        final int code = isLive(request) ? objectionToLive(request) : objection(request);
        if (code != ReturnCode.OK) {
            throw Errors.invalid(OPERATION, qp.context, "%s refuses request %d of %d (%s): %s", qp, i, requests.length,
                request.opcode(), ReturnCode.nameOf(code));
        }
        if (isLive(request)) {
            return;
        }
        if (request.isInline()) {
            // The application's may be used for something else from now on.
            final UnsafeBuffer copy = Struct.allocate(path.slots.length());
            copy.putBytes(0, request.inlineSource(), request.inlineOffset(), request.inlineLength());
            request.inline(copy, 0, request.inlineLength());
            lengths[i] = request.inlineLength();
        } else {
            path.writeElements(at(i), request.sges(), request.sges().size());
            lengths[i] = PostPath.totalLength(request.sges(), request.sges().size());
        }
        encode(i);
    }

    private int objectionToLive(final SendRequest request) {
        return path.number(request) == Opcodes.NONE ? ReturnCode.UNSUPPORTED
            : request.isInline() || request.sges().size() != 0 || request.window() == null
            ? ReturnCode.INVALID_REQUEST : ReturnCode.OK;
    }

    private static boolean isLive(final SendRequest request) {
        return LIVE.contains(request.opcode());
    }

    private int objection(final SendRequest request) {
        return path.objection(request, request.opcode(), request.isInline(),
            request.isInline() ? 1 : request.sges().size(), path.isDatagram() ? request.addressHandle() : null);
    }

    private long at(final int i) {
        return path.place(block, i);
    }

    private void encode(final int i) {
        path.encode(at(i), requests[i], requests[i].opcode(), requests[i].addressHandle());
    }

    @Override
    public QueuePair queuePair() {
        return qp;
    }

    @Override
    public int size() {
        return requests.length;
    }

    private SendRequest request(final int i) {
        if (i < 0 || i >= requests.length) {
            throw new IllegalArgumentException("there is no request " + i + ", but 0 to " + (requests.length - 1));
        }
        return requests[i];
    }

    private SendRequest request(
        final int i, final Set<SendOpcode> some, final Set<SendOpcode> others, final String field) {
        final SendRequest request = request(i);
        if (!some.contains(request.opcode()) && !others.contains(request.opcode())) {
            throw new IllegalArgumentException("request " + i + ": " + request.opcode() + " has no " + field);
        }
        return request;
    }

    @Override
    public SendTemplate wrId(final int i, final long value) {
        request(i).wrId(value);
        return this;
    }

    @Override
    public SendTemplate address(final int i, final int sge, final long value) {
        final SgeList sges = sges(i, sge);
        return element(i, sge, value, sges.length(sge), sges.lkey(sge));
    }

    @Override
    public SendTemplate length(final int i, final int sge, final int value) {
        final SgeList sges = sges(i, sge);
        if (value < 0) {
            throw new IllegalArgumentException(
                "request " + i + ": length of element " + sge + " is negative: " + value);
        }
        return element(i, sge, sges.address(sge), value, sges.lkey(sge));
    }

    @Override
    public SendTemplate lkey(final int i, final int sge, final int value) {
        final SgeList sges = sges(i, sge);
        return element(i, sge, sges.address(sge), sges.length(sge), value);
    }

    private SgeList sges(final int i, final int sge) {
        final SgeList sges = request(i).sges();
        if (sge < 0 || sge >= sges.size()) {
            throw new IllegalArgumentException("request " + i + ": there is no element " + sge + " of " + sges.size());
        }
        return sges;
    }

    private SendTemplate element(final int i, final int sge, final long address, final int length, final int lkey) {
        final SgeList sges = requests[i].sges();
        sges.set(sge, address, length, lkey);
        path.rewriteElement(at(i), sge, address, length, lkey);
        lengths[i] = PostPath.totalLength(sges, sges.size());
        return this;
    }

    @Override
    public SendTemplate remote(final int i, final long address, final int rkey) {
        request(i, RDMA, ATOMIC, "remote address").remote(address, rkey);
        encode(i);
        return this;
    }

    @Override
    public SendTemplate immData(final int i, final int value) {
        request(i, IMMEDIATE, IMMEDIATE, "immediate data").immData(value);
        encode(i);
        return this;
    }

    @Override
    public SendTemplate invalidate(final int i, final int rkey) {
        request(i, INVALIDATING, INVALIDATING, "key to invalidate").invalidate(rkey);
        encode(i);
        return this;
    }

    @Override
    public SendTemplate newKey(final int i, final int key) {
        request(i, LIVE, LIVE, "new key").newKey(key);
        return this;
    }

    @Override
    public SendTemplate operands(final int i, final long compareAdd, final long swap) {
        request(i, ATOMIC, ATOMIC, "operands").atomic(compareAdd, swap);
        encode(i);
        return this;
    }

    @Override
    public SendTemplate inline(final int i, final DirectBuffer source, final int offset, final int length) {
        final SendRequest request = request(i);
        if (!request.isInline() || !path.slots.accepts(source, offset, length)) {
            throw new IllegalArgumentException("request " + i + (request.isInline() ? "" : " without a payload")
                + ": bytes " + offset + " + " + length + " of " + source + ", longest is " + path.slots.length());
        }
        final UnsafeBuffer copy = (UnsafeBuffer) request.inlineSource();
        copy.putBytes(0, source, offset, length);
        request.inline(copy, 0, length);
        lengths[i] = length;
        return this;
    }

    @Override
    public int post() {
        return post(requests.length);
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
            encode(i);
        }
        if (request.isInline()) {
            path.placeInline(at, slot, request);
        }
        path.commit(at);
        return ReturnCode.OK;
    }

    @Override
    public String toString() {
        return "template of " + requests.length + " sends for " + qp;
    }
}
