/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import io.rdma4j.verbs.PinnedMemory;

import java.util.Set;

/**
 * A domain: what of one device works together - regions, endpoints, completion queues, counters (fi_domain). Control
 * path; thread-safe. Closing it is refused while something of it is open.
 */
public interface Domain extends AutoCloseable {
    /**
     * What was negotiated.
     *
     * @return the info that it was opened with; its mr_mode says what the application has to do.
     */
    FabricInfo info();

    /**
     * Memory that the device can certainly reach, to be registered or not. The registration caches of all authorization
     * keys know it by its addresses.
     *
     * @param length bytes, above 0; rounded up to whole pages.
     * @return zeroed memory; the caller owns it.
     * @throws FabricException FI_EINVAL, FI_ENOMEM, FI_EBADFD.
     */
    PinnedMemory allocate(long length);

    /**
     * Registers one buffer (fi_mr_reg; checklist 1).
     *
     * @param address      first byte.
     * @param length       bytes, above 0.
     * @param access       what it may be used for; at least one.
     * @param requestedKey the key that peers shall use; ignored with {@link MrMode#PROV_KEY} and for regions without
     *                     remote rights.
     * @return the region; the caller owns it. Still pending in a domain that registers asynchronously.
     * @throws FabricException as {@link #register(MrAttributes)}.
     */
    MemoryRegion register(long address, long length, Set<MrAccess> access, long requestedKey);

    /**
     * Registers memory (fi_mr_reg, fi_mr_regv, fi_mr_regattr; checklist 1-21).
     *
     * <p>Several buffers become one region with one key and one range of addresses without a gap, wherever they begin
     * and end. Without {@link MrMode#ALLOCATED} pages may be missing or change, on devices that look for them at each
     * transfer; those of a dma-buf are pinned, and must be there. A dma-buf is mapped for that, on all devices: one
     * that its exporter does not map, as memory of most GPUs, can be registered only below this interface, by {@link
     * io.rdma4j.verbs.MrOptions#dmaBuf}, on devices with {@link io.rdma4j.verbs.Feature#DMA_BUFS}.
     *
     * <p>A key belongs to one region of the domain at a time. -1 is no key, and those whose upper 16 bits are 0xfffe
     * are {@linkplain #mapRaw mapped} ones.
     *
     * <p>In a domain that registers asynchronously arguments are checked at once, and refused without an event. What
     * fails later is an error event; then there is nothing to close.
     *
     * @param attributes what to register; read now, and not kept.
     * @return the region; the caller owns it. Still pending in a domain that registers asynchronously: then
     *         {@link EventEntry#region()} of its event is this very object.
     * @throws FabricException FI_EINVAL for memory, rights or attributes that make no sense, and for a dma-buf that
     *                         its exporter does not map; FI_ENOKEY for a key in use; FI_EKEYREJECTED for one out of
     *                         range; FI_EBADFLAGS for flags that the domain does not support; FI_ENOSYS for an
     *                         interface that is not here, and for several authorization keys together with PROV_KEY
     *                         or RAW; FI_ENODEV for a device of an interface; FI_EFAULT for memory that the device
     *                         cannot reach; FI_EACCES for a dma-buf that must not be read or written;
     *                         EBADF (9) for a descriptor that is not open; FI_EDOMAIN for an address vector of another
     *                         domain; FI_EOPNOTSUPP for a region for one peer without {@link
     *                         Capability#DIRECTED_RECV}, and for a dma-buf without /proc; FI_ENOMEM, FI_ENOMR or
     *                         FI_EMFILE if a limit is reached; FI_EBADFD if closed.
     */
    MemoryRegion register(MrAttributes attributes);

    /**
     * Maps a raw key of a peer's region (fi_mr_map_raw; checklist 37).
     *
     * @param base   what the peer's {@link MemoryRegion#rawAttributes} told as base address.
     * @param rawKey the raw key; copied.
     * @return a key for data transfers of this domain's endpoints; to be given to {@link #unmapKey}.
     * @throws FabricException FI_EINVAL for a key of the wrong length or content, FI_ENOMEM if too many are mapped,
     *                         FI_EBADFD.
     */
    long mapRaw(long base, byte[] rawKey);

    /**
     * Releases a mapped key (fi_mr_unmap_key; checklist 38).
     *
     * @param key of {@link #mapRaw}.
     * @throws FabricException FI_EINVAL if it is not mapped, FI_EBADFD.
     */
    void unmapKey(long key);

    /**
     * Makes registration asynchronous: each registration from now on is reported by one event (FI_REG_MR; checklist
     * 48), also one whose region is closed before its turn came: that event says FI_ECANCELED. For ever: the domain
     * lets go of the queue when it is closed, and the events stay in there.
     *
     * @param queue an event queue of the same fabric.
     * @throws FabricException FI_EINVAL for null or a queue of another fabric, FI_EBUSY if one is bound, FI_EBADFD.
     */
    void bind(EventQueue queue);

    /**
     * Opens a connected endpoint, with its queues bound, ready to be connected.
     *
     * @param options its queues, sizes and rights.
     * @return the endpoint; the caller owns it.
     * @throws FabricException FI_ENOCQ without a completion queue, FI_EDOMAIN for a queue, a counter or a shared
     *                         receive context of another domain, also of the same device; FI_EINVAL (also in a domain
     *                         of addressed endpoints), FI_EOPNOTSUPP for a shared receive context where messages do not
     *                         go in pieces, FI_ENOMEM, FI_EBADFD.
     */
    MsgEndpoint openEndpoint(EndpointOptions options);

    /**
     * Opens an endpoint that addresses its peers through an address vector, with its queues bound, ready to use. Its
     * kind is what was negotiated: DGRAM or RDM.
     *
     * @param options its vector, queues, sizes and rights.
     * @return the endpoint; the caller owns it.
     * @throws FabricException FI_ENOAV without a vector, FI_ENOCQ without a completion queue, FI_EDOMAIN for a vector,
     *                         a queue, a counter or a shared receive context of another domain, also of the same
     *                         device; FI_EADDRINUSE for a service that another endpoint has, FI_EINVAL (also in a
     *                         domain of connected endpoints), FI_EOPNOTSUPP for a shared receive context with DGRAM,
     *                         FI_ENOMEM, FI_EBADFD.
     */
    AddressedEndpoint openAddressedEndpoint(EndpointOptions options);

    /**
     * Opens receives for several endpoints (fi_srx_context), where messages go in pieces: reliable datagrams, and
     * connected endpoints with {@link Capability#TAGGED} or {@link Capability#MULTI_RECV}.
     *
     * @param options its queue, vector and size.
     * @return the context; the caller owns it.
     * @throws FabricException FI_EOPNOTSUPP for endpoints of other kinds ({@link DomainAttributes#maxEpSrxCtx} is 0),
     *                         and with {@link MrMode#ENDPOINT}; FI_ENOCQ without a completion queue, FI_ENOAV without a
     *                         vector for reliable datagrams, FI_EDOMAIN for a queue or a vector of another domain,
     *                         also of the same device; FI_EINVAL, FI_EBADFD.
     */
    SharedReceiveContext openSharedReceiveContext(SharedReceiveOptions options);

    /**
     * Opens an address vector (fi_av_open).
     *
     * @param attributes read now, and not kept.
     * @return the vector; the caller owns it.
     * @throws FabricException FI_EINVAL for attributes that make no sense; FI_ENOENT for a shared one that is to be
     *                         read and is not there; FI_EACCES for one of another user; FI_EOPNOTSUPP for one of
     *                         another layout version; FI_EIO for one that is damaged; FI_EAGAIN for one that others
     *                         are changing for five seconds; FI_ENOMEM; FI_EBADFD.
     */
    AddressVector openAddressVector(AvAttributes attributes);

    /**
     * Opens a completion queue.
     *
     * @param attributes read now, and not kept.
     * @return the queue; the caller owns it.
     * @throws FabricException FI_EINVAL, FI_ENOSYS for a format or wait object that is not offered, FI_ENOMEM,
     *                         FI_EBADFD.
     */
    CompletionQueue openCompletionQueue(CqAttributes attributes);

    /**
     * Opens a completion queue.
     *
     * @param size least number of entries, above 0.
     * @return the queue; the caller owns it.
     * @throws FabricException FI_EINVAL, FI_ENOMEM, FI_EBADFD.
     */
    CompletionQueue openCompletionQueue(int size);

    /**
     * Opens a counter.
     *
     * @return the counter, at 0; the caller owns it.
     * @throws FabricException FI_ENOMEM, FI_EBADFD.
     */
    Counter openCounter();

    /**
     * Opens a counter.
     *
     * @param waitObject how threads wait for it.
     * @return the counter, at 0; the caller owns it.
     * @throws FabricException FI_EINVAL for null, FI_ENOSYS for what is not offered, FI_ENOMEM, FI_EBADFD.
     */
    Counter openCounter(WaitObject waitObject);

    /**
     * The cache that hides {@link MrMode#LOCAL}, also for the application's own use.
     *
     * @return the cache of this domain's default authorization key; null in a domain with {@link MrMode#ENDPOINT},
     *         whose endpoints have their own.
     */
    RegistrationCache cache();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it and its cache. Harmless when called again.
     *
     * @throws FabricException FI_EBUSY while regions, endpoints, queues, counters or mapped keys are open; the message
     *                         says which and how many. Others if the device refuses to end something: it is closed
     *                         then.
     */
    @Override
    void close();
}
