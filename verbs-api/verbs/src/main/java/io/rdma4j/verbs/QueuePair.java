/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import org.agrona.DirectBuffer;

/**
 * A queue pair. Posting to the send queue is for one thread at a time, posting to the receive queue for one thread at a
 * time (they may be two), and polling each of its CQs for one thread at a time. Everything else is thread-safe.
 *
 * <p>With the system property {@code rdma4j.checks=true} two threads that are at the same time in one send queue, one
 * receive queue or the poll of one CQ are found out: the second one gets an {@link IllegalStateException} that names
 * the object and both threads. Without it nothing is checked, and such a queue is broken.
 */
public interface QueuePair extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that the QP was created in.
     */
    ProtectionDomain pd();

    /**
     * Transport.
     *
     * @return RC or UD.
     */
    QpType type();

    /**
     * Number that peers name this QP by.
     *
     * @return 24 bits.
     */
    int qpNumber();

    /**
     * State as far as the driver knows: what was last asked for, or ERR after a completion showed it.
     *
     * @return the state.
     */
    QpState state();

    /**
     * What a peer needs to know, with a packet sequence number drawn at random when the QP was made. The GID is the one
     * that the QP sends from: the first one until its {@link QpAttributes#ah()} name another, and again after RESET.
     *
     * @return the address, to be printed or sent to the peer.
     * @throws io.rdma4j.RdmaException EBADFD if the context is closed, whose GID table it reads; a QP that is closed
     *                                 itself goes on to tell.
     */
    QpAddress localAddress();

    /**
     * The completion queue of sends.
     *
     * @return a CQ.
     */
    CompletionQueue sendCq();

    /**
     * The completion queue of receives.
     *
     * @return a CQ.
     */
    CompletionQueue receiveCq();

    /**
     * The shared receive queue.
     *
     * @return a SRQ, or null for none.
     */
    SharedReceiveQueue srq();

    /**
     * Size of the send queue.
     *
     * @return work requests; a power of two, at least what was asked for.
     */
    int maxSendWr();

    /**
     * Size of the receive queue.
     *
     * @return work requests; a power of two; 0 with a SRQ.
     */
    int maxReceiveWr();

    /**
     * Elements that a send may have.
     *
     * @return scatter/gather elements.
     */
    int maxSendSge();

    /**
     * Elements that a receive may have.
     *
     * @return scatter/gather elements; 0 with a SRQ.
     */
    int maxReceiveSge();

    /**
     * Longest payload that {@link SendRequest#inline} may have.
     *
     * @return bytes; a power of two, at least what was asked for with {@link QpOptions#maxInline(int)}; 0 if nothing
     *         was.
     */
    int maxInline();

    /**
     * What the first request was about that completed with an error other than WR_FLUSH_ERR: operation, wr_id, of a
     * send length, remote address and rkey, of a receive the room if the message was too long, and the status. The log
     * of distinct errors has it too ({@code rdma4j errors --pid}).
     *
     * @return one sentence; null if no such completion was polled since the QP left RESET. A closed QP keeps it.
     */
    String failure();

    /**
     * Changes state and attributes. The attributes that the transition requires and those it allows are checked before
     * the device sees them, by the table of the InfiniBand specification (QP state transitions).
     *
     * <p>Going to RESET drops all work requests and completions of this QP. As with ibv_modify_qp, nothing may be
     * posted to it meanwhile, and no poller may just be handling one of its completions; completions of other QPs in
     * the same CQ may be polled all the time. Leaving RESET again is refused while completions from before take so much
     * room in a CQ that a full load could overflow it: poll the CQ first, which hands none of them over. While another
     * thread polls that CQ, leaving RESET may have to wait for its handler, which must not modify this QP meanwhile;
     * with {@code ibv:} it must neither query nor close it.
     *
     * @param attributes what to change; the state is needed, also if it stays: {@link QpAttributes#to}.
     * @throws io.rdma4j.RdmaException EINVAL naming the attributes that are missing, not allowed or out of range;
     *                                 EOPNOTSUPP to leave RESET again without {@link Feature#QP_RESET}; EBUSY if
     *                                 completions from before RESET must be polled first, or are being polled by
     *                                 another thread whose handler does not return, or while another thread waits for
     *                                 that; EBADFD if the QP is closed or the device failed; if the device refuses,
     *                                 its own error number or EIO, and EHOSTUNREACH where it finds no way to the peer.
     */
    void modify(QpAttributes attributes);

    /**
     * Reads the attributes: from the device where it answers (see {@link Feature#QP_QUERY_ALL}), the rest as last set.
     *
     * @return a new set of attributes with everything that is known.
     * @throws io.rdma4j.RdmaException EBADFD if the QP is closed.
     */
    QpAttributes query();

    /**
     * Posts a work request to the send queue.
     *
     * @param request what to do; copied, so it can be used again at once.
     * @return {@link ReturnCode#OK} or a negative code; then nothing was posted.
     */
    int postSend(SendRequest request);

    /**
     * Posts several work requests with one doorbell.
     *
     * @param requests work requests; copied.
     * @param count    how many of them, from the first.
     * @return the number posted, which is smaller than count if the queue filled up or a request was refused; a
     *         negative code if the first could not be posted.
     */
    int postSend(SendRequest[] requests, int count);

    /**
     * Posts a signaled SEND with one element, the short way (RC only).
     *
     * @param wrId    comes back in the completion.
     * @param address first byte.
     * @param length  bytes, may be 0.
     * @param lkey    key of the region that holds them.
     * @return {@link ReturnCode#OK} or a negative code.
     */
    int postSend(long wrId, long address, int length, int lkey);

    /**
     * Posts a signaled SEND of a small payload, which is copied: the source can be used for something else at once, and
     * need not be registered (RC only; for datagrams see {@link SendRequest#inline}).
     *
     * @param wrId   comes back in the completion.
     * @param source what holds the payload; may be on the heap.
     * @param offset first byte.
     * @param length bytes, 0 to {@link #maxInline()}.
     * @return {@link ReturnCode#OK} or a negative code; then nothing was posted: {@link ReturnCode#INVALID_REQUEST} if
     *         the QP was created without {@link QpOptions#maxInline(int)}, there is no source, the length is negative
     *         or too large, or the range is not inside of the source.
     */
    int postSendInline(long wrId, DirectBuffer source, int offset, int length);

    /**
     * Encodes send work requests once, to be posted many times.
     *
     * @param requests work requests; copied.
     * @return a template of them, for the thread that posts.
     * @throws io.rdma4j.RdmaException EINVAL if there is none, one is null, there are more than the send queue holds,
     *                                 or one could never be posted, with its number and the reason; EBADFD if the QP is
     *                                 closed.
     */
    SendTemplate prepare(SendRequest... requests);

    /**
     * Binds a window of type 1 to a part of a region: the verb, which posts a signaled work request to the send queue
     * (RC only). Peers can use the window's new key when that has completed, with {@link WcOpcode#BIND_MW}; what it was
     * bound to before cannot be reached through it any more. If the device objects, the completion has {@link
     * WcStatus#MW_BIND_ERR}, and the QP is in error. Windows of type 2 are bound by {@link SendRequest#bind}.
     *
     * <p>Flags of ibv_bind_mw are not offered: each binding is signaled, and none waits at a fence.
     *
     * @param wrId   comes back in the completion.
     * @param window a window of type 1 of this QP's domain; its {@link MemoryWindow#rkey()} is the new one if this
     *               returns OK.
     * @param region a region of the same domain with {@link AccessFlag#MW_BIND}; not used for length 0, and may be null
     *               then.
     * @param iova   first byte that peers may use, by the region's {@link MemoryRegion#iova()}.
     * @param length bytes; 0 ends the binding.
     * @param access what peers may do, remote rights only; writes and atomics need local write of the region.
     * @return {@link ReturnCode#OK} or a negative code; then nothing was posted: {@link ReturnCode#INVALID_REQUEST}
     *         also for null or closed objects, a window of type 2, a region without the right to bind, a range outside
     *         of it, and rights that it or a window cannot have; {@link ReturnCode#FOREIGN_OBJECT} for objects of
     *         another domain; {@link ReturnCode#UNSUPPORTED} on devices without windows.
     */
    int bindWindow(
        long wrId, MemoryWindow window, MemoryRegion region, long iova, long length, AccessFlag... access);

    /**
     * Posts a work request to the receive queue.
     *
     * @param request where to put the next message; copied.
     * @return {@link ReturnCode#OK} or a negative code; then nothing was posted.
     */
    int postReceive(ReceiveRequest request);

    /**
     * Posts several receives with one doorbell.
     *
     * @param requests work requests; copied.
     * @param count    how many of them, from the first.
     * @return the number posted, or a negative code if the first could not be posted.
     */
    int postReceive(ReceiveRequest[] requests, int count);

    /**
     * Posts a receive with one element, the short way.
     *
     * @param wrId    comes back in the completion.
     * @param address first byte.
     * @param length  bytes.
     * @param lkey    key of the region that holds them; it must allow local write.
     * @return {@link ReturnCode#OK} or a negative code.
     */
    int postReceive(long wrId, long address, int length, int lkey);

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Destroys the QP. Work requests that have not completed are dropped without a completion, and completions of this
     * QP that were not polled yet are removed from its CQs. Harmless when called again.
     *
     * @throws io.rdma4j.RdmaException EBUSY while events of it are not acknowledged, see {@link AsyncEvent}.
     */
    @Override
    void close();
}
