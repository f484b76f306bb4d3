/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.Feature;

import java.util.List;
import java.util.stream.Stream;

/** What devices of some drivers do otherwise than the InfiniBand specification says; docs/judged.md has the rules. */
enum Quirk {
    /** Local protection and length errors, of sends and receives, on either side. */
    VAGUE_LOCAL_ERRORS("local-errors-are-qp-operation-errors", "rxe",
        "says LOC_QP_OP_ERR of requests whose elements have a wrong key, bounds, domain or rights, or a receive that "
            + "is too short, and tells the peer REM_OP_ERR"),
    /** There are none of QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR, COMM_EST and QP_LAST_WQE_REACHED. */
    NO_QP_EVENTS("no-events-of-qps", "rxe",
        "raises no asynchronous event for a QP that goes to the error state, as when it refuses a peer, for the first "
            + "message in RTR, and for the last receive of a QP with a shared queue",
        Feature.QP_EVENTS),
    /** A receive is only seen when a message, or a change of state, comes. */
    LATE_RECEIVES_STAY("receives-in-err-are-not-flushed", "rxe",
        "does not flush a receive that is posted when the QP is in the error state; the driver moves the QP from ERR "
            + "to ERR each time, and then it does"),
    /** Without our own check, and a region of zeroes, the process would crash. */
    UNBIND_READS_REGION("unbinding-reads-a-region", "rxe",
        "has a library that reads the region of a window of type 1 also when it is bound to nothing, where there is "
            + "none; the driver gives it an empty one"),
    /** The library refuses; no packet is sent. */
    ATOMICS_CHECKED_BY_LIBRARY("misaligned-atomics-are-not-posted", "rxe",
        "has a library that refuses to post an atomic whose remote address is no multiple of 8, where the peer should"),
    /** The local key is needed, and looked at, when the answer comes. */
    ATOMICS_FIRST("atomics-are-done-before-the-local-key-is-looked-at", "rxe",
        "carries an atomic out at the peer before it finds that the old value has no place to go"),
    /** Linux 6.1: the flag of completions is the kernel's, 4, where the library has 8. */
    INVALIDATE_FLAG("invalidated-is-told-by-another-flag", "rxe",
        "marks the completion of a message that invalidated a key by the kernel's flag (4), not the library's (8); the "
            + "driver knows"),
    /** As the specification allows: the verb fails while windows are bound. */
    BOUND_REGIONS_STAY("regions-with-windows-stay", "rxe",
        "does not deregister a region that windows are bound to: close them first"),
    /** Linux 6.1, rxe_resp.c, RESPST_ERR_INVALIDATE_RKEY: no NAK. */
    SILENT_INVALIDATION("refused-invalidations-are-not-told", "rxe",
        "tells the sender success of a SEND that should have invalidated a key that cannot be, and fails the receiver "
            + "alone"),
    /** Going back to RTS does not wake the requester; an SQ_DRAINED comes that was not asked for. */
    SQD("drained-send-queues-stay-drained", "rxe",
        "does not go on with what was posted in SQD when the QP is in RTS again, refuses to go there at once, and "
            + "tells of the end of draining also if it was not asked to"),
    /** Linux 6.1, rxe_req.c, rxe_wqe_is_fenced: what goes out once more may wait for itself. */
    FENCES("fences-are-looked-at-again", "rxe",
        "asks again whether all READs and atomics are over when it sends a fenced request once more: one that is an "
            + "atomic or a READ itself, or has one behind it, then waits for ever, and the QP with it"),
    /** To ERR instead of SQE. */
    NO_SQE("failed-datagrams-end-the-qp", "rxe", "moves a datagram QP to ERR, not SQE, when a send fails"),
    /** Linux 6.1, rxe_resp.c, check_rkey. */
    WINDOW_BOUNDS("windows-reach-all-of-their-region", "rxe",
        "compares what a peer asks for through a memory window with the bounds of the region, not those of the window"),
    /** Index in the upper 24 bits, which counts up. */
    KEYS_COUNT_UP("keys-count-up", "rxe", "gives keys one after the other", Feature.KEYS_NOT_REUSED),
    /** Linux' library has no such call; so there is none on the device either. */
    NO_RESIZE("completion-queues-keep-their-size", "vmw_pvrdma",
        "has a library that cannot change the size of a completion queue", Feature.CQ_RESIZE),
    /** Linux 6.1, pvrdma_reg_user_mr: virt_addr is not handed on, and nobody is told. */
    OWN_ADDRESSES("regions-begin-at-their-memory", "vmw_pvrdma",
        "is told by the kernel's driver where the memory of a region is, not which address was asked for",
        Feature.IOVA_OF_CHOICE),
    /** rdma-core 44, providers/vmw_pvrdma: numbers of operations differ from LOCAL_INV on, and no key is stored. */
    NO_INVALIDATION("invalidations-are-lost", "vmw_pvrdma",
        "has a library that hands over invalidations as other operations, and without the key", Feature.INVALIDATE),
    /** EFA: no QP of type RC (man efadv_create_driver_qp: its own transport is SRD). From the manual, not tried. */
    NO_RC("datagrams-only", "efa", "has no reliable connections, but a transport of its own",
        Feature.RDMA_WRITE, Feature.RDMA_READ, Feature.ATOMICS, Feature.INVALIDATE, Feature.MEMORY_WINDOWS,
        Feature.MEMORY_WINDOWS_TYPE_2);

    private final String title;
    private final String driver;
    private final String description;
    private final Feature[] features;

    Quirk(final String title, final String driver, final String description, final Feature... features) {
        this.title = title;
        this.driver = driver;
        this.description = description;
        this.features = features.clone();
    }

    /** Those of a driver. */
    static List<Quirk> of(final String driver) {
        return Stream.of(values()).filter(quirk -> quirk.driver.equals(driver)).toList();
    }

    String title() {
        return title;
    }

    String description() {
        return description;
    }

    Feature[] features() {
        return features.clone();
    }
}
