/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import org.agrona.DirectBuffer;

/**
 * Messages with a tag of 64 bits (fi_tagged), of an endpoint whose domain has {@link Capability#TAGGED}; see {@link
 * Endpoint#tagged()}. They are the data path, with the rules of the endpoint's other messages, and apart from those: a
 * tagged message goes to a tagged receive only.
 *
 * <p>A message fits a receive if {@code (messageTag & ~ignore) == (receiveTag & ~ignore)}, and if it is from the
 * receive's source. It goes to the receive that was posted first of those that it fits; a receive takes the message
 * that came first. Messages from one peer come in the order in which they were sent. How many receives are posted makes
 * no difference, but for those that ignore bits: these are looked at one after the other.
 *
 * <p>A message that no receive fits waits at the receiver, in its slots of the window ({@link EndpointOptions#window}),
 * together with the peer's untagged ones. When the window of a peer is used up, nothing more comes from this peer, and
 * its sends are -FI_EAGAIN, until one of those that wait is received or discarded: a receiver that waits for the last
 * of many messages needs a window for all of them, or receives for those that come before it.
 *
 * <p>-FI_EOPNOTSUPP: the peer takes no tagged messages.
 */
public interface TaggedMessages {
    /**
     * Sends a message (fi_tsend).
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param desc    covers the memory, with {@link MrAccess#SEND}; or null.
     * @param dest    the peer, or one of its receive contexts.
     * @param tag     64 bits.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int send(long address, int length, MemoryRegion desc, long dest, long tag, long context);

    /**
     * Sends a message with 32 bits of data beside it (fi_tsenddata).
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param desc    covers the memory, with {@link MrAccess#SEND}; or null.
     * @param data    what the receiver gets with its completion.
     * @param dest    the peer, or one of its receive contexts.
     * @param tag     64 bits.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int sendWithData(long address, int length, MemoryRegion desc, int data, long dest, long tag, long context);

    /**
     * Sends a short message that is taken before the call returns, without a completion (fi_tinject). Should it fail
     * later on that is told as an error completion with context 0.
     *
     * @param buffer on the heap or not.
     * @param offset first byte.
     * @param length bytes, at most {@link TransmitAttributes#injectSize()}.
     * @param dest   the peer, or one of its receive contexts.
     * @param tag    64 bits.
     * @return 0 or a negated errno; -FI_EMSGSIZE if longer.
     */
    int inject(DirectBuffer buffer, int offset, int length, long dest, long tag);

    /**
     * As {@link #inject}, with data (fi_tinjectdata).
     *
     * @param buffer on the heap or not.
     * @param offset first byte.
     * @param length bytes, at most {@link TransmitAttributes#injectSize()}.
     * @param data   what the receiver gets with its completion.
     * @param dest   the peer, or one of its receive contexts.
     * @param tag    64 bits.
     * @return 0 or a negated errno.
     */
    int injectWithData(DirectBuffer buffer, int offset, int length, int data, long dest, long tag);

    /**
     * Sends several buffers as one message (fi_tsendmsg, fi_tsendv).
     *
     * @param message what to send, with {@link Message#tag}; nothing of it is kept.
     * @param flags   of {@link OpFlags}, as for {@link Endpoint#sendMessage}.
     * @return 0 or a negated errno.
     */
    int sendMessage(Message message, long flags);

    /**
     * Receives a message (fi_trecv).
     *
     * @param address first byte.
     * @param length  bytes.
     * @param desc    covers the memory, with {@link MrAccess#RECV}; or null.
     * @param source  from this peer only, with {@link Capability#DIRECTED_RECV}; {@link FiAddr#UNSPEC} for all.
     * @param tag     64 bits.
     * @param ignore  bits of the tag that may differ.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int receive(long address, int length, MemoryRegion desc, long source, long tag, long ignore, long context);

    /**
     * Receives a message into several buffers, or looks for one (fi_trecvmsg, fi_trecvv).
     *
     * <p>With {@link OpFlags#PEEK} nothing is received, and buffers are not looked at: if a message that fits waits,
     * the completion tells its length, tag, data and source; if none does, it is the error FI_ENOMSG. With {@link
     * OpFlags#CLAIM} beside it the message is kept for a receive with CLAIM alone and the same {@link Message#context},
     * and for no other; with {@link OpFlags#DISCARD} it is gone. CLAIM with DISCARD drops a message that was claimed. A
     * claim of which nothing is known is the error FI_ENOMSG.
     *
     * @param message where to, with {@link Message#tag}, {@link Message#ignore} and {@link Message#peer}; nothing of it
     *                is kept.
     * @param flags   of {@link OpFlags}.
     * @return 0 or a negated errno; -FI_EBADFLAGS also for DISCARD alone, and for all three of these.
     */
    int receiveMessage(Message message, long flags);
}
