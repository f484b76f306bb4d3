/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import org.agrona.DirectBuffer;

/**
 * An endpoint that addresses its peers through an {@link AddressVector}: datagrams (FI_EP_DGRAM), or reliable ones
 * (FI_EP_RDM). Opened with {@link Domain#openAddressedEndpoint}, ready to use.
 *
 * <p>The operations are the data path, with the rules of {@link MsgEndpoint}: they neither block nor allocate, and
 * return 0 or a negated errno. In addition: -FI_EINVAL for an address that is not in the vector; -FI_EAGAIN also while
 * the peer takes nothing (flow control). What was accepted completes in the endpoint's queues: operations with one peer
 * in order, those with several peers in any order. One thread at a time uses an endpoint and reads its queues.
 *
 * <p>DGRAM: a message is at most as long as the path's MTU ({@link EndpointAttributes#maxMessageSize}); it may be lost
 * when the peer has no receive posted or is gone: nobody tells. But where the device knows that nobody has the peer's
 * GID ({@code RdmaContext.whyUnreachable}), sending is -FI_EHOSTUNREACH; that is asked when a way to the GID is made,
 * not for each datagram on it. A message that is longer than its receive is an FI_ETRUNC error there. RMA and atomics:
 * -FI_EOPNOTSUPP.
 *
 * <p>RDM: the first operation with a peer makes a connection, while the queues are read (manual progress). Until it
 * stands one message waits for it in the endpoint, further operations get -FI_EAGAIN. A peer that cannot be reached in
 * time, or whose GID nobody has, fails that operation with FI_EHOSTUNREACH, one that refuses with FI_ECONNREFUSED; the
 * next operation tries again. A connection that breaks fails what was under way on it with FI_ECONNRESET (the peer may
 * have received it), and the next operation makes a new one; where the peer's address is that of a socket, with whoever
 * is found there by then. Messages to one peer arrive in order, once. A message that is longer than its receive is an
 * FI_ETRUNC error at the receiver, and complete for the sender. Messages for which no receive is posted wait at the
 * receiver, up to the window of {@link EndpointOptions#window}; then senders get -FI_EAGAIN.
 */
public interface AddressedEndpoint extends Endpoint {
    /**
     * The vector that gives names to its peers.
     *
     * @return as it was opened with; several endpoints may share it.
     */
    AddressVector addressVector();

    /**
     * Sends a message.
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param desc    covers the memory, with {@link MrAccess#SEND}; or null.
     * @param dest    the peer, or one of its receive contexts ({@link FiAddr#rxAddr}).
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int send(long address, int length, MemoryRegion desc, long dest, long context);

    /**
     * Sends a message with 32 bits of data beside it, which come with the completion of the receiver.
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param desc    covers the memory, with {@link MrAccess#SEND}; or null.
     * @param data    what the receiver gets with its completion.
     * @param dest    the peer.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int sendWithData(long address, int length, MemoryRegion desc, int data, long dest, long context);

    /**
     * Sends a message from a buffer, without a descriptor; see {@link MsgEndpoint#send(DirectBuffer, int, int, long)}.
     *
     * @param buffer  not on the heap.
     * @param offset  first byte.
     * @param length  bytes, 0 or more.
     * @param dest    the peer.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int send(DirectBuffer buffer, int offset, int length, long dest, long context);

    /**
     * Sends a short message that is taken before the call returns, without a completion (fi_inject). Should it fail
     * later on that is told as an error completion with context 0.
     *
     * @param buffer on the heap or not.
     * @param offset first byte.
     * @param length bytes, at most {@link TransmitAttributes#injectSize()}.
     * @param dest   the peer.
     * @return 0 or a negated errno; -FI_EMSGSIZE if longer.
     */
    int inject(DirectBuffer buffer, int offset, int length, long dest);

    /**
     * As {@link #inject}, with data (fi_injectdata).
     *
     * @param buffer on the heap or not.
     * @param offset first byte.
     * @param length bytes, at most {@link TransmitAttributes#injectSize()}.
     * @param data   what the receiver gets with its completion.
     * @param dest   the peer.
     * @return 0 or a negated errno.
     */
    int injectWithData(DirectBuffer buffer, int offset, int length, int data, long dest);

    /**
     * Receives a message.
     *
     * @param address first byte.
     * @param length  bytes.
     * @param desc    covers the memory, with {@link MrAccess#RECV}; or null.
     * @param source  from this peer only, with {@link Capability#DIRECTED_RECV}; {@link FiAddr#UNSPEC} for all.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int receive(long address, int length, MemoryRegion desc, long source, long context);

    /**
     * Receives a message into a buffer, without a descriptor.
     *
     * @param buffer  not on the heap.
     * @param offset  first byte.
     * @param length  bytes.
     * @param source  as above.
     * @param context comes back with the completion.
     * @return 0 or a negated errno; -FI_EFAULT also for a buffer that is read-only.
     */
    int receive(DirectBuffer buffer, int offset, int length, long source, long context);

    /**
     * Reads memory of a peer.
     *
     * @param address       where to store it.
     * @param length        bytes.
     * @param desc          covers the memory, with {@link MrAccess#READ}; or null.
     * @param dest          the peer.
     * @param remoteAddress first byte, counted from the peer's {@link MemoryRegion#base()} on.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return 0 or a negated errno.
     */
    int read(long address, int length, MemoryRegion desc, long dest, long remoteAddress, long key, long context);

    /**
     * Writes memory of a peer.
     *
     * @param address       first byte here.
     * @param length        bytes.
     * @param desc          covers the memory, with {@link MrAccess#WRITE}; or null.
     * @param dest          the peer.
     * @param remoteAddress first byte there.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return 0 or a negated errno.
     */
    int write(long address, int length, MemoryRegion desc, long dest, long remoteAddress, long key, long context);

    /**
     * Writes memory of a peer, with data for a completion there. Uses none of the peer's receives.
     *
     * @param address       first byte here.
     * @param length        bytes.
     * @param desc          covers the memory, with {@link MrAccess#WRITE}; or null.
     * @param data          32 bits.
     * @param dest          the peer.
     * @param remoteAddress first byte there.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return 0 or a negated errno.
     */
    int writeWithData(
        long address, int length, MemoryRegion desc, int data, long dest, long remoteAddress, long key, long context);

    /**
     * Adds to 64 bits of a peer, and fetches what was there.
     *
     * @param result        where 8 bytes are stored; a multiple of 8.
     * @param desc          covers the result, with {@link MrAccess#READ}; or null.
     * @param add           what to add.
     * @param dest          the peer.
     * @param remoteAddress a multiple of 8 in the peer's memory.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return 0 or a negated errno.
     */
    int fetchAdd(long result, MemoryRegion desc, long add, long dest, long remoteAddress, long key, long context);

    /**
     * Compares 64 bits of a peer, swaps them if they are equal, and fetches what was there.
     *
     * @param result        where 8 bytes are stored; a multiple of 8.
     * @param desc          covers the result, with {@link MrAccess#READ}; or null.
     * @param compare       what is expected.
     * @param swap          what to store then.
     * @param dest          the peer.
     * @param remoteAddress a multiple of 8 in the peer's memory.
     * @param key           the peer's key, or a mapped one.
     * @param context       comes back with the completion.
     * @return 0 or a negated errno.
     */
    int compareSwap(
        long result, MemoryRegion desc, long compare, long swap, long dest, long remoteAddress, long key,
        long context);

    /**
     * One of its receive contexts (fi_rx_context; RDM only).
     *
     * @param index 0 or more; 0 is what {@link #receive} of this endpoint uses.
     * @return the context; it lives as long as the endpoint.
     * @throws FabricException FI_EINVAL for an index beyond {@link EndpointOptions#receiveContexts}.
     */
    ReceiveContext receiveContext(int index);
}
