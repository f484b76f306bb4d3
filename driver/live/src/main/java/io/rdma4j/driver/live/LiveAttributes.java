/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

/** The places of attributes, by kind of object. {@link LiveKind#attributes()} has their names. */
public final class LiveAttributes {
    private LiveAttributes() {
    }

    /** Attributes of {@link LiveKind#DEVICE}. */
    public static final class Device {
        /** VERSION register. */
        public static final int VERSION = 0;
        /** Where the device sees the shared region. */
        public static final int DSR_IOVA = 1;
        /** Where it sees the command slot. */
        public static final int CMD_SLOT_IOVA = 2;
        /** Where it sees the response slot. */
        public static final int RESP_SLOT_IOVA = 3;
        /** What was last written to CTL. */
        public static final int CTL = 4;
        /** What was last written to IMR. */
        public static final int IMR = 5;
        /** What was last read from ERR. */
        public static final int ERR = 6;
        /** Page frame number of the doorbell page. */
        public static final int UAR_PFN = 7;
        /** 0 works, 1 failed, 2 closing. */
        public static final int STATE = 8;
        /** Interrupt vectors granted. */
        public static final int VECTORS = 9;

        private Device() {
        }
    }

    /** Attributes of {@link LiveKind#EVENT_RING}. */
    public static final class EventRing {
        /** {@code iova}. */
        public static final int IOVA = 0;
        /** {@code num_pages}. */
        public static final int NUM_PAGES = 1;
        /** {@code element_length}. */
        public static final int ELEMENT_LENGTH = 2;
        /** {@code pdir_dma}. */
        public static final int PDIR_DMA = 3;

        private EventRing() {
        }
    }

    /** Attributes of {@link LiveKind#GID}. */
    public static final class Gid {
        /** {@code gid_high}. */
        public static final int GID_HIGH = 0;
        /** {@code gid_low}. */
        public static final int GID_LOW = 1;
        /** {@code type}. */
        public static final int TYPE = 2;

        private Gid() {
        }
    }

    /** Attributes of {@link LiveKind#MR}. */
    public static final class Mr {
        /** {@code pd}. */
        public static final int PD = 0;
        /** {@code lkey}. */
        public static final int LKEY = 1;
        /** {@code rkey}. */
        public static final int RKEY = 2;
        /** {@code access}. */
        public static final int ACCESS = 3;
        /** {@code iova}. */
        public static final int IOVA = 4;
        /** {@code length}. */
        public static final int LENGTH = 5;
        /** Where the process sees the first byte; that of the first page only where the pages are a list. */
        public static final int ADDRESS = 6;
        /** {@code pdir_dma}. */
        public static final int PDIR_DMA = 7;
        /** {@code pages}. */
        public static final int PAGES = 8;
        /** Bits: {@link #ON_DEMAND}, {@link #PAGE_LIST}, {@link #CACHED}, {@link #FAST}. */
        public static final int FLAGS = 9;
        /** Flag: pages are there on demand. */
        public static final long ON_DEMAND = 1;
        /** Flag: the pages are a list and need not follow each other in the process. */
        public static final long PAGE_LIST = 2;
        /** Flag: the registration cache of the fabric layer has it. */
        public static final long CACHED = 4;
        /** Flag: registered by the send queue; what it covers is the device's to say. */
        public static final long FAST = 8;

        private Mr() {
        }
    }

    /** Attributes of {@link LiveKind#MW}. */
    public static final class Mw {
        /** {@code pd}. */
        public static final int PD = 0;
        /** {@code rkey}. */
        public static final int RKEY = 1;
        /** {@code type}. */
        public static final int TYPE = 2;

        private Mw() {
        }
    }

    /** Attributes of {@link LiveKind#CQ}. */
    public static final class Cq {
        /** {@code ring_iova}. */
        public static final int RING_IOVA = 0;
        /** {@code ring_length}. */
        public static final int RING_LENGTH = 1;
        /** {@code cqes_offset}. */
        public static final int CQES_OFFSET = 2;
        /** {@code cqe}. */
        public static final int CQE = 3;
        /** {@code pdir_dma}. */
        public static final int PDIR_DMA = 4;

        private Cq() {
        }
    }

    /** Attributes of {@link LiveKind#SRQ}. */
    public static final class Srq {
        /** {@code pd}. */
        public static final int PD = 0;
        /** {@code ring_iova}. */
        public static final int RING_IOVA = 1;
        /** {@code ring_length}. */
        public static final int RING_LENGTH = 2;
        /** {@code rq_offset}. */
        public static final int RQ_OFFSET = 3;
        /** {@code max_wr}. */
        public static final int MAX_WR = 4;
        /** {@code max_sge}. */
        public static final int MAX_SGE = 5;
        /** {@code srq_limit}. */
        public static final int SRQ_LIMIT = 6;
        /** {@code pdir_dma}. */
        public static final int PDIR_DMA = 7;

        private Srq() {
        }
    }

    /** Attributes of {@link LiveKind#QP}. */
    public static final class Qp {
        /** {@code qpn}. */
        public static final int QPN = 0;
        /** {@code io.rdma4j.hw.pvrdma.QpType}. */
        public static final int TYPE = 1;
        /** {@code io.rdma4j.hw.pvrdma.QpState}, as the driver knows it. */
        public static final int STATE = 2;
        /** {@code pd}. */
        public static final int PD = 3;
        /** {@code send_cq}. */
        public static final int SEND_CQ = 4;
        /** {@code recv_cq}. */
        public static final int RECV_CQ = 5;
        /** Handle, or -1. */
        public static final int SRQ = 6;
        /** {@code ring_iova}. */
        public static final int RING_IOVA = 7;
        /** {@code ring_length}. */
        public static final int RING_LENGTH = 8;
        /** {@code sq_offset}. */
        public static final int SQ_OFFSET = 9;
        /** {@code sq_max_wr}. */
        public static final int SQ_MAX_WR = 10;
        /** {@code sq_max_sge}. */
        public static final int SQ_MAX_SGE = 11;
        /** {@code rq_offset}. */
        public static final int RQ_OFFSET = 12;
        /** {@code rq_max_wr}. */
        public static final int RQ_MAX_WR = 13;
        /** {@code rq_max_sge}. */
        public static final int RQ_MAX_SGE = 14;
        /** {@code dest_qpn}. */
        public static final int DEST_QPN = 15;
        /** {@code pdir_dma}. */
        public static final int PDIR_DMA = 16;
        /** {@code path_mtu}. */
        public static final int PATH_MTU = 17;
        /** {@code qkey}. */
        public static final int QKEY = 18;
        /** {@code sq_psn}. */
        public static final int SQ_PSN = 19;
        /** {@code rq_psn}. */
        public static final int RQ_PSN = 20;

        private Qp() {
        }
    }

    /** Attributes of {@link LiveKind#AH}. */
    public static final class Ah {
        /** {@code pd}. */
        public static final int PD = 0;
        /** {@code port}. */
        public static final int PORT = 1;
        /** {@code gid_index}. */
        public static final int GID_INDEX = 2;
        /** {@code dgid_high}. */
        public static final int DGID_HIGH = 3;
        /** {@code dgid_low}. */
        public static final int DGID_LOW = 4;
        /** {@code dlid}. */
        public static final int DLID = 5;
        /** {@code sl}. */
        public static final int SL = 6;
        /** {@code hop_limit}. */
        public static final int HOP_LIMIT = 7;
        /** {@code traffic_class}. */
        public static final int TRAFFIC_CLASS = 8;

        private Ah() {
        }
    }

    /** Attributes of {@link LiveKind#CACHE}. */
    public static final class Cache {
        /** {@code max_cached_count}. */
        public static final int MAX_CACHED_COUNT = 0;
        /** {@code max_cached_size}. */
        public static final int MAX_CACHED_SIZE = 1;

        private Cache() {
        }
    }

    /** Attributes of {@link LiveKind#AV}. */
    public static final class Av {
        /** {@code type}. */
        public static final int TYPE = 0;
        /** {@code flags}. */
        public static final int FLAGS = 1;

        private Av() {
        }
    }
}
