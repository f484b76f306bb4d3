/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import org.agrona.DirectBuffer;

/**
 * A connected endpoint (FI_EP_MSG). Two of them, of this or of different processes, are connected by exchanging their
 * {@link #name() names}; both sides call {@link #connect}.
 *
 * <p>The operations below are the data path: they neither block nor allocate, and return 0 or a negated errno of {@link
 * FiErrno}: -FI_EAGAIN if no room is left, or, with all else in order, a key of the peer is just being looked up (read
 * the completion queue, then try again); -FI_ENOTCONN if it is not connected, or failed; -FI_EINVAL for arguments that
 * make no sense and for a descriptor that cannot be used now, or does not cover the memory; -FI_EDOMAIN for one of
 * another domain; -FI_EACCES for one without the rights; -FI_EOPNOTSUPP for what was not negotiated, or the device, or
 * the peer's, does not have; -FI_EBADFD if closed; what the registration cache says if it cannot register. Then nothing
 * was started. What was accepted completes in the endpoint's completion queue: sends in order, receives in order, RMA
 * and atomics in order. One thread at a time uses an endpoint; the queues that it is bound to are read by the same
 * thread.
 *
 * <p>Local memory is named by its address in this process. {@code desc} is the region that covers it, or null where
 * {@link MrMode#LOCAL} is not set: then the provider's cache registers it, as it does for a region of this domain that
 * has another authorization key than the endpoint. What is copied before the call returns, with {@link OpFlags#INJECT}
 * and as operand of an atomic, needs no descriptor in any mode, as the device does not touch it. A descriptor that is
 * there has to be valid, also for 0 bytes, which may be anywhere then. Applications for versions below 1.22 may pass
 * any descriptor where that bit is not set: it is not looked at. A buffer must stay as it is until its operation
 * completed.
 *
 * <p>What the peer refuses is an error of that one operation, and of nothing else: FI_EKEYREJECTED for a key that the
 * peer does not have, or no more because the region was closed, or that was not mapped where {@link MrMode#RAW} is set;
 * FI_EACCES for a region that is disabled or lacks the right; FI_EINVAL for a range that is not inside. It is the same
 * number whosever the keys are; only if the peer's table of keys cannot be read, FI_EACCES stands for all of them. RMA
 * without bytes reaches no memory: neither key nor range is looked at. RMA behind a refused one is carried out.
 *
 * <p>An operation that fails at its own local memory (FI_EFAULT), because its region was closed for example, takes
 * nothing along either: what is behind it is carried out in order and once, RMA and messages, and receives stay posted.
 * Only behind a read or an atomic, on a device without {@link io.rdma4j.verbs.Feature#REQUESTS_IN_TURN} or to a peer
 * that is reached by a wire, RMA is given up with FI_ECANCELED: the peer may have carried it out, or not. A device
 * without {@link io.rdma4j.verbs.Feature#QP_RESET} and {@link io.rdma4j.verbs.Feature#QP_QUERY_ALL} can't do that: the
 * first failure is the last. A peer that does not answer, a message that is longer than its receive, and a receive
 * whose memory is gone end the connection.
 *
 * <p>In a domain with {@link Capability#TAGGED} messages go in pieces, through the window of {@link
 * EndpointOptions#window}, as those of reliable datagrams: see {@link #tagged()}. The first send is -FI_EAGAIN until
 * the peer has read its queue; a message that is longer than its receive is FI_ETRUNC there, and ends nothing; a
 * send whose memory is gone ends the connection; receives can be taken back.
 *
 * <p>Messages are ordered among each other, RMA and atomics are ordered among each other; between the two there is no
 * order (docs/adr/0018).
 */
public interface MsgEndpoint extends Endpoint {
    /** Most bytes that connecting, accepting and refusing can tell the other side (cm_data_size). */
    int MAX_PRIVATE_DATA = 256;

    /**
     * The address of this endpoint, for its peer.
     *
     * @return bytes with a version, to be handed over as they are; a new array.
     */
    byte[] name();

    /**
     * Connects with a peer; the peer does the same, in any order. Control path.
     *
     * @param peerName the peer's {@link #name()}.
     * @throws FabricException FI_EINVAL for bytes that are no name; FI_EISCONN; FI_ECONNREFUSED for another
     *                         authorization key, or a name that was altered with the checksum made to fit, and where
     *                         one side alone has {@link Capability#TAGGED} or {@link Capability#MULTI_RECV};
     *                         FI_EHOSTUNREACH if nobody has the peer's GID, as far as the device knows
     *                         ({@code RdmaContext.whyUnreachable}); FI_EBADFD if closed, or if connecting failed
     *                         before on the device: open another endpoint.
     */
    void connect(byte[] peerName);

    /**
     * Asks a {@link PassiveEndpoint} for a connection (fi_connect). Does not wait for the answer; what becomes of it is
     * an event in {@link EndpointOptions#eventQueue}: {@link FabricEvent#CONNECTED}, with what {@link #accept} told, or
     * an error of that kind: FI_ECONNREFUSED, with what {@link ConnectionRequest#reject} told, or FI_ETIMEDOUT. Control
     * path; requests and answers are datagrams of the device, sent again while that queue is read. The address of a
     * socket is resolved first: the caller waits for the name service of its node, up to
     * {@code rdma4j.resolve.timeout.ms}, 5 s by default, and a failure is thrown. A device's own address needs none.
     *
     * @param address     of the passive endpoint, in the domain's format or the device's own.
     * @param privateData told to the other side; null for nothing; at most {@link #MAX_PRIVATE_DATA} bytes.
     * @throws FabricException FI_ENOEQ without an event queue; FI_EINVAL for an address or data that make no sense;
     *                         FI_EISCONN, FI_EALREADY; FI_EOPBADSTATE if its connection is over, or if it was opened
     *                         with a request; FI_EHOSTUNREACH if nobody has the GID; FI_EBADFD if closed. Of the
     *                         address of a socket: FI_ENODATA if its node has no such endpoint, FI_ECONNREFUSED if it
     *                         has no name service, FI_EHOSTUNREACH if it cannot be reached, FI_ETIMEDOUT if it does not
     *                         answer, FI_EPROTO if it answers nonsense, FI_EINTR if this thread is interrupted.
     */
    void connect(FabricAddress address, byte[] privateData);

    /**
     * Accepts the request that the endpoint was opened with (fi_accept): {@link FabricEvent#CONNECTED} comes on both
     * sides.
     *
     * @param privateData told to the other side; null for nothing; at most {@link #MAX_PRIVATE_DATA} bytes.
     * @throws FabricException FI_EOPBADSTATE if it was opened without a request; FI_EALREADY if the request was
     *                         answered before; FI_ETIMEDOUT if it is void; FI_ECONNREFUSED as {@link
     *                         #connect(byte[])}, which the asker is told, too; FI_ENOEQ without an event queue;
     *                         FI_EINVAL; FI_EBADFD.
     */
    void accept(byte[] privateData);

    /**
     * Ends the connection (fi_shutdown): operations under way are reported as FI_ECANCELED, and the peer gets
     * {@link FabricEvent#SHUTDOWN} if it has an event queue. For connections that were made by {@link #accept}.
     *
     * @throws FabricException FI_ENOTCONN if it is not connected so; FI_EBADFD if closed.
     */
    void shutdown();

    /**
     * The address of the peer (fi_getpeer).
     *
     * @return the peer's own {@link #address()}: who it is, not where to connect to; also when the connection is over.
     * @throws FabricException FI_ENOTCONN if it was not connected yet; FI_EBADFD if closed.
     */
    FabricAddress peerAddress();

    /**
     * Whether it is connected and has not failed.
     *
     * @return true if so.
     */
    boolean isConnected();

    /**
     * Sends a message.
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param desc    covers the memory, with {@link MrAccess#SEND}; or null.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int send(long address, int length, MemoryRegion desc, long context);

    /**
     * Sends a message with data for the peer's completion.
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param desc    covers the memory, with {@link MrAccess#SEND}; or null.
     * @param data    32 bits.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int sendWithData(long address, int length, MemoryRegion desc, int data, long context);

    /**
     * Receives a message.
     *
     * @param address first byte.
     * @param length  bytes; a longer message is an error.
     * @param desc    covers the memory, with {@link MrAccess#RECV}; or null.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int receive(long address, int length, MemoryRegion desc, long context);

    /**
     * Reads memory of the peer.
     *
     * @param address       where to store it.
     * @param length        bytes.
     * @param desc          covers the memory, with {@link MrAccess#READ}; or null.
     * @param remoteAddress first byte, counted from the peer's {@link MemoryRegion#base()} on.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return 0 or a negated errno.
     */
    int read(long address, int length, MemoryRegion desc, long remoteAddress, long key, long context);

    /**
     * Writes memory of the peer.
     *
     * @param address       first byte here.
     * @param length        bytes.
     * @param desc          covers the memory, with {@link MrAccess#WRITE}; or null.
     * @param remoteAddress first byte there.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return 0 or a negated errno.
     */
    int write(long address, int length, MemoryRegion desc, long remoteAddress, long key, long context);

    /**
     * Writes memory of the peer, with data for a completion there (FI_REMOTE_CQ_DATA). Uses none of the peer's
     * receives.
     *
     * @param address       first byte here.
     * @param length        bytes.
     * @param desc          covers the memory, with {@link MrAccess#WRITE}; or null.
     * @param data          32 bits.
     * @param remoteAddress first byte there.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return 0 or a negated errno.
     */
    int writeWithData(
        long address, int length, MemoryRegion desc, int data, long remoteAddress, long key, long context);

    /**
     * Adds to 64 bits of the peer, and fetches what was there (FI_SUM, FI_UINT64).
     *
     * @param result        where 8 bytes are stored; a multiple of 8.
     * @param desc          covers the result, with {@link MrAccess#READ}; or null.
     * @param add           what to add.
     * @param remoteAddress a multiple of 8 in the peer's memory.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return 0 or a negated errno.
     */
    int fetchAdd(long result, MemoryRegion desc, long add, long remoteAddress, long key, long context);

    /**
     * Compares 64 bits of the peer, swaps them if they are equal, and fetches what was there (FI_CSWAP, FI_UINT64).
     *
     * @param result        where 8 bytes are stored; a multiple of 8.
     * @param desc          covers the result, with {@link MrAccess#READ}; or null.
     * @param compare       what is expected.
     * @param swap          what to store then.
     * @param remoteAddress a multiple of 8 in the peer's memory.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return 0 or a negated errno.
     */
    int compareSwap(
        long result, MemoryRegion desc, long compare, long swap, long remoteAddress, long key, long context);

    /**
     * Sends a message from a buffer, without a descriptor. Where the buffer is over a direct {@link
     * java.nio.ByteBuffer} the cache knows by that whether it has seen this memory before: the fast way without
     * descriptors for memory that no monitor of the cache watches.
     *
     * @param buffer  not on the heap.
     * @param offset  first byte.
     * @param length  bytes, 0 or more.
     * @param context comes back with the completion.
     * @return 0 or a negated errno; -FI_EINVAL also for null, a buffer on the heap, or a range that is not inside.
     */
    int send(DirectBuffer buffer, int offset, int length, long context);

    /**
     * Receives a message into a buffer, without a descriptor.
     *
     * @param buffer  not on the heap.
     * @param offset  first byte.
     * @param length  bytes; a longer message is an error.
     * @param context comes back with the completion.
     * @return as {@link #send(DirectBuffer, int, int, long)}; -FI_EFAULT also for a buffer that is read-only.
     */
    int receive(DirectBuffer buffer, int offset, int length, long context);

    /**
     * Reads memory of the peer into a buffer, without a descriptor.
     *
     * @param buffer        not on the heap.
     * @param offset        where to store it.
     * @param length        bytes.
     * @param remoteAddress first byte there.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return as {@link #receive(DirectBuffer, int, int, long)}.
     */
    int read(DirectBuffer buffer, int offset, int length, long remoteAddress, long key, long context);

    /**
     * Writes memory of the peer from a buffer, without a descriptor.
     *
     * @param buffer        not on the heap.
     * @param offset        first byte here.
     * @param length        bytes.
     * @param remoteAddress first byte there.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return as {@link #send(DirectBuffer, int, int, long)}.
     */
    int write(DirectBuffer buffer, int offset, int length, long remoteAddress, long key, long context);

    /**
     * Sends a short message that is taken before the call returns, without a completion (fi_inject). Should it fail
     * later on that is told as an error completion with context 0.
     *
     * @param buffer on the heap or not.
     * @param offset first byte.
     * @param length bytes, at most {@link TransmitAttributes#injectSize()}.
     * @return 0 or a negated errno; -FI_EMSGSIZE if longer.
     */
    int inject(DirectBuffer buffer, int offset, int length);

    /**
     * As {@link #inject}, with data (fi_injectdata).
     *
     * @param buffer on the heap or not.
     * @param offset first byte.
     * @param length bytes, at most {@link TransmitAttributes#injectSize()}.
     * @param data   what the receiver gets with its completion.
     * @return 0 or a negated errno.
     */
    int injectWithData(DirectBuffer buffer, int offset, int length, int data);
}
