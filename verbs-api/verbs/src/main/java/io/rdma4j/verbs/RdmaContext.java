/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * An open RDMA device. Owned by who opened it; closing it closes everything that was made from it. Thread-safe.
 */
public interface RdmaContext extends AutoCloseable {
    /**
     * The address that this device was opened by.
     *
     * @return a device address.
     */
    String address();

    /**
     * Limits and identity of the device. The limits are those that hold in fact, also where the device claims more.
     *
     * @return the attributes, read when the device was opened.
     */
    DeviceAttributes attributes();

    /**
     * Whether a feature works on this device.
     *
     * @param feature the feature.
     * @return true if it does.
     * @throws io.rdma4j.RdmaException EINVAL for null.
     */
    default boolean supports(final Feature feature) {
        return whyNot(feature) == null;
    }

    /**
     * Why a feature does not work on this device.
     *
     * @param feature the feature.
     * @return one sentence; null if the feature works.
     * @throws io.rdma4j.RdmaException EINVAL for null.
     */
    String whyNot(Feature feature);

    /**
     * What is peculiar about this device, and what the driver does about it.
     *
     * @return named peculiarities, possibly none.
     */
    List<Peculiarity> peculiarities();

    /**
     * Asks the device for the state of a port.
     *
     * @param port port number, from 1.
     * @return its attributes now.
     * @throws io.rdma4j.RdmaException EINVAL if there is no such port.
     */
    PortAttributes queryPort(int port);

    /**
     * Reads the GID table of a port.
     *
     * @param port  port number, from 1.
     * @param index from 0, below {@link PortAttributes#gidTableLength()}.
     * @return the GID; {@link Gid#ZERO} if the index is unbound.
     * @throws io.rdma4j.RdmaException EINVAL if there is no such port or index.
     */
    Gid queryGid(int port, int index);

    /**
     * Reads the types in the GID table of a port.
     *
     * @param port  port number, from 1.
     * @param index from 0, below {@link PortAttributes#gidTableLength()}.
     * @return the type of the GID there; where the index is unbound, that which a GID would have.
     * @throws io.rdma4j.RdmaException EINVAL if there is no such port or index.
     */
    GidType queryGidType(int port, int index);

    /**
     * Why no message would arrive at a GID, as far as is known here; connecting, and making an address handle, fail
     * with EHOSTUNREACH then. Real devices learn by silence, so nothing is known of their networks. Emulated devices
     * reach those of their process and, unless {@code wire=none} or quirks keep them to it, others by their wire.
     *
     * @param gid of a peer's port.
     * @return one sentence if nobody has it now; null if it may be reached.
     * @throws io.rdma4j.RdmaException EINVAL for null, EBADFD if the context is closed.
     */
    String whyUnreachable(Gid gid);

    /**
     * Whether requests for a GID leave this process: then several are under way at once, also of a device that carries
     * out its own one after the other ({@link Feature#REQUESTS_IN_TURN}).
     *
     * @param gid of a peer's port.
     * @return false if it is known that they do not.
     * @throws io.rdma4j.RdmaException EINVAL for null, EBADFD if the context is closed.
     */
    boolean isByWire(Gid gid);

    /**
     * Asks the device for a partition key.
     *
     * @param port  port number, from 1.
     * @param index from 0, below {@link PortAttributes#pkeyTableLength()}.
     * @return the key, 16 bits.
     * @throws io.rdma4j.RdmaException EINVAL if there is no such port or index.
     */
    int queryPkey(int port, int index);

    /**
     * Binds a GID to a table index; a former one at that index is unbound first. Opening binds index 0 already.
     *
     * @param index from 0, below {@link PortAttributes#gidTableLength()}.
     * @param gid   the GID, not zero.
     * @throws io.rdma4j.RdmaException EINVAL for a zero GID or an index out of range, EBUSY where the device needs the
     *                                 former GID for a QP or address handle, the device's own error number if it
     *                                 refuses.
     */
    void bindGid(int index, Gid gid);

    /**
     * Unbinds a GID table index. Harmless if it is unbound.
     *
     * @param index from 0, below {@link PortAttributes#gidTableLength()}.
     * @throws io.rdma4j.RdmaException EINVAL for an index out of range, EBUSY where the device needs the GID for a QP
     *                                 or address handle, the device's own error number if it refuses.
     */
    void unbindGid(int index);

    /**
     * Allocates a protection domain.
     *
     * @return a new one; the caller owns it.
     * @throws io.rdma4j.RdmaException ENOMEM if the device has no more.
     */
    ProtectionDomain allocatePd();

    /**
     * Creates a completion queue that is polled, or waited for with {@link CompletionQueue#awaitEvent}.
     *
     * @param cqe least number of entries, from 1 to {@link DeviceAttributes#maxCqe()}.
     * @return a new one; the caller owns it.
     * @throws io.rdma4j.RdmaException EINVAL if cqe is out of range, ENOMEM if the device has no more.
     */
    CompletionQueue createCq(int cqe);

    /**
     * Creates a completion queue that has its events in a channel.
     *
     * @param cqe     least number of entries, from 1 to {@link DeviceAttributes#maxCqe()}.
     * @param channel a channel of this device.
     * @return a new one; the caller owns it.
     * @throws io.rdma4j.RdmaException EINVAL if cqe is out of range or the channel is null or of another device, EBADFD
     *                                 if the channel is closed, ENOMEM if the device has no more.
     */
    CompletionQueue createCq(int cqe, CompletionChannel channel);

    /**
     * Creates a channel, to wait for completions of several queues at once.
     *
     * @return a new one, without queues; the caller owns it.
     */
    CompletionChannel createChannel();

    /**
     * Allocates page-aligned, zeroed memory that this device can certainly reach. Still to be registered.
     *
     * @param length bytes, above 0; rounded up to whole pages.
     * @return new memory; the caller owns it.
     * @throws io.rdma4j.RdmaException EINVAL if length is out of range, ENOMEM if memory is exhausted.
     */
    PinnedMemory allocate(long length);

    /**
     * Whether memory that does not come from {@link #allocate} can be registered on this device.
     *
     * @return true if any memory of this process can be.
     */
    boolean reachesAnyMemory();

    /**
     * Takes the next asynchronous event. The caller acknowledges it, see {@link AsyncEvent}.
     *
     * <p>The driver fetches events from the device when somebody asks for them here, waits for them or listens, with
     * most control calls, and while a thread waits for completions; it keeps some thousand until they are taken. An
     * application that does nothing of that for long can lose some: it is then told so by
     * {@link AsyncEventType#EVENTS_LOST}. {@link #listen} fetches each at once.
     *
     * <p>Events that name an object that is not there are dropped and counted, see {@link #counters()}.
     *
     * @return the event, or null if there is none.
     */
    AsyncEvent pollAsyncEvent();

    /**
     * Waits for the next asynchronous event and takes it, as {@link #pollAsyncEvent()} does. The last event of a device
     * that fails is {@link AsyncEventType#DEVICE_FATAL}; once that was taken this returns at once.
     *
     * @param timeout longest wait.
     * @return the event, or null if none came in time, the thread was interrupted, the context was closed, or the
     *         device failed and all its events were taken.
     */
    AsyncEvent awaitAsyncEvent(Duration timeout);

    /**
     * Has a thread of its own wait for asynchronous events, tell a listener of each in order, and acknowledge it
     * afterwards. The thread is a daemon, named after the device. One listener at a time; who asks with
     * {@link #pollAsyncEvent()} or {@link #awaitAsyncEvent} meanwhile shares the events with it: each goes to one.
     *
     * <p>A listener that takes long, or never returns, delays nothing but the events behind the one at hand and the
     * closing of the object that this one names: traffic, commands and {@link #close()} go on. Closing the context
     * does not wait for the listener.
     *
     * @param listener told of each event.
     * @return to end it.
     * @throws io.rdma4j.RdmaException EINVAL for null, EBUSY if there is a listener, EBADFD if the context is closed or
     *                                 the device failed and all its events were taken.
     */
    AsyncEventSubscription listen(AsyncEventListener listener);

    /**
     * Whether the device failed: from then on only closing is possible.
     *
     * @return true if it failed.
     */
    boolean isFailed();

    /**
     * Why the device failed.
     *
     * @return one sentence, or null if it did not.
     */
    String failure();

    /**
     * Bytes of memory that the device can reach now, for leak checks: the driver's own rings and tables, what
     * {@link #allocate} gave out and what is registered.
     *
     * @return bytes.
     */
    long reachableBytes();

    /**
     * What the driver counted since the device was opened: commands, events, and every surprise.
     *
     * @return counts by what they are called, in a fixed order; a copy.
     */
    Map<String, Long> counters();

    /**
     * Registers, rings, tables and counters as text, for people and failure reports. Never throws.
     *
     * @return several lines.
     */
    String dump();

    /**
     * Whether {@link #close()} was called.
     *
     * @return true if so.
     */
    boolean isClosed();

    /** Closes everything made from this context, in reverse order, then the device. Harmless when called again. */
    @Override
    void close();
}
