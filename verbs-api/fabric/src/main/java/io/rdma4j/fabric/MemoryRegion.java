/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.Set;

/**
 * Registered memory (fi_mr). Thread-safe.
 *
 * <p>States: pending (asynchronous registration), disabled (waits for {@link #enable()}, see {@link MrMode#RMA_EVENT}
 * and {@link MrMode#ENDPOINT}; or for {@link #refresh}, see {@link MrMode#MMU_NOTIFY}), enabled, failed (asynchronous
 * registration), closed.
 *
 * <p>Revocation: when {@link #close()} has returned no peer reaches the memory through this region any more, by
 * whatever key, nor does the device: neither an access that begins later, nor the rest of one that was under way. An
 * access of a peer fails at the peer, and leaves this side's endpoints as they are (checklist 46). The same holds for
 * {@link #refresh} with {@link MrMode#MMU_NOTIFY} while it runs, with an exception that is told there.
 */
public interface MemoryRegion extends AutoCloseable {
    /** What {@link #key()} returns when there is no key (FI_KEY_NOTAVAIL; checklist 35). */
    long KEY_NOTAVAIL = -1L;

    /**
     * The domain.
     *
     * @return the domain that it was registered in.
     */
    Domain domain();

    /**
     * Where this process sees the first byte.
     *
     * @return an address; of a region of several buffers, that of the first; of a dma-buf its base address plus offset
     *         or, without one, where the region has mapped it (0 while it is pending).
     */
    long address();

    /**
     * Size.
     *
     * @return bytes, of all buffers together.
     */
    long length();

    /**
     * What it may be used for.
     *
     * @return an unmodifiable set.
     */
    Set<MrAccess> access();

    /**
     * How peers name the first byte: what {@link MsgEndpoint#write} and the others take as remote address.
     *
     * @return {@link #address()} with {@link MrMode#VIRT_ADDR} (of a dma-buf its base address plus offset), else 0.
     */
    long base();

    /**
     * The key for peers (fi_mr_key; checklist 35).
     *
     * @return the key; {@link #KEY_NOTAVAIL} while it is pending or disabled, after it failed or was closed, without
     *         remote rights, and with {@link MrMode#RAW}.
     */
    long key();

    /**
     * How many bytes {@link #rawAttributes} needs (also: mr_key_size of the domain).
     *
     * @return bytes.
     */
    int rawKeySize();

    /**
     * The raw key, for {@link Domain#mapRaw} at the peer (fi_mr_raw_attr; checklist 36). Works in every mode
     * and for every region of one authorization key; by that of a region without remote rights accesses are FI_EACCES.
     *
     * @param rawKey room for {@link #rawKeySize()} bytes.
     * @return the base address that goes with it.
     * @throws FabricException FI_ETOOSMALL if there is less room, with the size that is needed; FI_EINVAL for null;
     *                         FI_EOPBADSTATE while there is no key; FI_ENOSYS for a region of several
     *                         authorization keys; FI_EBADFD if closed.
     */
    long rawAttributes(byte[] rawKey);

    /**
     * The context that was given with the attributes.
     *
     * @return may be null.
     */
    Object context();

    /**
     * Whether it can be used.
     *
     * @return true if it is enabled.
     */
    boolean isEnabled();

    /**
     * Has a counter count what peers write to it, also by atomics (fi_mr_bind, FI_REMOTE_WRITE; checklist 40). What
     * modifies nothing, such as a write without bytes or an addition of 0, is not counted.
     *
     * @param counter a counter of the same domain.
     * @throws FabricException FI_EINVAL for null; FI_EDOMAIN for another domain's; FI_ENOSYS where the device cannot;
     *                         FI_EOPBADSTATE once enabled, where {@link MrMode#RMA_EVENT} or {@link
     *                         MrMode#ENDPOINT} is set, or without {@link MrFlag#RMA_EVENT} where the first is;
     *                         FI_EBUSY if bound already; FI_EBADFD if closed.
     */
    void bind(Counter counter);

    /**
     * Associates it with an endpoint ({@link MrMode#ENDPOINT}; checklist 30, 41): only through it peers reach the
     * memory. When the endpoint is closed the region is disabled, and can be bound to another one.
     *
     * @param endpoint an endpoint of the same domain.
     * @throws FabricException FI_EINVAL for null, or in a domain without that mode; FI_EDOMAIN; FI_EBUSY if one is
     *                         bound; FI_EOPBADSTATE once enabled; FI_EBADFD if closed, or if the endpoint is.
     */
    void bind(Endpoint endpoint);

    /**
     * Ends the disabled state (fi_mr_enable; checklist 43).
     *
     * @throws FabricException FI_EOPBADSTATE if it is not disabled, or if something is still to be bound; FI_EBADFD.
     */
    void enable();

    /**
     * Tells that other pages may be behind all of it (fi_mr_refresh; checklist 45). Keys stay. With
     * {@link MrMode#MMU_NOTIFY} the region is disabled meanwhile, and if it fails until another refresh succeeds;
     * without, it stays enabled. Regions that were registered before their pages were there are enabled by this.
     *
     * <p>A region whose pages were missing when it was registered is enabled by the first refresh whose ranges are
     * there, on devices with {@link io.rdma4j.verbs.Feature#ON_DEMAND_PAGING}; on others all of it has to be.
     *
     * <p>After a failure with {@link MrMode#MMU_NOTIFY} the next refresh is one of all of it, whatever its ranges. If
     * peers have a key of the device ({@link MrMode#PROV_KEY}, or a raw key) and the region has several buffers, that
     * key is dead then on devices without {@link io.rdma4j.verbs.Feature#ON_DEMAND_PAGING}, as nothing else keeps them
     * out: ask for the key again after the refresh that succeeds.
     *
     * @throws FabricException FI_ENOSYS where the device cannot, as for a region with such a key on a device without
     *                         {@link io.rdma4j.verbs.Feature#REFRESH}: nothing has changed; FI_EFAULT if pages are
     *                         missing; FI_EBADFD.
     */
    void refresh();

    /**
     * Tells that other pages may be behind some ranges.
     *
     * @param ranges pairs of first address and length, of this process; none for all of it.
     * @throws FabricException as {@link #refresh()}; also FI_EINVAL for null, an odd number, or a range that is not
     *                         inside.
     */
    void refresh(long... ranges);

    /**
     * Makes durable what peers wrote to all of it, see {@link #flush(long, long)}.
     *
     * @throws FabricException as {@link #flush(long, long)}.
     */
    void flush();

    /**
     * Makes durable what peers wrote (FI_RMA_PMEM): when this returns, each write and atomic whose completion the peer
     * had seen before is in the file, as far as its file system keeps its word. Nobody does that by itself but
     * {@link #close()}: a peer that needs to know tells the owner of the memory, by a message or by data with its last
     * write; the owner flushes, and answers. May take as long as the disk does.
     *
     * @param address first byte, in this process.
     * @param length  bytes, above 0; inside of one buffer of the region.
     * @throws FabricException FI_EOPBADSTATE if it was registered without {@link MrFlag#RMA_PMEM}; FI_EINVAL for a
     *                         range that is not inside, or is in no file any more; FI_EIO if the file cannot be
     *                         written; FI_ENOMEM if it is not mapped any more; FI_EBADFD if closed.
     */
    void flush(long address, long length);

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Deregisters. Harmless when called again.
     *
     * @throws FabricException FI_EBUSY while an endpoint or counter is bound that is still open; the message names it;
     *                         the region stays usable. Others if the device fails, or if persistent memory cannot be
     *                         flushed any more: it is closed then.
     */
    @Override
    void close();
}
