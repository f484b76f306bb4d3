/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * One of several places where an RDM endpoint receives, with a completion queue of its own (fi_rx_context). Peers name
 * it by {@link FiAddr#rxAddr}. Used by the thread that uses the endpoint. A {@link SharedReceiveContext} is that of
 * several endpoints.
 */
public interface ReceiveContext {
    /**
     * Which one it is.
     *
     * @return its index; 0 of a shared one.
     */
    int index();

    /**
     * Where its receives complete; of a {@link SharedReceiveContext} those that no endpoint has got.
     *
     * @return its queue.
     */
    CompletionQueue completionQueue();

    /**
     * Receives a message that was sent to this context; see
     * {@link AddressedEndpoint#receive(long, int, MemoryRegion, long, long)}.
     *
     * @param address first byte.
     * @param length  bytes.
     * @param desc    covers the memory, with {@link MrAccess#RECV}; or null.
     * @param source  from this peer only; {@link FiAddr#UNSPEC} for all.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    int receive(long address, int length, MemoryRegion desc, long source, long context);

    /**
     * Receives a message into several buffers, or messages into one; see {@link Endpoint#receiveMessage}.
     *
     * @param message where to; nothing of it is kept.
     * @param flags   {@link OpFlags#COMPLETION}, {@link OpFlags#MULTI_RECV}, or 0.
     * @return 0 or a negated errno.
     */
    int receiveMessage(Message message, long flags);

    /**
     * Receives a tagged message that was sent to this context; see {@link TaggedMessages#receive}.
     *
     * @param address first byte.
     * @param length  bytes.
     * @param desc    covers the memory, with {@link MrAccess#RECV}; or null.
     * @param source  from this peer only; {@link FiAddr#UNSPEC} for all.
     * @param tag     64 bits.
     * @param ignore  bits of the tag that may differ.
     * @param context comes back with the completion.
     * @return 0 or a negated errno; -FI_EOPNOTSUPP if {@link Capability#TAGGED} was not negotiated.
     */
    int receiveTagged(
        long address, int length, MemoryRegion desc, long source, long tag, long ignore, long context);

    /**
     * Receives a tagged message, or looks for one; see {@link TaggedMessages#receiveMessage}.
     *
     * @param message where to; nothing of it is kept.
     * @param flags   of {@link OpFlags}.
     * @return 0 or a negated errno; as above.
     */
    int receiveTagged(Message message, long flags);
}
