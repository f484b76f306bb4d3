/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * What communicates (fid_ep): a {@link MsgEndpoint}, or an {@link AddressedEndpoint}. What is here all kinds have: the
 * msg forms, which are the data path, with the rules of the kind.
 */
public interface Endpoint extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that it was opened from.
     */
    Domain domain();

    /**
     * Its kind.
     *
     * @return the domain's.
     */
    EndpointType type();

    /**
     * Its address (fi_getname): what peers insert into their vectors.
     *
     * @return in the domain's format. Of a connected endpoint in the device's own: who it is, not where to connect to.
     */
    FabricAddress address();

    /**
     * The cache that registers what comes without a descriptor.
     *
     * @return the domain's, or this endpoint's own where it has another authorization key or {@link MrMode#ENDPOINT}.
     */
    RegistrationCache cache();

    /**
     * Sends several buffers as one message (fi_sendmsg, fi_sendv).
     *
     * @param message what to send; nothing of it is kept.
     * @param flags   of {@link OpFlags}.
     * @return 0 or a negated errno; -FI_EINVAL for null and for more buffers than iov_limit; -FI_EBADFLAGS.
     */
    int sendMessage(Message message, long flags);

    /**
     * Receives a message into several buffers (fi_recvmsg, fi_recvv). Receives of all kinds are -FI_EOPNOTSUPP where
     * the endpoint was opened with {@link EndpointOptions#sharedReceiveContext}: they are posted there.
     *
     * <p>With {@link OpFlags#MULTI_RECV} it receives message after message into one buffer, each behind the one before,
     * and each with a completion that has {@link CompletionEntry#buffer()}, until less than {@link
     * EndpointOptions#leastMultiReceive} bytes are left: the last one has {@link CompletionEntry#isBufferReleased()},
     * or one without a message has, where the message that was to be the last one broke off. As many messages as
     * {@link EndpointOptions#sizes} has receives can wait to be read; more wait with their senders.
     *
     * @param message where to; nothing of it is kept.
     * @param flags   {@link OpFlags#COMPLETION}, {@link OpFlags#MULTI_RECV}, or 0.
     * @return 0 or a negated errno; as above; with MULTI_RECV -FI_EINVAL for anything but one buffer with that room,
     *         and -FI_EOPNOTSUPP if {@link Capability#MULTI_RECV} was not negotiated.
     */
    int receiveMessage(Message message, long flags);

    /**
     * Reads memory of the peer into several buffers (fi_readmsg, fi_readv).
     *
     * @param message where to, and where from; nothing of it is kept.
     * @param flags   of {@link OpFlags}.
     * @return 0 or a negated errno; as above.
     */
    int readMessage(Message message, long flags);

    /**
     * Writes several buffers to memory of the peer (fi_writemsg, fi_writev).
     *
     * @param message where from, and where to; nothing of it is kept.
     * @param flags   of {@link OpFlags}.
     * @return 0 or a negated errno; as above.
     */
    int writeMessage(Message message, long flags);

    /**
     * Does an atomic with numbers of the peer (fi_atomicmsg, fi_fetch_atomicmsg, fi_compare_atomicmsg). What the device
     * has no request for is done by compare-and-swap, so that the peer's processor has no part in it, and all atomics
     * are atomic to each other, number by number; until it is done, other operations on the peer's memory are
     * -FI_EAGAIN, so that nothing overtakes it. {@link MsgEndpoint#fetchAdd} and the like are the fast way.
     *
     * @param request what to do; nothing of it is kept.
     * @param flags   {@link OpFlags#COMPLETION}, {@link OpFlags#FENCE}, {@link OpFlags#TRIGGER}, {@link
     *                OpFlags#INJECT}, which it is anyway, or 0.
     * @return 0 or a negated errno: -FI_EINVAL for null, no numbers, a missing operand or result, and an address that
     *         is no multiple of the type's size; -FI_EMSGSIZE for more numbers than {@link #atomicAttributes} says;
     *         -FI_EOPNOTSUPP for an operation that this type has not; -FI_EFAULT for operands that are not there;
     *         -FI_EBADFLAGS; else as the endpoint's own operations. A failure of a later number is one of the
     *         operation: what came before it was done. FI_EBUSY is that of a number that others change all the time.
     */
    int atomic(AtomicRequest request, long flags);

    /**
     * Whether and how it does atomics (fi_atomicvalid, fi_query_atomic).
     *
     * @param op   what is to be done.
     * @param type with which numbers.
     * @return with a count of 0 if not.
     * @throws FabricException FI_EINVAL for null.
     */
    AtomicAttributes atomicAttributes(AtomicOp op, AtomicType type);

    /**
     * Its tagged messages (fi_tagged).
     *
     * @return the same object each time.
     * @throws FabricException FI_EOPNOTSUPP if {@link Capability#TAGGED} was not negotiated.
     */
    TaggedMessages tagged();

    /**
     * Takes a receive back that no message has come for (fi_cancel): it completes with FI_ECANCELED.
     *
     * @param context of the receive; of several with the same one the oldest, tagged ones last.
     * @return 0; -FI_ENOENT if there is none (any more); -FI_ENOSYS where receives are in the hands of the device
     *         (DGRAM, and MSG without tags); -FI_EOPNOTSUPP where they are a {@link SharedReceiveContext}'s.
     */
    int cancel(long context);

    /**
     * Changes an option (fi_setopt). For the thread that uses the endpoint.
     *
     * @param option {@link EndpointOption#MIN_MULTI_RECV}.
     * @param value  as the option says.
     * @throws FabricException FI_ENOPROTOOPT for all others, for those that only can be read, and for those that this
     *                         endpoint has not; FI_EINVAL for null and for a value out of range; FI_EBADFD.
     */
    void setopt(EndpointOption option, long value);

    /**
     * Tells an option (fi_getopt).
     *
     * @param option which one.
     * @return its value.
     * @throws FabricException FI_ENOPROTOOPT for those that this endpoint has not; FI_EINVAL for null; FI_EBADFD.
     */
    long getopt(EndpointOption option);

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it: operations that are over are still reported by the next reads of its queues; operations under way are
     * reported as FI_ECANCELED, though the peer may just have carried them out. Regions that were bound to it are bound
     * no more, and disabled. Harmless when called again.
     */
    @Override
    void close();
}
