/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

/**
 * Where the members of libibverbs' structures lie on 64-bit Linux: bytes from the beginning. A constant has its
 * member's name, with those of the structures it is in before it. The functions that post and poll are compiled into
 * each program that uses the library, so none of this can change without another name of the library.
 *
 * <p>{@code AbiTest} compares all of it with the C header, where there is one.
 */
final class Abi {
    private Abi() {
    }

    /** {@code struct ibv_device}. */
    static final class Device {
        static final int NODE_TYPE = 16;
        static final int TRANSPORT_TYPE = 20;
        static final int NAME = 24;
        static final int DEV_NAME = 88;
        static final int NAME_LENGTH = 64;
        static final int LENGTH = 664;

        private Device() {
        }
    }

    /** {@code struct ibv_context}. */
    static final class Context {
        static final int DEVICE = 0;
        static final int OPS_ALLOC_MW = 64;
        static final int OPS_BIND_MW = 72;
        static final int OPS_DEALLOC_MW = 80;
        static final int OPS_POLL_CQ = 96;
        static final int OPS_REQ_NOTIFY_CQ = 104;
        static final int OPS_POST_SRQ_RECV = 168;
        static final int OPS_POST_SEND = 208;
        static final int OPS_POST_RECV = 216;
        static final int CMD_FD = 264;
        static final int ASYNC_FD = 268;
        static final int NUM_COMP_VECTORS = 272;
        /** Behind a mutex of the C library, which is 40 bytes on x86-64. */
        static final int ABI_COMPAT = 320;
        static final int LENGTH = 328;

        private Context() {
        }
    }

    /**
     * {@code struct verbs_context}, which ends with an {@code ibv_context}: bytes before that one. Younger libraries
     * have more in front; {@code sz} tells how much there is.
     */
    static final class VerbsContext {
        static final int SZ = 8;
        static final int QUERY_DEVICE_EX = 104;
        static final int ADVISE_MR = 312;
        static final int QUERY_PORT = 320;

        private VerbsContext() {
        }
    }

    /** {@code struct ibv_device_attr}. */
    static final class DeviceAttr {
        static final int FW_VER = 0;
        static final int FW_VER_LENGTH = 64;
        static final int NODE_GUID = 64;
        static final int SYS_IMAGE_GUID = 72;
        static final int MAX_MR_SIZE = 80;
        static final int PAGE_SIZE_CAP = 88;
        static final int VENDOR_ID = 96;
        static final int VENDOR_PART_ID = 100;
        static final int HW_VER = 104;
        static final int MAX_QP = 108;
        static final int MAX_QP_WR = 112;
        static final int DEVICE_CAP_FLAGS = 116;
        static final int MAX_SGE = 120;
        static final int MAX_SGE_RD = 124;
        static final int MAX_CQ = 128;
        static final int MAX_CQE = 132;
        static final int MAX_MR = 136;
        static final int MAX_PD = 140;
        static final int MAX_QP_RD_ATOM = 144;
        static final int MAX_EE_RD_ATOM = 148;
        static final int MAX_RES_RD_ATOM = 152;
        static final int MAX_QP_INIT_RD_ATOM = 156;
        static final int MAX_EE_INIT_RD_ATOM = 160;
        static final int ATOMIC_CAP = 164;
        static final int MAX_EE = 168;
        static final int MAX_RDD = 172;
        static final int MAX_MW = 176;
        static final int MAX_RAW_IPV6_QP = 180;
        static final int MAX_RAW_ETHY_QP = 184;
        static final int MAX_MCAST_GRP = 188;
        static final int MAX_MCAST_QP_ATTACH = 192;
        static final int MAX_TOTAL_MCAST_QP_ATTACH = 196;
        static final int MAX_AH = 200;
        static final int MAX_FMR = 204;
        static final int MAX_MAP_PER_FMR = 208;
        static final int MAX_SRQ = 212;
        static final int MAX_SRQ_WR = 216;
        static final int MAX_SRQ_SGE = 220;
        static final int LOCAL_CA_ACK_DELAY = 226;
        static final int PHYS_PORT_CNT = 227;
        static final int LENGTH = 232;

        private DeviceAttr() {
        }
    }

    /** {@code struct ibv_device_attr_ex}, which begins with an {@code ibv_device_attr}. */
    static final class DeviceAttrEx {
        static final int ODP_CAPS_GENERAL_CAPS = 240;
        static final int ODP_CAPS_PER_TRANSPORT_CAPS_RC_ODP_CAPS = 248;
        static final int ODP_CAPS_PER_TRANSPORT_CAPS_UC_ODP_CAPS = 252;
        static final int ODP_CAPS_PER_TRANSPORT_CAPS_UD_ODP_CAPS = 256;
        static final int COMPLETION_TIMESTAMP_MASK = 264;
        static final int HCA_CORE_CLOCK = 272;
        static final int DEVICE_CAP_FLAGS_EX = 280;
        static final int TSO_CAPS_MAX_TSO = 288;
        static final int TSO_CAPS_SUPPORTED_QPTS = 292;
        static final int RSS_CAPS_SUPPORTED_QPTS = 296;
        static final int RSS_CAPS_MAX_RWQ_INDIRECTION_TABLES = 300;
        static final int RSS_CAPS_MAX_RWQ_INDIRECTION_TABLE_SIZE = 304;
        static final int RSS_CAPS_RX_HASH_FIELDS_MASK = 312;
        static final int RSS_CAPS_RX_HASH_FUNCTION = 320;
        static final int MAX_WQ_TYPE_RQ = 328;
        static final int PACKET_PACING_CAPS_QP_RATE_LIMIT_MIN = 332;
        static final int PACKET_PACING_CAPS_QP_RATE_LIMIT_MAX = 336;
        static final int PACKET_PACING_CAPS_SUPPORTED_QPTS = 340;
        static final int RAW_PACKET_CAPS = 344;
        static final int TM_CAPS_MAX_RNDV_HDR_SIZE = 348;
        static final int TM_CAPS_MAX_NUM_TAGS = 352;
        static final int TM_CAPS_FLAGS = 356;
        static final int TM_CAPS_MAX_OPS = 360;
        static final int TM_CAPS_MAX_SGE = 364;
        static final int CQ_MOD_CAPS_MAX_CQ_COUNT = 368;
        static final int CQ_MOD_CAPS_MAX_CQ_PERIOD = 370;
        static final int MAX_DM_SIZE = 376;
        static final int XRC_ODP_CAPS = 392;
        static final int LENGTH = 400;

        private DeviceAttrEx() {
        }
    }

    /** {@code struct ibv_port_attr}. */
    static final class PortAttr {
        static final int STATE = 0;
        static final int MAX_MTU = 4;
        static final int ACTIVE_MTU = 8;
        static final int GID_TBL_LEN = 12;
        static final int PORT_CAP_FLAGS = 16;
        static final int MAX_MSG_SZ = 20;
        static final int BAD_PKEY_CNTR = 24;
        static final int QKEY_VIOL_CNTR = 28;
        static final int PKEY_TBL_LEN = 32;
        static final int LID = 34;
        static final int SM_LID = 36;
        static final int LMC = 38;
        static final int MAX_VL_NUM = 39;
        static final int SM_SL = 40;
        static final int SUBNET_TIMEOUT = 41;
        static final int INIT_TYPE_REPLY = 42;
        static final int ACTIVE_WIDTH = 43;
        static final int ACTIVE_SPEED = 44;
        static final int PHYS_STATE = 45;
        static final int LINK_LAYER = 46;
        static final int PORT_CAP_FLAGS2 = 48;
        static final int LENGTH = 52;

        private PortAttr() {
        }
    }

    /** {@code struct ibv_gid_entry}. */
    static final class GidEntry {
        static final int GID = 0;
        static final int GID_INDEX = 16;
        static final int PORT_NUM = 20;
        static final int GID_TYPE = 24;
        static final int LENGTH = 32;

        private GidEntry() {
        }
    }

    /** {@code struct ibv_mr}. */
    static final class Mr {
        static final int LKEY = 36;
        static final int RKEY = 40;

        private Mr() {
        }
    }

    /** {@code struct ibv_mw}. */
    static final class Mw {
        static final int RKEY = 16;

        private Mw() {
        }
    }

    /** {@code struct ibv_mw_bind}. */
    static final class MwBind {
        static final int WR_ID = 0;
        static final int SEND_FLAGS = 8;
        static final int BIND_INFO_MR = 16;
        static final int BIND_INFO_ADDR = 24;
        static final int BIND_INFO_LENGTH = 32;
        static final int BIND_INFO_MW_ACCESS_FLAGS = 40;
        static final int LENGTH = 48;

        private MwBind() {
        }
    }

    /** {@code struct ibv_comp_channel}. */
    static final class CompChannel {
        static final int FD = 8;

        private CompChannel() {
        }
    }

    /** {@code struct ibv_cq}. */
    static final class Cq {
        static final int HANDLE = 24;
        static final int CQE = 28;

        private Cq() {
        }
    }

    /** {@code struct ibv_qp}. */
    static final class Qp {
        static final int QP_NUM = 52;

        private Qp() {
        }
    }

    /** {@code struct ibv_qp_init_attr}. */
    static final class QpInitAttr {
        static final int SEND_CQ = 8;
        static final int RECV_CQ = 16;
        static final int SRQ = 24;
        static final int CAP_MAX_SEND_WR = 32;
        static final int CAP_MAX_RECV_WR = 36;
        static final int CAP_MAX_SEND_SGE = 40;
        static final int CAP_MAX_RECV_SGE = 44;
        static final int CAP_MAX_INLINE_DATA = 48;
        static final int QP_TYPE = 52;
        static final int SQ_SIG_ALL = 56;
        static final int LENGTH = 64;

        private QpInitAttr() {
        }
    }

    /** {@code struct ibv_qp_attr}. */
    static final class QpAttr {
        static final int QP_STATE = 0;
        static final int CUR_QP_STATE = 4;
        static final int PATH_MTU = 8;
        static final int QKEY = 16;
        static final int RQ_PSN = 20;
        static final int SQ_PSN = 24;
        static final int DEST_QP_NUM = 28;
        static final int QP_ACCESS_FLAGS = 32;
        static final int AH_ATTR = 56;
        static final int PKEY_INDEX = 120;
        static final int EN_SQD_ASYNC_NOTIFY = 124;
        static final int SQ_DRAINING = 125;
        static final int MAX_RD_ATOMIC = 126;
        static final int MAX_DEST_RD_ATOMIC = 127;
        static final int MIN_RNR_TIMER = 128;
        static final int PORT_NUM = 129;
        static final int TIMEOUT = 130;
        static final int RETRY_CNT = 131;
        static final int RNR_RETRY = 132;
        static final int LENGTH = 144;

        private QpAttr() {
        }
    }

    /** {@code struct ibv_ah_attr}. */
    static final class AhAttr {
        static final int GRH_DGID = 0;
        static final int GRH_FLOW_LABEL = 16;
        static final int GRH_SGID_INDEX = 20;
        static final int GRH_HOP_LIMIT = 21;
        static final int GRH_TRAFFIC_CLASS = 22;
        static final int DLID = 24;
        static final int SL = 26;
        static final int IS_GLOBAL = 29;
        static final int PORT_NUM = 30;
        static final int LENGTH = 32;

        private AhAttr() {
        }
    }

    /** {@code struct ibv_srq_init_attr}; {@code ibv_srq_attr} is its part from {@link #ATTR}. */
    static final class SrqInitAttr {
        static final int ATTR = 8;
        static final int ATTR_MAX_WR = 8;
        static final int ATTR_MAX_SGE = 12;
        static final int ATTR_SRQ_LIMIT = 16;
        static final int LENGTH = 24;

        private SrqInitAttr() {
        }
    }

    /** {@code struct ibv_sge}. */
    static final class Sge {
        static final int ADDR = 0;
        static final int SIZE = 8;
        static final int LKEY = 12;
        static final int LENGTH = 16;

        private Sge() {
        }
    }

    /** {@code struct ibv_send_wr}. */
    static final class SendWr {
        static final int WR_ID = 0;
        static final int NEXT = 8;
        static final int SG_LIST = 16;
        static final int NUM_SGE = 24;
        static final int OPCODE = 28;
        static final int SEND_FLAGS = 32;
        static final int IMM_DATA = 36;
        static final int INVALIDATE_RKEY = 36;
        static final int WR_RDMA_REMOTE_ADDR = 40;
        static final int WR_RDMA_RKEY = 48;
        static final int WR_ATOMIC_REMOTE_ADDR = 40;
        static final int WR_ATOMIC_COMPARE_ADD = 48;
        static final int WR_ATOMIC_SWAP = 56;
        static final int WR_ATOMIC_RKEY = 64;
        static final int WR_UD_AH = 40;
        static final int WR_UD_REMOTE_QPN = 48;
        static final int WR_UD_REMOTE_QKEY = 52;
        static final int BIND_MW_MW = 80;
        static final int BIND_MW_RKEY = 88;
        static final int BIND_MW_BIND_INFO_MR = 96;
        static final int BIND_MW_BIND_INFO_ADDR = 104;
        static final int BIND_MW_BIND_INFO_LENGTH = 112;
        static final int BIND_MW_BIND_INFO_MW_ACCESS_FLAGS = 120;
        static final int LENGTH = 128;

        private SendWr() {
        }
    }

    /** {@code struct ibv_recv_wr}. */
    static final class RecvWr {
        static final int WR_ID = 0;
        static final int NEXT = 8;
        static final int SG_LIST = 16;
        static final int NUM_SGE = 24;
        static final int LENGTH = 32;

        private RecvWr() {
        }
    }

    /** {@code struct ibv_wc}. */
    static final class Wc {
        static final int WR_ID = 0;
        static final int STATUS = 8;
        static final int OPCODE = 12;
        static final int VENDOR_ERR = 16;
        static final int BYTE_LEN = 20;
        static final int IMM_DATA = 24;
        static final int INVALIDATED_RKEY = 24;
        static final int QP_NUM = 28;
        static final int SRC_QP = 32;
        static final int WC_FLAGS = 36;
        static final int PKEY_INDEX = 40;
        static final int LENGTH = 48;

        private Wc() {
        }
    }

    /** {@code struct ibv_async_event}. */
    static final class AsyncEvent {
        static final int ELEMENT_QP = 0;
        static final int ELEMENT_PORT_NUM = 0;
        static final int EVENT_TYPE = 8;
        static final int LENGTH = 16;

        private AsyncEvent() {
        }
    }
}
