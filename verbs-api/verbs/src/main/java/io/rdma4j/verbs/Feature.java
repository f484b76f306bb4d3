/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** What a device may or may not be able to do; see {@link RdmaContext#supports}. */
public enum Feature {
    /** SEND with immediate data, delivered to the receiver. */
    SEND_WITH_IMM,
    /** RDMA WRITE. */
    RDMA_WRITE,
    /** RDMA READ. */
    RDMA_READ,
    /** 64-bit compare-and-swap and fetch-and-add. */
    ATOMICS,
    /** Work requests without a completion of their own. */
    UNSIGNALED,
    /** Completions that are marked and armed for as solicited. */
    SOLICITED,
    /** Flush of a QP's queues when it goes to the error state, by the device itself. */
    QP_FLUSH,
    /** Bringing a QP back to RESET and using it again. */
    QP_RESET,
    /** All attributes of a QP can be queried from the device. */
    QP_QUERY_ALL,
    /** The SRQ limit event. */
    SRQ_LIMIT_EVENT,
    /** Asynchronous events. */
    ASYNC_EVENTS,
    /** Asynchronous events of QPs: of failures, COMM_EST, and QP_LAST_WQE_REACHED. */
    QP_EVENTS,
    /** A port state that tells whether traffic can flow. */
    PORT_STATE,
    /** Remote keys that grant and refuse access. */
    REMOTE_KEYS,
    /** Work requests with a key that does not fit fail with the status of the specification, and harm nothing else. */
    PROTECTION_ERRORS,
    /** Bounds of a region checked to the byte by the device. */
    BYTE_EXACT_REGIONS,
    /** Invalidation of keys: locally, and by a peer's SEND. */
    INVALIDATE,
    /** Fast registration work requests. */
    FAST_REGISTRATION,
    /** Memory windows of type 1. */
    MEMORY_WINDOWS,
    /** Memory windows of type 2. */
    MEMORY_WINDOWS_TYPE_2,
    /** Regions whose first byte work requests name by address 0. */
    ZERO_BASED,
    /** Regions that work requests name by another address than the one at which this process sees the memory. */
    IOVA_OF_CHOICE,
    /** Regions of more than 1 GiB. */
    LARGE_REGIONS,
    /** Compare-and-swap and fetch-and-add of some bits of 64. */
    MASKED_ATOMICS,
    /** Changing the size of a completion queue. */
    CQ_RESIZE,
    /** Keys that name nothing for long after their region was closed, and that do not count up. */
    KEYS_NOT_REUSED,
    /** Regions whose pages need to be there only when a transfer touches them: {@link AccessFlag#ON_DEMAND}. */
    ON_DEMAND_PAGING,
    /** Regions on demand also for atomics, datagrams and shared receive queues, as far as there are these at all. */
    ON_DEMAND_EVERYWHERE,
    /** A region of all memory of the process, whatever is mapped when: {@link MrOptions#allMemory()}. */
    ALL_MEMORY,
    /** Taking a device's access to a region on demand away for a while: {@link MemoryRegion#suspend()}. */
    SUSPEND,
    /** Regions of dma-bufs by their file descriptors: {@link MrOptions#dmaBuf}. */
    DMA_BUFS,
    /** Regions that follow when other pages come to lie at their addresses: {@link MemoryRegion#refresh}. */
    REFRESH,
    /**
     * Requests one after the other: each is over, at the peer too, before the next one of its send queue begins. So
     * what is flushed behind a request that failed was not carried out, whatever failed. Not so where {@link
     * RdmaContext#isByWire} is true of the peer.
     */
    REQUESTS_IN_TURN,
    /** RDMA READs that invalidate a key of this side's. */
    READ_WITH_INVALIDATE,
    /** Regions made of pages in an order of one's own: {@link PageList}. */
    PAGE_LISTS,
    /** GIDs that the application binds, whatever addresses the network device has: {@link RdmaContext#bindGid}. */
    GID_OF_CHOICE,
    /** What is received is stored as by a processor of this machine: the system sees which pages have changed. */
    PROCESSOR_STORES
}
