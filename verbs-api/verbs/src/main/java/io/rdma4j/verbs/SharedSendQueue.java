/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * A send queue for many threads: any of them offers requests, one owner drains them into the QP, several with one
 * doorbell. Neither side takes a lock or allocates.
 *
 * <p>The owner is the one thread that posts sends to the QP; it usually polls the CQ as well:
 *
 * <pre>{@code
 *   while (queue.drain(64) != ReturnCode.CLOSED) {
 *       cq.poll(handler, 64);
 *   }
 * }</pre>
 *
 * <p>An offer that was answered with {@link ReturnCode#OK} is either posted or told to the {@link SendFailureHandler},
 * exactly once, as long as the owner drains until it is told {@link ReturnCode#CLOSED}. Requests of one thread keep
 * their order. A full send queue leaves requests waiting here; a thread that stops in the middle of an offer delays
 * those behind it, and only delays them.
 *
 * <p>Datagrams are offered with their {@link AddressHandle}, which has to stay open until the request was posted: one
 * that is closed meanwhile fails with {@link ReturnCode#INVALID_REQUEST}.
 *
 * <p>Bindings of windows and fast registrations do not come through here: whoever posts one needs to know when the new
 * key is the object's, which is when it was posted, and that is up to the owner. The owner posts them to the QP itself,
 * between two drains.
 */
public final class SharedSendQueue implements AutoCloseable {
    private static final String CREATE = "create shared send queue";
    private static final int MAX_CAPACITY = 1 << 20;
    private static final int BATCH = 64;
    /** The ring takes no message that is longer than this part of it. */
    private static final int LEAST_RECORDS = 8;
    /** No two records begin in the same 32 bytes. */
    private static final int HANDLE_SHIFT = 5;
    private static final long OPEN = -1;

    private final QueuePair qp;
    private final int maxSge;
    private final boolean datagram;
    private final ManyToOneRingBuffer ring;
    private final UnsafeBuffer records;
    /**
     * The address handles of datagrams, each at the place of its record: written before the record is committed, and
     * taken before its place is given back, so it is the ring that orders both sides.
     */
    private final AddressHandle[] handles;
    private final SendFailureHandler failures;
    private final MessageHandler stager = this::stage;
    private final SendBatch batch;

    private volatile boolean closed;
    /** Where the ring ended when it was closed: records from there on are no requests. */
    private volatile long end = OPEN;

    /**
     * Creates an empty queue.
     *
     * @param qp       the QP to post to; it is not owned.
     * @param capacity requests with the most elements that can wait at least, 1 to 1,048,576; smaller ones take less.
     * @param failures told of requests that could not be posted.
     * @throws RdmaException EINVAL if something is null or the capacity is out of range or needs over a gibibyte;
     *                       ENOMEM if there is not so much.
     */
    public SharedSendQueue(final QueuePair qp, final int capacity, final SendFailureHandler failures) {
        if (qp == null || failures == null || capacity < 1 || capacity > MAX_CAPACITY) {
            throw invalid("QP %s, capacity %d (1 to %d), failure handler %s", qp, capacity, MAX_CAPACITY, failures);
        }
        this.qp = qp;
        this.failures = failures;
        maxSge = qp.maxSendSge();
        datagram = qp.type() == QpType.UD;
        final int length = ringLength(capacity, maxSge);
        try {
            records = new UnsafeBuffer(BufferUtil.allocateDirectAligned(
                length + RingBufferDescriptor.TRAILER_LENGTH, BitUtil.CACHE_LINE_LENGTH));
            handles = new AddressHandle[datagram ? length >> HANDLE_SHIFT : 0];
        } catch (final OutOfMemoryError e) {
            throw RdmaException.of(CREATE).detail("%d requests need %d bytes: %s", capacity, length, e.getMessage())
                .errno(RdmaException.ENOMEM).hint("a smaller capacity, or more by -XX:MaxDirectMemorySize").build();
        }
        ring = new ManyToOneRingBuffer(records);
        batch = new SendBatch(Math.min(BATCH, qp.maxSendWr()), Math.max(1, maxSge));
    }

    /** One more than asked for, since a record does not wrap around: up to one is lost at the end of the ring. */
    private static int ringLength(final int capacity, final int maxSge) {
        final long record = BitUtil.align(
            SendRecord.maxLength(maxSge) + RecordDescriptor.HEADER_LENGTH, RecordDescriptor.ALIGNMENT);
        final long bytes = Math.max(LEAST_RECORDS, capacity + 1) * record;
        if (bytes > 1 << 30) {
            throw invalid("%d requests of %d bytes do not fit into a ring of %d", capacity, record, 1 << 30);
        }
        return BitUtil.findNextPositivePowerOfTwo((int) bytes);
    }

    private static RdmaException invalid(final String format, final Object... args) {
        return RdmaException.of(CREATE).detail(format, args).errno(RdmaException.EINVAL).build();
    }

    /**
     * Where the requests go.
     *
     * @return the QP.
     */
    public QueuePair qp() {
        return qp;
    }

    /**
     * Any thread: hands a request over. Nothing of it is looked at later, so it can be used again at once.
     *
     * @param request what to do.
     * @return {@link ReturnCode#OK} if it will be posted or reported; {@link ReturnCode#BACK_PRESSURED} if there is no
     *         room until the owner drains; {@link ReturnCode#CLOSED}; {@link ReturnCode#TOO_MANY_SGES};
     *         {@link ReturnCode#INVALID_REQUEST} for null, for a datagram without an address handle, and for
     *         {@link SendRequest#inline}, whose payload would have to be held until it is posted;
     *         {@link ReturnCode#UNSUPPORTED} for {@link SendOpcode#BIND_MW} and {@link SendOpcode#FAST_REG_MR}.
     */
    public int offer(final SendRequest request) {
        if (request == null || request.isInline()) {
            return ReturnCode.INVALID_REQUEST;
        }
        final SendOpcode opcode = request.opcode();
        if (opcode == SendOpcode.BIND_MW || opcode == SendOpcode.FAST_REG_MR) {
            return ReturnCode.UNSUPPORTED;
        }
        final int sges = request.sges().size();
        if (sges > maxSge) {
            return ReturnCode.TOO_MANY_SGES;
        }
        final AddressHandle handle = request.addressHandle();
        if (datagram && handle == null) {
            return ReturnCode.INVALID_REQUEST;
        }
        final int at = claim(SendRecord.REQUEST, SendRecord.length(opcode, sges));
        return at < 0 ? at : write(at, request, opcode, sges, handle);
    }

    private int write(
        final int at, final SendRequest request, final SendOpcode opcode, final int sges, final AddressHandle handle) {
        boolean written = false;
        try {
            SendRecord.write(records, at, request, opcode, sges);
            if (datagram) {
                handles[at >> HANDLE_SHIFT] = handle;
            }
            written = true;
        } finally {
            release(at, written);
        }
        return ReturnCode.OK;
    }

    /**
     * Any thread: hands over a signaled SEND with one element (RC only).
     *
     * @param wrId    comes back in the completion.
     * @param address first byte.
     * @param length  bytes, may be 0.
     * @param lkey    key of the region that holds them.
     * @return as {@link #offer(SendRequest)}; {@link ReturnCode#INVALID_REQUEST} also for a negative length and for a
     *         datagram QP.
     */
    public int offer(final long wrId, final long address, final int length, final int lkey) {
        if (length < 0 || datagram) {
            return ReturnCode.INVALID_REQUEST;
        }
        if (maxSge < 1) {
            return ReturnCode.TOO_MANY_SGES;
        }
        final int at = claim(SendRecord.SEND, SendRecord.SEND_LENGTH);
        if (at < 0) {
            return at;
        }
        boolean written = false;
        try {
            SendRecord.write(records, at, wrId, address, length, lkey);
            written = true;
        } finally {
            release(at, written);
        }
        return ReturnCode.OK;
    }

    private int claim(final int type, final int length) {
        if (closed) {
            return ReturnCode.CLOSED;
        }
        final int at = ring.tryClaim(type, length);
        if (at < 0) {
            return closed ? ReturnCode.CLOSED : ReturnCode.BACK_PRESSURED;
        }
        // Asked again after the claim: either it is refused here, or close() finds the claim below the end it notes.
        if (closed) {
            ring.abort(at);
            return ReturnCode.CLOSED;
        }
        return at;
    }

    /** A claim that nobody lets go of would stop the ring for ever. */
    private void release(final int at, final boolean written) {
        if (written) {
            ring.commit(at);
        } else {
            ring.abort(at);
        }
    }

    /**
     * Owner: posts what waits, oldest first, until nothing is left, the send queue is full or the limit is reached.
     * Requests that the QP refuses for another reason than that it is full are told to the failure handler.
     *
     * @param limit most requests to take, at least 1.
     * @return how many were posted or reported; 0 if none waits; {@link ReturnCode#QUEUE_FULL} if some wait and the
     *         send queue takes none of them; {@link ReturnCode#CLOSED} if this queue is closed and none is left, nor
     *         can come; {@link ReturnCode#INVALID_REQUEST} for a limit below 1, and from the failure handler.
     */
    public int drain(final int limit) {
        return empty(limit, true);
    }

    /**
     * Owner: closes the queue and tells the failure handler of what waits, with {@link ReturnCode#CLOSED}, instead of
     * posting it.
     *
     * @param limit most requests to take, at least 1.
     * @return how many were reported; 0 if none waits, but a thread is in the middle of an offer;
     *         {@link ReturnCode#CLOSED} if none is left, nor can come; {@link ReturnCode#INVALID_REQUEST} for a limit
     *         below 1, and from the failure handler.
     */
    public int abandon(final int limit) {
        close();
        return empty(limit, false);
    }

    private int empty(final int limit, final boolean post) {
        if (limit < 1 || !batch.enter()) {
            return ReturnCode.INVALID_REQUEST;
        }
        try {
            return take(limit, post);
        } finally {
            batch.leave();
        }
    }

    private int take(final int limit, final boolean post) {
        int taken = 0;
        while (taken < limit) {
            if (!fetch(limit - taken)) {
                return taken == 0 && isFinished() ? ReturnCode.CLOSED : taken;
            }
            final int count = post ? batch.post(qp, limit - taken) : ReturnCode.CLOSED;
            if (count == ReturnCode.QUEUE_FULL) {
                return taken == 0 ? count : taken;
            }
            if (count < 0) {
                report(count);
            }
            taken += Math.max(1, count);
        }
        return taken;
    }

    /** Forgotten before it is told, so that a handler that throws is not told again. */
    private void report(final int code) {
        final long wrId = batch.firstWrId();
        batch.remove(1);
        failures.onFailure(wrId, code);
    }

    /** Fills the batch up from the ring; whether there is something in it. */
    private boolean fetch(final int limit) {
        final int wanted = Math.min(batch.room(), limit - batch.size());
        if (wanted > 0) {
            read(wanted);
        }
        return batch.size() > 0;
    }

    /** A read that found padding only says nothing of what follows it. */
    private void read(final int count) {
        long before;
        do {
            before = ring.consumerPosition();
            ring.read(stager, count);
        } while (batch.size() == 0 && ring.consumerPosition() != before);
    }

    private void stage(final int type, final DirectBuffer buffer, final int at, final int length) {
        SendRecord.read(buffer, at, type, takeHandle(at), batch.add());
    }

    private AddressHandle takeHandle(final int at) {
        if (!datagram) {
            return null;
        }
        final AddressHandle handle = handles[at >> HANDLE_SHIFT];
        handles[at >> HANDLE_SHIFT] = null;
        return handle;
    }

    private boolean isFinished() {
        final long last = end;
        return last != OPEN && ring.consumerPosition() >= last && batch.size() == 0;
    }

    /**
     * Whether it was closed.
     *
     * @return true if offers are refused.
     */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Any thread: refuses offers from now on. What was taken before still waits: the owner goes on with {@link #drain}
     * or {@link #abandon} until they answer {@link ReturnCode#CLOSED}. The QP stays open. Harmless when called again.
     */
    @Override
    public synchronized void close() {
        closed = true;
        if (end == OPEN) {
            // After the flag: whoever claims behind this place sees the flag, and takes the claim back.
            end = ring.producerPosition();
        }
    }

    @Override
    public String toString() {
        return "shared send queue of " + qp + ": " + ring.size() + " of " + ring.capacity() + " bytes wait"
            + (closed ? ", closed" : "");
    }
}
