/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.queues.SendQueue;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.spi.PreparedSends;
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
final class PvrdmaTemplate extends PreparedSends {
    private static final int ELEMENTS_OFFSET = 64;

    private final SendPath path;
    private final SendQueue queue;
    private final SendPath encoder;
    private final SendQueue images;
    private final UnsafeBuffer wqes;
    /** What the poller is to know. */
    private final int[] flags;
    /** Whether nothing that can change would have a request refused or written otherwise than it lies here. */
    private final boolean[] fixed;

    private PvrdmaTemplate(final PvrdmaQp qp, final SendRequest... given) {
        super(qp, qp.context, given);
        path = qp.sends;
        queue = path.queue;
        flags = new int[requests.length];
        fixed = new boolean[requests.length];
        images = images(BitUtil.findNextPositivePowerOfTwo(requests.length), queue.maxSge());
        wqes = images.buffer();
        encoder = path.over(images, payloads());
    }

    static PvrdmaTemplate of(final PvrdmaQp qp, final SendRequest... requests) {
        qp.requireOpen(OPERATION);
        final PvrdmaTemplate template = new PvrdmaTemplate(qp, requests);
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
            final int refusal = isLive(request) ? reserve(request) : encoder.enqueue(request, 0);
            if (refusal != ReturnCode.OK) {
                throw refused(i, refusal);
            }
            images.commit();
            flags[i] = images.flags(i);
            lengths[i] = images.length(i);
            fixed[i] = encoder.isFixed(request);
            if (request.isInline()) {
                // The application's may be used for something else from now on.
                request.inline(encoder.slots().bytes(), encoder.slots().offset(i), request.inlineLength());
            }
        }
    }

    /** Leaves the slot empty. */
    private int reserve(final SendRequest request) {
        final int here = objection(request);
        final int refusal = here == ReturnCode.OK ? objectionToLive(request) : here;
        if (refusal == ReturnCode.OK) {
            images.claim(request.wrId(), 0);
        }
        return refusal;
    }

    @Override
    protected void encodeAgain(final int i) {
        encoder.encodeAgain(requests[i], i);
    }

    @Override
    protected void writeElement(final int i, final int sge, final long address, final int length, final int lkey) {
        Sge.set(wqes, SqWqe.sgeOffset(images.slotOffset(i), sge), address, length, lkey);
    }

    @Override
    protected boolean writePayload(final int i, final DirectBuffer source, final int offset, final int length) {
        final InlineSlots payloads = encoder.slots();
        requests[i].inline(payloads.bytes(), payloads.offset(i), length);
        return payloads.write(wqes, images.slotOffset(i), i, source, offset, length);
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
            encodeAllAgain();
        }
        int posted = 0;
        int code = ReturnCode.OK;
        while (posted < count && (code = fixed[posted] ? copy(posted) : enqueue(posted)) == ReturnCode.OK) {
            posted++;
        }
        if (posted > 0) {
            path.submit(posted);
        }
        return posted > 0 ? posted : code;
    }

    private int copy(final int i) {
        final int code = queue.putCopy(i, requests[i].wrId(), flags[i], lengths[i], images, i);
        return code < 0 ? path.notClaimed(code) : code;
    }

    /** The QP's GID index or Q_Key is another one now. */
    private void encodeAllAgain() {
        for (int i = 0; i < requests.length; i++) {
            if (!isLive(requests[i])) {
                encodeAgain(i);
                fixed[i] = encoder.isFixed(requests[i]);
            }
        }
    }

    private int enqueue(final int i) {
        final SendRequest request = requests[i];
        if (isLive(request)) {
            return path.enqueue(request, i);
        }
        final int refusal = objection(request);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        final int wqe = queue.claimCopy(i, request.wrId(), flags[i], lengths[i], images, i);
        if (wqe < 0) {
            return path.notClaimed(wqe);
        }
        if (request.isInline()) {
            path.slots().write(queue.buffer(), wqe, queue.slot(i), request.inlineSource(), request.inlineOffset(),
                request.inlineLength());
        }
        return ReturnCode.OK;
    }

    private int objection(final SendRequest request) {
        return path.objection(request, path.wireOpcode(request), request.isInline() ? 1 : request.sges().size(),
            request.addressHandle());
    }
}
