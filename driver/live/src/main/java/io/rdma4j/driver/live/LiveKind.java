/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import java.util.List;

/**
 * The kinds of objects that a process publishes, with the names of their attributes and counters. An attribute or
 * counter is a 64-bit number at the place that its name has in the list; {@link LiveAttributes} and
 * {@link LiveCounters} name the places. New names are only ever added at the end of a list.
 */
public enum LiveKind {
    /** The device itself: one, with handle 0. */
    DEVICE(1, List.of("version", "dsr_iova", "cmd_slot_iova", "resp_slot_iova", "ctl", "imr", "err", "uar_pfn",
        "state", "vectors"), List.of()),
    /** An event ring: handle 0 is that of asynchronous events, 1 that of completion notices. */
    EVENT_RING(2, List.of("iova", "num_pages", "element_length", "pdir_dma"), List.of()),
    /** An entry of the GID table; its handle is the index. The GID's first eight bytes are the high ones. */
    GID(3, List.of("gid_high", "gid_low", "type"), List.of()),
    /** A protection domain. */
    PD(4, List.of(), List.of()),
    /** A memory region. */
    MR(5, List.of("pd", "lkey", "rkey", "access", "iova", "length", "address", "pdir_dma", "pages", "flags"),
        List.of()),
    /** A memory window. */
    MW(6, List.of("pd", "rkey", "type"), List.of()),
    /** A completion queue. */
    CQ(7, List.of("ring_iova", "ring_length", "cqes_offset", "cqe", "pdir_dma"), LiveCounters.Cq.NAMES),
    /** A shared receive queue. */
    SRQ(8, List.of("pd", "ring_iova", "ring_length", "rq_offset", "max_wr", "max_sge", "srq_limit", "pdir_dma"),
        LiveCounters.Srq.NAMES),
    /** A queue pair. */
    QP(9, List.of("qpn", "type", "state", "pd", "send_cq", "recv_cq", "srq", "ring_iova", "ring_length", "sq_offset",
        "sq_max_wr", "sq_max_sge", "rq_offset", "rq_max_wr", "rq_max_sge", "dest_qpn", "pdir_dma", "path_mtu", "qkey",
        "sq_psn", "rq_psn"), LiveCounters.Qp.NAMES),
    /** An address handle: no object of the device; numbered by the driver. */
    AH(10, List.of("pd", "port", "gid_index", "dgid_high", "dgid_low", "dlid", "sl", "hop_limit", "traffic_class"),
        List.of()),
    /** A registration cache of the fabric layer. */
    CACHE(11, List.of("max_cached_count", "max_cached_size"), LiveCounters.Cache.NAMES),
    /** An address vector of the fabric layer. */
    AV(12, List.of("type", "flags"), LiveCounters.Av.NAMES);

    private final int code;
    private final List<String> attributes;
    private final List<String> counters;

    LiveKind(final int code, final List<String> attributes, final List<String> counters) {
        this.code = code;
        this.attributes = attributes;
        this.counters = counters;
    }

    /**
     * The number in the file. Never 0, which means that a place is free.
     *
     * @return 1 to 255.
     */
    public int code() {
        return code;
    }

    /**
     * What the attributes are called.
     *
     * @return unmodifiable.
     */
    public List<String> attributes() {
        return attributes;
    }

    /**
     * What the counters are called; empty names are of places that are not used.
     *
     * @return unmodifiable; empty for kinds that are not counted.
     */
    public List<String> counters() {
        return counters;
    }

    /**
     * The kind of a number.
     *
     * @param code any.
     * @return the kind; null if there is none.
     */
    public static LiveKind of(final int code) {
        for (final LiveKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        return null;
    }
}
