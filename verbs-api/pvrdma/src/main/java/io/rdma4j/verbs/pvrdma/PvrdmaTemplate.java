/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.queues.SendQueue;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SgeList;
import io.rdma4j.verbs.spi.Errors;

import java.util.EnumSet;
import java.util.Set;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Requests that were encoded once: into a send queue in memory of its own that no device knows, by the code that
 * encodes every post. Request i is in slot i, its payload in inline slot i. A post copies from there what a look at the
 * request itself does not refuse. Requests that bind or register something are encoded anew each time, as what they say
 * is in objects that change.
 */
final class PvrdmaTemplate implements SendTemplate {
    private static final String OPERATION = "prepare sends";
    private static final int ELEMENTS_OFFSET = 64;
    private static final Set<SendOpcode> LIVE = EnumSet.of(SendOpcode.FAST_REG_MR, SendOpcode.BIND_MW);
    private static final Set<SendOpcode> ATOMIC = EnumSet.of(SendOpcode.ATOMIC_CMP_AND_SWP,
        SendOpcode.ATOMIC_FETCH_AND_ADD, SendOpcode.MASKED_ATOMIC_CMP_AND_SWP, SendOpcode.MASKED_ATOMIC_FETCH_AND_ADD);
    private static final Set<SendOpcode> RDMA = EnumSet.of(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM,
        SendOpcode.RDMA_READ, SendOpcode.RDMA_READ_WITH_INV);
    private static final Set<SendOpcode> IMMEDIATE =
        EnumSet.of(SendOpcode.SEND_WITH_IMM, SendOpcode.RDMA_WRITE_WITH_IMM);
    private static final Set<SendOpcode> INVALIDATING =
        EnumSet.of(SendOpcode.LOCAL_INV, SendOpcode.SEND_WITH_INV, SendOpcode.RDMA_READ_WITH_INV);

    private final PvrdmaQp qp;
    private final SendPath path;
    private final SendQueue queue;
    private final SendPath encoder;
    private final SendQueue images;
    private final UnsafeBuffer wqes;
    /** Say what the WQEs say. */
    private final SendRequest[] requests;
    /** What the poller is to know. */
    private final int[] flags;
    private final int[] lengths;

    private PvrdmaTemplate(final PvrdmaQp qp, final SendRequest[] copies) {
        this.qp = qp;
        path = qp.sends;
        queue = path.queue;
        requests = copies;
        flags = new int[copies.length];
        lengths = new int[copies.length];
        images = images(BitUtil.findNextPositivePowerOfTwo(copies.length), queue.maxSge());
        wqes = images.buffer();
        encoder = path.over(images, payloads());
    }

    static PvrdmaTemplate of(final PvrdmaQp qp, final SendRequest... requests) {
        qp.requireOpen(OPERATION);
        Errors.notNull(requests, OPERATION, qp.context, "requests");
        Errors.inRange(requests.length, 1, qp.maxSendWr(), OPERATION, qp.context, "number of requests");
        final SendRequest[] copies = new SendRequest[requests.length];
        for (int i = 0; i < copies.length; i++) {
            final SendRequest request = Errors.notNull(requests[i], OPERATION, qp.context, "request " + i);
            copies[i] = new SendRequest(request.sges().size()).set(request);
        }
        final PvrdmaTemplate template = new PvrdmaTemplate(qp, copies);
        template.encode();
        return template;
    }

    private static SendQueue images(final int count, final int maxSge) {
        final UnsafeBuffer memory = new UnsafeBuffer(BufferUtil.allocateDirectAligned(
            ELEMENTS_OFFSET + count * SqWqe.stride(maxSge), BitUtil.CACHE_LINE_LENGTH));
        return new SendQueue(memory, RingState.TX_OFFSET, ELEMENTS_OFFSET, count, maxSge, (offset, word) -> { }, 0);
    }

    private InlineSlots payloads() {
        boolean needed = false;
        for (final SendRequest request : requests) {
            needed |= request.isInline();
        }
        final InlineSlots real = path.slots();
        return !needed || real.length() == 0 ? InlineSlots.NONE : new InlineSlots(new UnsafeBuffer(
            BufferUtil.allocateDirectAligned(images.count() * real.length(), BitUtil.CACHE_LINE_LENGTH)),
            real.length(), real.lkey());
    }

    private void encode() {
        for (int i = 0; i < requests.length; i++) {
            final SendRequest request = requests[i];
            final int refusal = isLive(request) ? reserve(request) : encoder.enqueue(request);
            if (refusal != ReturnCode.OK) {
                throw refused(i, refusal);
            }
            flags[i] = images.flags(i);
            lengths[i] = images.length(i);
            if (request.isInline()) {
                // The application's may be used for something else from now on.
                request.inline(encoder.slots().bytes(), encoder.slots().offset(i), request.inlineLength());
            }
        }
    }

    private static boolean isLive(final SendRequest request) {
        return LIVE.contains(request.opcode());
    }

    /** Leaves the slot empty. */
    private int reserve(final SendRequest request) {
        final int refusal = objectionToLive(request);
        if (refusal == ReturnCode.OK) {
            images.claim(request.wrId(), 0);
            images.commit();
        }
        return refusal;
    }

    /** What no post of it could mend; the rest depends on the objects' state then. */
    private int objectionToLive(final SendRequest request) {
        final int refusal = objection(request);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        final Object keyed = request.opcode() == SendOpcode.BIND_MW ? request.window() : request.fastRegion();
        return request.isInline() || request.sges().size() != 0 || keyed == null ? ReturnCode.INVALID_REQUEST
            : ReturnCode.OK;
    }

    private RdmaException refused(final int i, final int code) {
        return Errors.invalid(OPERATION, qp.context, "%s refuses request %d of %d (%s): %s", qp, i, requests.length,
            requests[i].opcode(), ReturnCode.nameOf(code));
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

    private SendRequest request(final int i, final Set<SendOpcode> some, final Set<SendOpcode> others,
        final String field) {
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
            throw new IllegalArgumentException(
                "request " + i + ": there is no element " + sge + " of " + sges.size());
        }
        return sges;
    }

    private SendTemplate element(final int i, final int sge, final long address, final int length, final int lkey) {
        final SgeList sges = requests[i].sges();
        sges.set(sge, address, length, lkey);
        Sge.set(wqes, SqWqe.sgeOffset(images.slotOffset(i), sge), address, length, lkey);
        lengths[i] = PostPath.totalLength(sges, sges.size());
        return this;
    }

    @Override
    public SendTemplate remote(final int i, final long address, final int rkey) {
        return encodeAgain(request(i, RDMA, ATOMIC, "remote address").remote(address, rkey), i);
    }

    @Override
    public SendTemplate immData(final int i, final int value) {
        return encodeAgain(request(i, IMMEDIATE, IMMEDIATE, "immediate data").immData(value), i);
    }

    @Override
    public SendTemplate invalidate(final int i, final int rkey) {
        return encodeAgain(request(i, INVALIDATING, INVALIDATING, "key to invalidate").invalidate(rkey), i);
    }

    @Override
    public SendTemplate newKey(final int i, final int key) {
        request(i, LIVE, LIVE, "new key").newKey(key);
        return this;
    }

    @Override
    public SendTemplate operands(final int i, final long compareAdd, final long swap) {
        return encodeAgain(request(i, ATOMIC, ATOMIC, "operands").atomic(compareAdd, swap), i);
    }

    private SendTemplate encodeAgain(final SendRequest request, final int i) {
        encoder.encodeAgain(request, i);
        return this;
    }

    @Override
    public SendTemplate inline(final int i, final DirectBuffer source, final int offset, final int length) {
        final SendRequest request = request(i);
        final InlineSlots payloads = encoder.slots();
        if (!request.isInline() || !payloads.accepts(source, offset, length)) {
            throw new IllegalArgumentException("request " + i + (request.isInline() ? "" : " without a payload")
                + ": bytes " + offset + " + " + length + " of " + source + ", longest is " + payloads.length());
        }
        payloads.write(wqes, images.slotOffset(i), i, source, offset, length);
        request.inline(payloads.bytes(), payloads.offset(i), length);
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
            return postFirst(count);
        } finally {
            path.leave();
        }
    }

    private int postFirst(final int count) {
        if (count < 0 || count > requests.length) {
            return ReturnCode.INVALID_REQUEST;
        }
        if (encoder.encodeAs(path)) {
            encodeAgain();
        }
        int posted = 0;
        int code = ReturnCode.OK;
        while (posted < count && (code = enqueue(posted)) == ReturnCode.OK) {
            posted++;
        }
        if (posted > 0) {
            path.submit();
        }
        return posted > 0 ? posted : code;
    }

    /** The QP's GID index or Q_Key is another one now. */
    private void encodeAgain() {
        for (int i = 0; i < requests.length; i++) {
            if (!isLive(requests[i])) {
                encoder.encodeAgain(requests[i], i);
            }
        }
    }

    private int enqueue(final int i) {
        final SendRequest request = requests[i];
        if (isLive(request)) {
            return path.enqueue(request);
        }
        final int refusal = objection(request);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        final int wqe = queue.claimCopy(request.wrId(), flags[i], lengths[i], images, i);
        if (wqe < 0) {
            return path.notClaimed(wqe);
        }
        if (request.isInline()) {
            path.slots().write(queue.buffer(), wqe, queue.slot(), request.inlineSource(), request.inlineOffset(),
                request.inlineLength());
        }
        queue.commit();
        return ReturnCode.OK;
    }

    private int objection(final SendRequest request) {
        return path.objection(request, path.wireOpcode(request), request.isInline() ? 1 : request.sges().size(),
            request.addressHandle());
    }

    @Override
    public String toString() {
        return "template of " + requests.length + " sends for " + qp;
    }
}
