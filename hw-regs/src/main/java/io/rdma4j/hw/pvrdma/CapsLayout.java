/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * The offsets of {@link Caps}, apart from its accessors only because together they would be too long.
 */
abstract class CapsLayout extends Flyweight<Caps> {
    /** Offset of {@code fw_ver}. */
    public static final int FW_VER_OFFSET = 0;
    /** Offset of {@code node_guid}. */
    public static final int NODE_GUID_OFFSET = FW_VER_OFFSET + 8;
    /** Offset of {@code sys_image_guid}. */
    public static final int SYS_IMAGE_GUID_OFFSET = NODE_GUID_OFFSET + 8;
    /** Offset of {@code max_mr_size}. */
    public static final int MAX_MR_SIZE_OFFSET = SYS_IMAGE_GUID_OFFSET + 8;
    /** Offset of {@code page_size_cap}. */
    public static final int PAGE_SIZE_CAP_OFFSET = MAX_MR_SIZE_OFFSET + 8;
    /** Offset of {@code atomic_arg_sizes}. */
    public static final int ATOMIC_ARG_SIZES_OFFSET = PAGE_SIZE_CAP_OFFSET + 8;
    /** Offset of {@code ex_comp_mask}. */
    public static final int EX_COMP_MASK_OFFSET = ATOMIC_ARG_SIZES_OFFSET + 8;
    /** Offset of {@code device_cap_flags2}. */
    public static final int DEVICE_CAP_FLAGS2_OFFSET = EX_COMP_MASK_OFFSET + 4;
    /** Offset of {@code max_fa_bit_boundary}. */
    public static final int MAX_FA_BIT_BOUNDARY_OFFSET = DEVICE_CAP_FLAGS2_OFFSET + 4;
    /** Offset of {@code log_max_atomic_inline_arg}. */
    public static final int LOG_MAX_ATOMIC_INLINE_ARG_OFFSET = MAX_FA_BIT_BOUNDARY_OFFSET + 4;
    /** Offset of {@code vendor_id}. */
    public static final int VENDOR_ID_OFFSET = LOG_MAX_ATOMIC_INLINE_ARG_OFFSET + 4;
    /** Offset of {@code vendor_part_id}. */
    public static final int VENDOR_PART_ID_OFFSET = VENDOR_ID_OFFSET + 4;
    /** Offset of {@code hw_ver}. */
    public static final int HW_VER_OFFSET = VENDOR_PART_ID_OFFSET + 4;
    /** Offset of {@code max_qp}. */
    public static final int MAX_QP_OFFSET = HW_VER_OFFSET + 4;
    /** Offset of {@code max_qp_wr}. */
    public static final int MAX_QP_WR_OFFSET = MAX_QP_OFFSET + 4;
    /** Offset of {@code device_cap_flags}. */
    public static final int DEVICE_CAP_FLAGS_OFFSET = MAX_QP_WR_OFFSET + 4;
    /** Offset of {@code max_sge}. */
    public static final int MAX_SGE_OFFSET = DEVICE_CAP_FLAGS_OFFSET + 4;
    /** Offset of {@code max_sge_rd}. */
    public static final int MAX_SGE_RD_OFFSET = MAX_SGE_OFFSET + 4;
    /** Offset of {@code max_cq}. */
    public static final int MAX_CQ_OFFSET = MAX_SGE_RD_OFFSET + 4;
    /** Offset of {@code max_cqe}. */
    public static final int MAX_CQE_OFFSET = MAX_CQ_OFFSET + 4;
    /** Offset of {@code max_mr}. */
    public static final int MAX_MR_OFFSET = MAX_CQE_OFFSET + 4;
    /** Offset of {@code max_pd}. */
    public static final int MAX_PD_OFFSET = MAX_MR_OFFSET + 4;
    /** Offset of {@code max_qp_rd_atom}. */
    public static final int MAX_QP_RD_ATOM_OFFSET = MAX_PD_OFFSET + 4;
    /** Offset of {@code max_ee_rd_atom}. */
    public static final int MAX_EE_RD_ATOM_OFFSET = MAX_QP_RD_ATOM_OFFSET + 4;
    /** Offset of {@code max_res_rd_atom}. */
    public static final int MAX_RES_RD_ATOM_OFFSET = MAX_EE_RD_ATOM_OFFSET + 4;
    /** Offset of {@code max_qp_init_rd_atom}. */
    public static final int MAX_QP_INIT_RD_ATOM_OFFSET = MAX_RES_RD_ATOM_OFFSET + 4;
    /** Offset of {@code max_ee_init_rd_atom}. */
    public static final int MAX_EE_INIT_RD_ATOM_OFFSET = MAX_QP_INIT_RD_ATOM_OFFSET + 4;
    /** Offset of {@code max_ee}. */
    public static final int MAX_EE_OFFSET = MAX_EE_INIT_RD_ATOM_OFFSET + 4;
    /** Offset of {@code max_rdd}. */
    public static final int MAX_RDD_OFFSET = MAX_EE_OFFSET + 4;
    /** Offset of {@code max_mw}. */
    public static final int MAX_MW_OFFSET = MAX_RDD_OFFSET + 4;
    /** Offset of {@code max_raw_ipv6_qp}. */
    public static final int MAX_RAW_IPV6_QP_OFFSET = MAX_MW_OFFSET + 4;
    /** Offset of {@code max_raw_ethy_qp}. */
    public static final int MAX_RAW_ETHY_QP_OFFSET = MAX_RAW_IPV6_QP_OFFSET + 4;
    /** Offset of {@code max_mcast_grp}. */
    public static final int MAX_MCAST_GRP_OFFSET = MAX_RAW_ETHY_QP_OFFSET + 4;
    /** Offset of {@code max_mcast_qp_attach}. */
    public static final int MAX_MCAST_QP_ATTACH_OFFSET = MAX_MCAST_GRP_OFFSET + 4;
    /** Offset of {@code max_total_mcast_qp_attach}. */
    public static final int MAX_TOTAL_MCAST_QP_ATTACH_OFFSET = MAX_MCAST_QP_ATTACH_OFFSET + 4;
    /** Offset of {@code max_ah}. */
    public static final int MAX_AH_OFFSET = MAX_TOTAL_MCAST_QP_ATTACH_OFFSET + 4;
    /** Offset of {@code max_fmr}. */
    public static final int MAX_FMR_OFFSET = MAX_AH_OFFSET + 4;
    /** Offset of {@code max_map_per_fmr}. */
    public static final int MAX_MAP_PER_FMR_OFFSET = MAX_FMR_OFFSET + 4;
    /** Offset of {@code max_srq}. */
    public static final int MAX_SRQ_OFFSET = MAX_MAP_PER_FMR_OFFSET + 4;
    /** Offset of {@code max_srq_wr}. */
    public static final int MAX_SRQ_WR_OFFSET = MAX_SRQ_OFFSET + 4;
    /** Offset of {@code max_srq_sge}. */
    public static final int MAX_SRQ_SGE_OFFSET = MAX_SRQ_WR_OFFSET + 4;
    /** Offset of {@code max_uar}. */
    public static final int MAX_UAR_OFFSET = MAX_SRQ_SGE_OFFSET + 4;
    /** Offset of {@code gid_tbl_len}. */
    public static final int GID_TBL_LEN_OFFSET = MAX_UAR_OFFSET + 4;
    /** Offset of {@code max_pkeys}. */
    public static final int MAX_PKEYS_OFFSET = GID_TBL_LEN_OFFSET + 4;
    /** Offset of {@code local_ca_ack_delay}. */
    public static final int LOCAL_CA_ACK_DELAY_OFFSET = MAX_PKEYS_OFFSET + 2;
    /** Offset of {@code phys_port_cnt}. */
    public static final int PHYS_PORT_CNT_OFFSET = LOCAL_CA_ACK_DELAY_OFFSET + 1;
    /** Offset of {@code mode}. */
    public static final int MODE_OFFSET = PHYS_PORT_CNT_OFFSET + 1;
    /** Offset of {@code atomic_ops}. */
    public static final int ATOMIC_OPS_OFFSET = MODE_OFFSET + 1;
    /** Offset of {@code bmme_flags}. */
    public static final int BMME_FLAGS_OFFSET = ATOMIC_OPS_OFFSET + 1;
    /** Offset of {@code gid_types}. */
    public static final int GID_TYPES_OFFSET = BMME_FLAGS_OFFSET + 1;
    /** Offset of {@code max_fast_reg_page_list_len}. */
    public static final int MAX_FAST_REG_PAGE_LIST_LEN_OFFSET = GID_TYPES_OFFSET + 1;
    /** Bytes of the struct. */
    public static final int LENGTH = MAX_FAST_REG_PAGE_LIST_LEN_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_device_caps", LENGTH)
        .u64("fw_ver", FW_VER_OFFSET)
        .be64("node_guid", NODE_GUID_OFFSET)
        .be64("sys_image_guid", SYS_IMAGE_GUID_OFFSET)
        .u64("max_mr_size", MAX_MR_SIZE_OFFSET)
        .u64("page_size_cap", PAGE_SIZE_CAP_OFFSET)
        .u64("atomic_arg_sizes", ATOMIC_ARG_SIZES_OFFSET)
        .u32("ex_comp_mask", EX_COMP_MASK_OFFSET)
        .u32("device_cap_flags2", DEVICE_CAP_FLAGS2_OFFSET)
        .u32("max_fa_bit_boundary", MAX_FA_BIT_BOUNDARY_OFFSET)
        .u32("log_max_atomic_inline_arg", LOG_MAX_ATOMIC_INLINE_ARG_OFFSET)
        .u32("vendor_id", VENDOR_ID_OFFSET)
        .u32("vendor_part_id", VENDOR_PART_ID_OFFSET)
        .u32("hw_ver", HW_VER_OFFSET)
        .u32("max_qp", MAX_QP_OFFSET)
        .u32("max_qp_wr", MAX_QP_WR_OFFSET)
        .u32("device_cap_flags", DEVICE_CAP_FLAGS_OFFSET)
        .u32("max_sge", MAX_SGE_OFFSET)
        .u32("max_sge_rd", MAX_SGE_RD_OFFSET)
        .u32("max_cq", MAX_CQ_OFFSET)
        .u32("max_cqe", MAX_CQE_OFFSET)
        .u32("max_mr", MAX_MR_OFFSET)
        .u32("max_pd", MAX_PD_OFFSET)
        .u32("max_qp_rd_atom", MAX_QP_RD_ATOM_OFFSET)
        .u32("max_ee_rd_atom", MAX_EE_RD_ATOM_OFFSET)
        .u32("max_res_rd_atom", MAX_RES_RD_ATOM_OFFSET)
        .u32("max_qp_init_rd_atom", MAX_QP_INIT_RD_ATOM_OFFSET)
        .u32("max_ee_init_rd_atom", MAX_EE_INIT_RD_ATOM_OFFSET)
        .u32("max_ee", MAX_EE_OFFSET)
        .u32("max_rdd", MAX_RDD_OFFSET)
        .u32("max_mw", MAX_MW_OFFSET)
        .u32("max_raw_ipv6_qp", MAX_RAW_IPV6_QP_OFFSET)
        .u32("max_raw_ethy_qp", MAX_RAW_ETHY_QP_OFFSET)
        .u32("max_mcast_grp", MAX_MCAST_GRP_OFFSET)
        .u32("max_mcast_qp_attach", MAX_MCAST_QP_ATTACH_OFFSET)
        .u32("max_total_mcast_qp_attach", MAX_TOTAL_MCAST_QP_ATTACH_OFFSET)
        .u32("max_ah", MAX_AH_OFFSET)
        .u32("max_fmr", MAX_FMR_OFFSET)
        .u32("max_map_per_fmr", MAX_MAP_PER_FMR_OFFSET)
        .u32("max_srq", MAX_SRQ_OFFSET)
        .u32("max_srq_wr", MAX_SRQ_WR_OFFSET)
        .u32("max_srq_sge", MAX_SRQ_SGE_OFFSET)
        .u32("max_uar", MAX_UAR_OFFSET)
        .u32("gid_tbl_len", GID_TBL_LEN_OFFSET)
        .u16("max_pkeys", MAX_PKEYS_OFFSET)
        .u8("local_ca_ack_delay", LOCAL_CA_ACK_DELAY_OFFSET)
        .u8("phys_port_cnt", PHYS_PORT_CNT_OFFSET)
        .u8("mode", MODE_OFFSET, DeviceMode::name)
        .u8("atomic_ops", ATOMIC_OPS_OFFSET, AtomicOps::name)
        .u8("bmme_flags", BMME_FLAGS_OFFSET, BmmeFlags::name)
        .u8("gid_types", GID_TYPES_OFFSET, GidType::name)
        .u32("max_fast_reg_page_list_len", MAX_FAST_REG_PAGE_LIST_LEN_OFFSET)
        .build();


    CapsLayout() {
    }

    @Override
    public final Layout layout() {
        return LAYOUT;
    }
}
