/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SgeList;
import org.agrona.DirectBuffer;

import java.util.EnumSet;
import java.util.Set;

/**
 * Send requests that a provider encodes once, and what can be changed of them between posts. Requests that bind or
 * register something are live: encoded anew at each post, as what they say is in objects that change.
 */
public abstract class PreparedSends implements SendTemplate {
    /** What preparing is called in messages. */
    protected static final String OPERATION = "prepare sends";

    private static final Set<SendOpcode> LIVE = EnumSet.of(SendOpcode.FAST_REG_MR, SendOpcode.BIND_MW);
    private static final Set<SendOpcode> ATOMIC = EnumSet.of(SendOpcode.ATOMIC_CMP_AND_SWP,
        SendOpcode.ATOMIC_FETCH_AND_ADD, SendOpcode.MASKED_ATOMIC_CMP_AND_SWP, SendOpcode.MASKED_ATOMIC_FETCH_AND_ADD);
    private static final Set<SendOpcode> RDMA = EnumSet.of(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM,
        SendOpcode.RDMA_READ, SendOpcode.RDMA_READ_WITH_INV);
    private static final Set<SendOpcode> IMMEDIATE =
        EnumSet.of(SendOpcode.SEND_WITH_IMM, SendOpcode.RDMA_WRITE_WITH_IMM);
    private static final Set<SendOpcode> INVALIDATING =
        EnumSet.of(SendOpcode.LOCAL_INV, SendOpcode.SEND_WITH_INV, SendOpcode.RDMA_READ_WITH_INV);

    /** Say what was encoded. */
    protected final SendRequest[] requests;
    /** Bytes of each. */
    protected final int[] lengths;
    private final QueuePair qp;

    /**
     * Copies requests.
     *
     * @param qp      that will post them.
     * @param context its device.
     * @param given   what the application gave.
     * @throws RdmaException EINVAL for null, none, or more than the queue holds.
     */
    protected PreparedSends(final QueuePair qp, final RdmaContext context, final SendRequest... given) {
        this.qp = qp;
        Errors.notNull(given, OPERATION, context, "requests");
        Errors.inRange(given.length, 1, qp.maxSendWr(), OPERATION, context, "number of requests");
        requests = new SendRequest[given.length];
        lengths = new int[given.length];
        for (int i = 0; i < given.length; i++) {
            final SendRequest request = Errors.notNull(given[i], OPERATION, context, "request " + i);
            requests[i] = new SendRequest(request.sges().size()).set(request);
        }
    }

    /**
     * Writes a request anew that differs from what was encoded, but not in its elements and payload.
     *
     * @param i which.
     */
    protected abstract void encodeAgain(int i);

    /**
     * Writes an element anew.
     *
     * @param i       of which request.
     * @param sge     which element.
     * @param address first byte.
     * @param length  bytes.
     * @param lkey    key.
     */
    protected abstract void writeElement(int i, int sge, long address, int length, int lkey);

    /**
     * Copies a payload to where the request has it, and has the request name it there.
     *
     * @param i      which request.
     * @param source of the bytes.
     * @param offset of the first.
     * @param length how many.
     * @return false if the source is memory that is gone.
     */
    protected abstract boolean writePayload(int i, DirectBuffer source, int offset, int length);

    /**
     * Whether a request is encoded at each post.
     *
     * @param request any.
     * @return true if so.
     */
    protected static boolean isLive(final SendRequest request) {
        return LIVE.contains(request.opcode());
    }

    /**
     * What no post of a live request could mend; the rest depends on its objects' state then.
     *
     * @param request that is live.
     * @return a code.
     */
    protected static int objectionToLive(final SendRequest request) {
        final Object keyed = request.opcode() == SendOpcode.BIND_MW ? request.window() : request.fastRegion();
        return request.isInline() || request.sges().size() != 0 || keyed == null ? ReturnCode.INVALID_REQUEST
            : ReturnCode.OK;
    }

    /**
     * Says that a request cannot be prepared.
     *
     * @param i    which.
     * @param code why.
     * @return to be thrown.
     */
    protected final RdmaException refused(final int i, final int code) {
        final SendRequest request = requests[i];
        final int elements = request.sges().size();
        final boolean isTooMany = code == ReturnCode.TOO_MANY_SGES;
        final boolean isCrowded = isTooMany && elements > qp.maxSendSge();
        final boolean isLong = code == ReturnCode.INVALID_REQUEST && request.isInline()
            && request.inlineLength() > qp.maxInline();
        return RdmaException.of(OPERATION).device(qp.pd().context().address())
            .detail("%s refuses request %d of %d (%s): %s%s", qp, i, requests.length, request.opcode(),
                ReturnCode.nameOf(code), isCrowded
                    ? ": " + elements + " elements, maxSendSge is " + qp.maxSendSge() : isTooMany
                    ? ": " + elements + " elements, the device takes fewer in a READ" : isLong
                    ? ": " + request.inlineLength() + " bytes inline, maxInline is " + qp.maxInline() : "")
            .errno(RdmaException.EINVAL)
            .hint(isCrowded ? "create the QP with QpOptions.maxSendSge(int)"
                : isTooMany ? "split it into several READs"
                : isLong ? "create the QP with QpOptions.maxInline(int)" : null).build();
    }

    @Override
    public final QueuePair queuePair() {
        return qp;
    }

    @Override
    public final int size() {
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
    public final SendTemplate wrId(final int i, final long value) {
        request(i).wrId(value);
        return this;
    }

    @Override
    public final SendTemplate address(final int i, final int sge, final long value) {
        final SgeList sges = sges(i, sge);
        return element(i, sge, value, sges.length(sge), sges.lkey(sge));
    }

    @Override
    public final SendTemplate length(final int i, final int sge, final int value) {
        final SgeList sges = sges(i, sge);
        if (value < 0) {
            throw new IllegalArgumentException(
                "request " + i + ": length of element " + sge + " is negative: " + value);
        }
        return element(i, sge, sges.address(sge), value, sges.lkey(sge));
    }

    @Override
    public final SendTemplate lkey(final int i, final int sge, final int value) {
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
        writeElement(i, sge, address, length, lkey);
        lengths[i] = sges.totalLength(sges.size());
        return this;
    }

    @Override
    public final SendTemplate remote(final int i, final long address, final int rkey) {
        request(i, RDMA, ATOMIC, "remote address").remote(address, rkey);
        encodeAgain(i);
        return this;
    }

    @Override
    public final SendTemplate immData(final int i, final int value) {
        request(i, IMMEDIATE, IMMEDIATE, "immediate data").immData(value);
        encodeAgain(i);
        return this;
    }

    @Override
    public final SendTemplate invalidate(final int i, final int rkey) {
        request(i, INVALIDATING, INVALIDATING, "key to invalidate").invalidate(rkey);
        encodeAgain(i);
        return this;
    }

    @Override
    public final SendTemplate newKey(final int i, final int key) {
        request(i, LIVE, LIVE, "new key").newKey(key);
        return this;
    }

    @Override
    public final SendTemplate operands(final int i, final long compareAdd, final long swap) {
        request(i, ATOMIC, ATOMIC, "operands").atomic(compareAdd, swap);
        encodeAgain(i);
        return this;
    }

    @Override
    public final SendTemplate inline(final int i, final DirectBuffer source, final int offset, final int length) {
        final SendRequest request = request(i);
        final int longest = qp.maxInline();
        if (!request.isInline() || source == null || length < 0 || length > longest || offset < 0
            || offset > source.capacity() - length) {
            throw new IllegalArgumentException("request " + i + (request.isInline() ? "" : " without a payload")
                + ": bytes " + offset + " + " + length + " of " + source + ", longest is " + longest);
        }
        lengths[i] = length;
        if (!writePayload(i, source, offset, length)) {
            throw new IllegalArgumentException("request " + i + ": the memory of " + source + " is gone");
        }
        return this;
    }

    @Override
    public final int post() {
        return post(requests.length);
    }

    @Override
    public final String toString() {
        return "template of " + requests.length + " sends for " + qp;
    }
}
