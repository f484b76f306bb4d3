/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.LongField;
import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * What the device can do, {@code struct pvrdma_device_caps}: 208 bytes at the end of the {@link Dsr},
 * written by the device when the address of the shared region is given to it. Counts are unsigned.
 */
public final class Caps extends Flyweight<Caps> {
    private static final Fields<Caps> F = Fields.of("pvrdma_device_caps");

    /** The firmware version: major in bits 32 and up, minor in 16 to 31, sub in 0 to 15. */
    public static final LongField<Caps> FW_VER = F.u64("fw_ver");
    /** The GUID of the node, first byte highest. */
    public static final LongField<Caps> NODE_GUID = F.be64("node_guid");
    /** The GUID of the system, first byte highest. */
    public static final LongField<Caps> SYS_IMAGE_GUID = F.be64("sys_image_guid");
    /** The bytes of the largest region, unsigned. */
    public static final LongField<Caps> MAX_MR_SIZE = F.u64("max_mr_size");
    /** The page sizes as a mask. */
    public static final LongField<Caps> PAGE_SIZE_CAP = F.u64("page_size_cap");
    /** The operand sizes of extended atomics. */
    public static final LongField<Caps> ATOMIC_ARG_SIZES = F.u64("atomic_arg_sizes");
    /** Which extended fields are valid. */
    public static final IntField<Caps> EX_COMP_MASK = F.u32("ex_comp_mask");
    /** The second mask of capabilities. */
    public static final IntField<Caps> DEVICE_CAP_FLAGS2 = F.u32("device_cap_flags2");
    /** The largest boundary of masked fetch and add. */
    public static final IntField<Caps> MAX_FA_BIT_BOUNDARY = F.u32("max_fa_bit_boundary");
    /** Log2 of the longest inline operand. */
    public static final IntField<Caps> LOG_MAX_ATOMIC_INLINE_ARG = F.u32("log_max_atomic_inline_arg");
    /** The vendor. */
    public static final IntField<Caps> VENDOR_ID = F.u32("vendor_id");
    /** The part. */
    public static final IntField<Caps> VENDOR_PART_ID = F.u32("vendor_part_id");
    /** The hardware version. */
    public static final IntField<Caps> HW_VER = F.u32("hw_ver");
    /** The most QPs. */
    public static final IntField<Caps> MAX_QP = F.u32("max_qp");
    /** The most WQEs of a queue. */
    public static final IntField<Caps> MAX_QP_WR = F.u32("max_qp_wr");
    /** The mask of capabilities. */
    public static final IntField<Caps> DEVICE_CAP_FLAGS = F.u32("device_cap_flags");
    /** The most SGEs of a WQE. */
    public static final IntField<Caps> MAX_SGE = F.u32("max_sge");
    /** The most SGEs of a read, from device version 18 on. */
    public static final IntField<Caps> MAX_SGE_RD = F.u32("max_sge_rd");
    /** The most CQs. */
    public static final IntField<Caps> MAX_CQ = F.u32("max_cq");
    /** The most CQEs of a CQ. */
    public static final IntField<Caps> MAX_CQE = F.u32("max_cqe");
    /** The most regions. */
    public static final IntField<Caps> MAX_MR = F.u32("max_mr");
    /** The most protection domains. */
    public static final IntField<Caps> MAX_PD = F.u32("max_pd");
    /** The most incoming reads and atomics of a QP. */
    public static final IntField<Caps> MAX_QP_RD_ATOM = F.u32("max_qp_rd_atom");
    /** The same of an end-to-end context. */
    public static final IntField<Caps> MAX_EE_RD_ATOM = F.u32("max_ee_rd_atom");
    /** The same of the device. */
    public static final IntField<Caps> MAX_RES_RD_ATOM = F.u32("max_res_rd_atom");
    /** The most outgoing reads and atomics of a QP. */
    public static final IntField<Caps> MAX_QP_INIT_RD_ATOM = F.u32("max_qp_init_rd_atom");
    /** The same of an end-to-end context. */
    public static final IntField<Caps> MAX_EE_INIT_RD_ATOM = F.u32("max_ee_init_rd_atom");
    /** The most end-to-end contexts. */
    public static final IntField<Caps> MAX_EE = F.u32("max_ee");
    /** The most reliable datagram domains. */
    public static final IntField<Caps> MAX_RDD = F.u32("max_rdd");
    /** The most memory windows. */
    public static final IntField<Caps> MAX_MW = F.u32("max_mw");
    /** The most raw IPv6 QPs. */
    public static final IntField<Caps> MAX_RAW_IPV6_QP = F.u32("max_raw_ipv6_qp");
    /** The most raw Ethernet QPs. */
    public static final IntField<Caps> MAX_RAW_ETHY_QP = F.u32("max_raw_ethy_qp");
    /** The most multicast groups. */
    public static final IntField<Caps> MAX_MCAST_GRP = F.u32("max_mcast_grp");
    /** The most QPs of a group. */
    public static final IntField<Caps> MAX_MCAST_QP_ATTACH = F.u32("max_mcast_qp_attach");
    /** The most QPs in groups. */
    public static final IntField<Caps> MAX_TOTAL_MCAST_QP_ATTACH = F.u32("max_total_mcast_qp_attach");
    /** The most address handles. */
    public static final IntField<Caps> MAX_AH = F.u32("max_ah");
    /** The most fast regions of the old kind. */
    public static final IntField<Caps> MAX_FMR = F.u32("max_fmr");
    /** The most mappings of one. */
    public static final IntField<Caps> MAX_MAP_PER_FMR = F.u32("max_map_per_fmr");
    /** The most SRQs. */
    public static final IntField<Caps> MAX_SRQ = F.u32("max_srq");
    /** The most WQEs of an SRQ. */
    public static final IntField<Caps> MAX_SRQ_WR = F.u32("max_srq_wr");
    /** The most SGEs of its WQEs. */
    public static final IntField<Caps> MAX_SRQ_SGE = F.u32("max_srq_sge");
    /** The most UAR pages. */
    public static final IntField<Caps> MAX_UAR = F.u32("max_uar");
    /** The length of the GID table. */
    public static final IntField<Caps> GID_TBL_LEN = F.u32("gid_tbl_len");
    /** The length of the partition table. */
    public static final IntField<Caps> MAX_PKEYS = F.u16("max_pkeys");
    /** How long an acknowledge may take, coded. */
    public static final IntField<Caps> LOCAL_CA_ACK_DELAY = F.u8("local_ca_ack_delay");
    /** The number of ports. */
    public static final IntField<Caps> PHYS_PORT_CNT = F.u8("phys_port_cnt");
    /** The {@link DeviceMode}. */
    public static final IntField<Caps> MODE = F.u8("mode", DeviceMode.NAMES);
    /** The {@link AtomicOps}. */
    public static final IntField<Caps> ATOMIC_OPS = F.u8("atomic_ops", AtomicOps.NAMES);
    /** The {@link BmmeFlags}. */
    public static final IntField<Caps> BMME_FLAGS = F.u8("bmme_flags", BmmeFlags.NAMES);
    /** The {@link GidType}s. */
    public static final IntField<Caps> GID_TYPES = F.u8("gid_types", GidType.NAMES);
    /** The most pages of a fast registration, from device version 18 on. */
    public static final IntField<Caps> MAX_FAST_REG_PAGE_LIST_LEN = F.u32("max_fast_reg_page_list_len");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public Caps() {
        super(LAYOUT);
    }
}
