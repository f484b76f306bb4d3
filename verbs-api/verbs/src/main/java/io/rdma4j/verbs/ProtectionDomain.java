/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.nio.ByteBuffer;

import org.agrona.DirectBuffer;

/**
 * A protection domain: regions, QPs, shared receive queues and address handles work together only within one.
 * Thread-safe.
 */
public interface ProtectionDomain extends AutoCloseable {
    /**
     * The device.
     *
     * @return the context that this domain was allocated from.
     */
    RdmaContext context();

    /**
     * Registers memory by address (checklist 93-95). The caller keeps it mapped until the region is closed; with
     * {@link AccessFlag#ON_DEMAND} only as far as transfers touch it. A device goes on with the pages that were there
     * now, also if the caller takes them away. The emulated one does so with shared mappings; of private memory that
     * was unmapped, replaced, emptied or protected it fails the transfers, with {@link WcStatus#LOC_PROT_ERR} or
     * {@link WcStatus#REM_ACCESS_ERR}, and it reaches what is mapped there later only during a copy that was under way.
     * Where userfaultfd is forbidden, and in memory of malloc, it reaches that at once. Private memory without an owner
     * costs the emulated device a system call for each copy.
     *
     * @param address first byte, any alignment.
     * @param length  bytes, from 1 to {@link DeviceAttributes#maxMrSize()}; the last page may be used in part.
     * @param access  what the region allows besides local read.
     * @return the region; the caller owns it.
     * @throws io.rdma4j.RdmaException EINVAL for an empty, negative, wrapping or too long range or for rights that
     *                                 contradict each other; EFAULT for memory that is not mapped, not writable where
     *                                 it must be, or out of the device's reach; EOPNOTSUPP for {@code ON_DEMAND} where
     *                                 the device has no {@link Feature#ON_DEMAND_PAGING}; ENOMEM if the device or IOVA
     *                                 space is exhausted; EBADFD if this domain is closed.
     */
    default MemoryRegion register(final long address, final long length, final AccessFlag... access) {
        return register(address, length, null, access);
    }

    /**
     * Registers a direct buffer from its position to its limit, and keeps it from being collected.
     *
     * @param buffer a direct buffer with something remaining.
     * @param access what the region allows besides local read.
     * @return the region; the caller owns it.
     * @throws io.rdma4j.RdmaException as {@link #register(long, long, AccessFlag...)}; also EINVAL for a heap buffer.
     */
    default MemoryRegion register(final ByteBuffer buffer, final AccessFlag... access) {
        return register(new MrOptions().buffer(buffer).access(access));
    }

    /**
     * Registers an Agrona buffer over direct memory from 0 to its capacity, and keeps it from being collected.
     *
     * @param buffer a buffer that is not over a byte array.
     * @param access what the region allows besides local read.
     * @return the region; the caller owns it.
     * @throws io.rdma4j.RdmaException as {@link #register(long, long, AccessFlag...)}; also EINVAL for a heap buffer.
     */
    default MemoryRegion register(final DirectBuffer buffer, final AccessFlag... access) {
        return register(new MrOptions().buffer(buffer).access(access));
    }

    /**
     * Registers all of a piece of memory that was allocated from this device.
     *
     * @param memory memory of the same context.
     * @param access what the region allows besides local read.
     * @return the region; the caller owns it.
     * @throws io.rdma4j.RdmaException as {@link #register(long, long, AccessFlag...)}; also EINVAL for memory of
     *                                 another context, EBADFD for closed memory.
     */
    default MemoryRegion register(final PinnedMemory memory, final AccessFlag... access) {
        return register(new MrOptions().memory(memory).access(access));
    }

    /**
     * Registers memory by address and keeps its owner from being collected: the way for buffer types that this
     * interface does not name.
     *
     * @param address first byte.
     * @param length  bytes.
     * @param owner   what keeps the memory mapped; held until the region is closed. Only a direct buffer that the JVM
     *                frees, and a {@link io.rdma4j.verbs.spi.RegionOwner}, are relied on; with another owner, as with
     *                none, the memory may go at any time.
     * @param access  what the region allows besides local read.
     * @return the region; the caller owns it.
     * @throws io.rdma4j.RdmaException as {@link #register(long, long, AccessFlag...)}.
     */
    default MemoryRegion register(
        final long address, final long length, final Object owner, final AccessFlag... access) {
        return register(new MrOptions().memory(address, length, owner).access(access));
    }

    /**
     * Registers memory in any of the ways that {@link MrOptions} describes: a range of this process' addresses, or
     * pages in an order of one's own, named by work requests as they lie in memory, by other addresses, or from 0.
     *
     * @param options what to register; read now, and not kept.
     * @return the region; the caller owns it.
     * @throws io.rdma4j.RdmaException as {@link #register(long, long, AccessFlag...)}; also EINVAL if no memory is
     *                                 named, if the pages are too few or too many for offset and length, if the IOVA
     *                                 has another place in its page than the first byte, or if another domain is named;
     *                                 EOPNOTSUPP for an IOVA of choice, a zero-based region, a list of pages, a dma-buf
     *                                 or all memory where the device has none ({@link Feature#IOVA_OF_CHOICE},
     *                                 {@link Feature#ZERO_BASED}, {@link Feature#PAGE_LISTS}, {@link Feature#DMA_BUFS},
     *                                 {@link Feature#ALL_MEMORY}).
     */
    MemoryRegion register(MrOptions options);

    /**
     * Registers the memory of a region once more (register shared): the new region has the same bytes and so the same
     * length, while its IOVA, its domain, which is this one, and its rights are its own. It shares page directory and
     * mapping with the other one. Both are equal afterwards and may be closed in any order; the last one gives the
     * memory back.
     *
     * @param existing an open region of the same context, in whatever domain and made in whatever way.
     * @param iova     address by which work requests name the first byte, whose place in the page stays the same:
     *                 {@link MemoryRegion#address()} is always possible.
     * @param access   what the new region allows besides local read; with {@link AccessFlag#ON_DEMAND} if the existing
     *                 one has it, and not otherwise.
     * @return the region; the caller owns it.
     * @throws io.rdma4j.RdmaException EINVAL for null, a region of another context, an IOVA that wraps around or has
     *                                 another place in its page, or rights that contradict each other; EFAULT for
     *                                 rights that the memory does not have, and for memory that this process has
     *                                 unmapped, also where the device still holds it; EOPNOTSUPP for an IOVA of choice
     *                                 where the device has none; ENOMEM if the device has no more regions; EBADFD if
     *                                 the region or this domain is closed.
     */
    MemoryRegion registerShared(MemoryRegion existing, long iova, AccessFlag... access);

    /**
     * Creates a QP in state RESET.
     *
     * @param options its type, queues and sizes.
     * @return the QP; the caller owns it.
     * @throws io.rdma4j.RdmaException EINVAL for sizes beyond the device's limits, for queues of another context or a
     *                                 SRQ of another domain, for a CQ smaller than what can complete into it; ENOMEM if
     *                                 the device has no more; EOPNOTSUPP for a type it does not have; EBUSY if another
     *                                 thread polls the CQ in a batch that has its last room, and its handler does not
     *                                 return.
     */
    QueuePair createQp(QpOptions options);

    /**
     * Creates a shared receive queue.
     *
     * @param maxWr  least number of work requests, at least 1.
     * @param maxSge scatter/gather elements that each may have, at least 1.
     * @return the queue; the caller owns it.
     * @throws io.rdma4j.RdmaException EINVAL for sizes beyond the device's limits, ENOMEM if the device has no more,
     *                                 EOPNOTSUPP if it has none at all.
     */
    SharedReceiveQueue createSrq(int maxWr, int maxSge);

    /**
     * Creates an address handle: the way to a peer for datagrams.
     *
     * @param attributes where to, and from which GID.
     * @return the handle; the caller owns it.
     * @throws io.rdma4j.RdmaException EINVAL for a multicast or zero destination, an unbound source index, a port that
     *                                 is not there, or a number out of its range; EHOSTUNREACH if it is known that
     *                                 nobody has the destination ({@link RdmaContext#whyUnreachable}); ENOMEM beyond
     *                                 {@link DeviceAttributes#maxAh()}.
     */
    AddressHandle createAh(AhAttributes attributes);

    /**
     * Allocates a memory window, not bound to anything.
     *
     * @param type how it will be bound.
     * @return the window; the caller owns it.
     * @throws io.rdma4j.RdmaException EOPNOTSUPP on devices without ({@link WindowType#feature()}); ENOMEM beyond
     *                                 {@link DeviceAttributes#maxMw()}; EINVAL for null; EBADFD if this domain is
     *                                 closed.
     */
    MemoryWindow allocateWindow(WindowType type);

    /**
     * Allocates a region that work requests register: no pages, no rights, not valid yet.
     *
     * @param maxPages pages of 4 KiB that one registration may have, at least 1.
     * @return the region; the caller owns it.
     * @throws io.rdma4j.RdmaException EOPNOTSUPP on devices without ({@link Feature#FAST_REGISTRATION}); EINVAL for a
     *                                 size beyond the device's limit; ENOMEM if the device has no more regions; EBADFD
     *                                 if this domain is closed.
     */
    FastRegion allocateFastRegion(int maxPages);

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes QPs, shared receive queues, address handles, windows and the regions that are here, then the domain.
     * Idempotent.
     *
     * @throws io.rdma4j.RdmaException EBUSY while events of one of its objects are not acknowledged, see
     *                                 {@link AsyncEvent}; nothing is closed then.
     */
    @Override
    void close();
}
