/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/**
 * What the device can do, {@code struct pvrdma_device_caps}: {@value #LENGTH} bytes at the end of the {@link Dsr},
 * written by the device when the address of the shared region is given to it. Counts are unsigned.
 */
public final class Caps extends CapsLayout {
    /** Creates a view that looks at nothing yet. */
    public Caps() {
    }

    /** {@return the firmware version: major in bits 32 and up, minor in 16 to 31, sub in 0 to 15} */
    public long fwVer() {
        return u64(FW_VER_OFFSET);
    }

    /** {@return this, with {@code fw_ver} set}
     * @param value the firmware version: major in bits 32 and up, minor in 16 to 31, sub in 0 to 15 */
    public Caps fwVer(long value) {
        return u64(FW_VER_OFFSET, value);
    }

    /** {@return the GUID of the node, first byte highest} */
    public long nodeGuid() {
        return be64(NODE_GUID_OFFSET);
    }

    /** {@return this, with {@code node_guid} set}
     * @param value the GUID of the node, first byte highest */
    public Caps nodeGuid(long value) {
        return be64(NODE_GUID_OFFSET, value);
    }

    /** {@return the GUID of the system, first byte highest} */
    public long sysImageGuid() {
        return be64(SYS_IMAGE_GUID_OFFSET);
    }

    /** {@return this, with {@code sys_image_guid} set}
     * @param value the GUID of the system, first byte highest */
    public Caps sysImageGuid(long value) {
        return be64(SYS_IMAGE_GUID_OFFSET, value);
    }

    /** {@return the bytes of the largest region, unsigned} */
    public long maxMrSize() {
        return u64(MAX_MR_SIZE_OFFSET);
    }

    /** {@return this, with {@code max_mr_size} set}
     * @param value the bytes of the largest region, unsigned */
    public Caps maxMrSize(long value) {
        return u64(MAX_MR_SIZE_OFFSET, value);
    }

    /** {@return the page sizes as a mask} */
    public long pageSizeCap() {
        return u64(PAGE_SIZE_CAP_OFFSET);
    }

    /** {@return this, with {@code page_size_cap} set}
     * @param value the page sizes as a mask */
    public Caps pageSizeCap(long value) {
        return u64(PAGE_SIZE_CAP_OFFSET, value);
    }

    /** {@return the operand sizes of extended atomics} */
    public long atomicArgSizes() {
        return u64(ATOMIC_ARG_SIZES_OFFSET);
    }

    /** {@return this, with {@code atomic_arg_sizes} set}
     * @param value the operand sizes of extended atomics */
    public Caps atomicArgSizes(long value) {
        return u64(ATOMIC_ARG_SIZES_OFFSET, value);
    }

    /** {@return which extended fields are valid} */
    public int exCompMask() {
        return u32(EX_COMP_MASK_OFFSET);
    }

    /** {@return this, with {@code ex_comp_mask} set}
     * @param value which extended fields are valid */
    public Caps exCompMask(int value) {
        return u32(EX_COMP_MASK_OFFSET, value);
    }

    /** {@return the second mask of capabilities} */
    public int deviceCapFlags2() {
        return u32(DEVICE_CAP_FLAGS2_OFFSET);
    }

    /** {@return this, with {@code device_cap_flags2} set}
     * @param value the second mask of capabilities */
    public Caps deviceCapFlags2(int value) {
        return u32(DEVICE_CAP_FLAGS2_OFFSET, value);
    }

    /** {@return the largest boundary of masked fetch and add} */
    public int maxFaBitBoundary() {
        return u32(MAX_FA_BIT_BOUNDARY_OFFSET);
    }

    /** {@return this, with {@code max_fa_bit_boundary} set}
     * @param value the largest boundary of masked fetch and add */
    public Caps maxFaBitBoundary(int value) {
        return u32(MAX_FA_BIT_BOUNDARY_OFFSET, value);
    }

    /** {@return log2 of the longest inline operand} */
    public int logMaxAtomicInlineArg() {
        return u32(LOG_MAX_ATOMIC_INLINE_ARG_OFFSET);
    }

    /** {@return this, with {@code log_max_atomic_inline_arg} set}
     * @param value log2 of the longest inline operand */
    public Caps logMaxAtomicInlineArg(int value) {
        return u32(LOG_MAX_ATOMIC_INLINE_ARG_OFFSET, value);
    }

    /** {@return the vendor} */
    public int vendorId() {
        return u32(VENDOR_ID_OFFSET);
    }

    /** {@return this, with {@code vendor_id} set}
     * @param value the vendor */
    public Caps vendorId(int value) {
        return u32(VENDOR_ID_OFFSET, value);
    }

    /** {@return the part} */
    public int vendorPartId() {
        return u32(VENDOR_PART_ID_OFFSET);
    }

    /** {@return this, with {@code vendor_part_id} set}
     * @param value the part */
    public Caps vendorPartId(int value) {
        return u32(VENDOR_PART_ID_OFFSET, value);
    }

    /** {@return the hardware version} */
    public int hwVer() {
        return u32(HW_VER_OFFSET);
    }

    /** {@return this, with {@code hw_ver} set}
     * @param value the hardware version */
    public Caps hwVer(int value) {
        return u32(HW_VER_OFFSET, value);
    }

    /** {@return the most QPs} */
    public int maxQp() {
        return u32(MAX_QP_OFFSET);
    }

    /** {@return this, with {@code max_qp} set}
     * @param value the most QPs */
    public Caps maxQp(int value) {
        return u32(MAX_QP_OFFSET, value);
    }

    /** {@return the most WQEs of a queue} */
    public int maxQpWr() {
        return u32(MAX_QP_WR_OFFSET);
    }

    /** {@return this, with {@code max_qp_wr} set}
     * @param value the most WQEs of a queue */
    public Caps maxQpWr(int value) {
        return u32(MAX_QP_WR_OFFSET, value);
    }

    /** {@return the mask of capabilities} */
    public int deviceCapFlags() {
        return u32(DEVICE_CAP_FLAGS_OFFSET);
    }

    /** {@return this, with {@code device_cap_flags} set}
     * @param value the mask of capabilities */
    public Caps deviceCapFlags(int value) {
        return u32(DEVICE_CAP_FLAGS_OFFSET, value);
    }

    /** {@return the most SGEs of a WQE} */
    public int maxSge() {
        return u32(MAX_SGE_OFFSET);
    }

    /** {@return this, with {@code max_sge} set}
     * @param value the most SGEs of a WQE */
    public Caps maxSge(int value) {
        return u32(MAX_SGE_OFFSET, value);
    }

    /** {@return the most SGEs of a read, from device version 18 on} */
    public int maxSgeRd() {
        return u32(MAX_SGE_RD_OFFSET);
    }

    /** {@return this, with {@code max_sge_rd} set}
     * @param value the most SGEs of a read, from device version 18 on */
    public Caps maxSgeRd(int value) {
        return u32(MAX_SGE_RD_OFFSET, value);
    }

    /** {@return the most CQs} */
    public int maxCq() {
        return u32(MAX_CQ_OFFSET);
    }

    /** {@return this, with {@code max_cq} set}
     * @param value the most CQs */
    public Caps maxCq(int value) {
        return u32(MAX_CQ_OFFSET, value);
    }

    /** {@return the most CQEs of a CQ} */
    public int maxCqe() {
        return u32(MAX_CQE_OFFSET);
    }

    /** {@return this, with {@code max_cqe} set}
     * @param value the most CQEs of a CQ */
    public Caps maxCqe(int value) {
        return u32(MAX_CQE_OFFSET, value);
    }

    /** {@return the most regions} */
    public int maxMr() {
        return u32(MAX_MR_OFFSET);
    }

    /** {@return this, with {@code max_mr} set}
     * @param value the most regions */
    public Caps maxMr(int value) {
        return u32(MAX_MR_OFFSET, value);
    }

    /** {@return the most protection domains} */
    public int maxPd() {
        return u32(MAX_PD_OFFSET);
    }

    /** {@return this, with {@code max_pd} set}
     * @param value the most protection domains */
    public Caps maxPd(int value) {
        return u32(MAX_PD_OFFSET, value);
    }

    /** {@return the most incoming reads and atomics of a QP} */
    public int maxQpRdAtom() {
        return u32(MAX_QP_RD_ATOM_OFFSET);
    }

    /** {@return this, with {@code max_qp_rd_atom} set}
     * @param value the most incoming reads and atomics of a QP */
    public Caps maxQpRdAtom(int value) {
        return u32(MAX_QP_RD_ATOM_OFFSET, value);
    }

    /** {@return the same of an end-to-end context} */
    public int maxEeRdAtom() {
        return u32(MAX_EE_RD_ATOM_OFFSET);
    }

    /** {@return this, with {@code max_ee_rd_atom} set}
     * @param value the same of an end-to-end context */
    public Caps maxEeRdAtom(int value) {
        return u32(MAX_EE_RD_ATOM_OFFSET, value);
    }

    /** {@return the same of the device} */
    public int maxResRdAtom() {
        return u32(MAX_RES_RD_ATOM_OFFSET);
    }

    /** {@return this, with {@code max_res_rd_atom} set}
     * @param value the same of the device */
    public Caps maxResRdAtom(int value) {
        return u32(MAX_RES_RD_ATOM_OFFSET, value);
    }

    /** {@return the most outgoing reads and atomics of a QP} */
    public int maxQpInitRdAtom() {
        return u32(MAX_QP_INIT_RD_ATOM_OFFSET);
    }

    /** {@return this, with {@code max_qp_init_rd_atom} set}
     * @param value the most outgoing reads and atomics of a QP */
    public Caps maxQpInitRdAtom(int value) {
        return u32(MAX_QP_INIT_RD_ATOM_OFFSET, value);
    }

    /** {@return the same of an end-to-end context} */
    public int maxEeInitRdAtom() {
        return u32(MAX_EE_INIT_RD_ATOM_OFFSET);
    }

    /** {@return this, with {@code max_ee_init_rd_atom} set}
     * @param value the same of an end-to-end context */
    public Caps maxEeInitRdAtom(int value) {
        return u32(MAX_EE_INIT_RD_ATOM_OFFSET, value);
    }

    /** {@return the most end-to-end contexts} */
    public int maxEe() {
        return u32(MAX_EE_OFFSET);
    }

    /** {@return this, with {@code max_ee} set}
     * @param value the most end-to-end contexts */
    public Caps maxEe(int value) {
        return u32(MAX_EE_OFFSET, value);
    }

    /** {@return the most reliable datagram domains} */
    public int maxRdd() {
        return u32(MAX_RDD_OFFSET);
    }

    /** {@return this, with {@code max_rdd} set}
     * @param value the most reliable datagram domains */
    public Caps maxRdd(int value) {
        return u32(MAX_RDD_OFFSET, value);
    }

    /** {@return the most memory windows} */
    public int maxMw() {
        return u32(MAX_MW_OFFSET);
    }

    /** {@return this, with {@code max_mw} set}
     * @param value the most memory windows */
    public Caps maxMw(int value) {
        return u32(MAX_MW_OFFSET, value);
    }

    /** {@return the most raw IPv6 QPs} */
    public int maxRawIpv6Qp() {
        return u32(MAX_RAW_IPV6_QP_OFFSET);
    }

    /** {@return this, with {@code max_raw_ipv6_qp} set}
     * @param value the most raw IPv6 QPs */
    public Caps maxRawIpv6Qp(int value) {
        return u32(MAX_RAW_IPV6_QP_OFFSET, value);
    }

    /** {@return the most raw Ethernet QPs} */
    public int maxRawEthyQp() {
        return u32(MAX_RAW_ETHY_QP_OFFSET);
    }

    /** {@return this, with {@code max_raw_ethy_qp} set}
     * @param value the most raw Ethernet QPs */
    public Caps maxRawEthyQp(int value) {
        return u32(MAX_RAW_ETHY_QP_OFFSET, value);
    }

    /** {@return the most multicast groups} */
    public int maxMcastGrp() {
        return u32(MAX_MCAST_GRP_OFFSET);
    }

    /** {@return this, with {@code max_mcast_grp} set}
     * @param value the most multicast groups */
    public Caps maxMcastGrp(int value) {
        return u32(MAX_MCAST_GRP_OFFSET, value);
    }

    /** {@return the most QPs of a group} */
    public int maxMcastQpAttach() {
        return u32(MAX_MCAST_QP_ATTACH_OFFSET);
    }

    /** {@return this, with {@code max_mcast_qp_attach} set}
     * @param value the most QPs of a group */
    public Caps maxMcastQpAttach(int value) {
        return u32(MAX_MCAST_QP_ATTACH_OFFSET, value);
    }

    /** {@return the most QPs in groups} */
    public int maxTotalMcastQpAttach() {
        return u32(MAX_TOTAL_MCAST_QP_ATTACH_OFFSET);
    }

    /** {@return this, with {@code max_total_mcast_qp_attach} set}
     * @param value the most QPs in groups */
    public Caps maxTotalMcastQpAttach(int value) {
        return u32(MAX_TOTAL_MCAST_QP_ATTACH_OFFSET, value);
    }

    /** {@return the most address handles} */
    public int maxAh() {
        return u32(MAX_AH_OFFSET);
    }

    /** {@return this, with {@code max_ah} set}
     * @param value the most address handles */
    public Caps maxAh(int value) {
        return u32(MAX_AH_OFFSET, value);
    }

    /** {@return the most fast regions of the old kind} */
    public int maxFmr() {
        return u32(MAX_FMR_OFFSET);
    }

    /** {@return this, with {@code max_fmr} set}
     * @param value the most fast regions of the old kind */
    public Caps maxFmr(int value) {
        return u32(MAX_FMR_OFFSET, value);
    }

    /** {@return the most mappings of one} */
    public int maxMapPerFmr() {
        return u32(MAX_MAP_PER_FMR_OFFSET);
    }

    /** {@return this, with {@code max_map_per_fmr} set}
     * @param value the most mappings of one */
    public Caps maxMapPerFmr(int value) {
        return u32(MAX_MAP_PER_FMR_OFFSET, value);
    }

    /** {@return the most SRQs} */
    public int maxSrq() {
        return u32(MAX_SRQ_OFFSET);
    }

    /** {@return this, with {@code max_srq} set}
     * @param value the most SRQs */
    public Caps maxSrq(int value) {
        return u32(MAX_SRQ_OFFSET, value);
    }

    /** {@return the most WQEs of an SRQ} */
    public int maxSrqWr() {
        return u32(MAX_SRQ_WR_OFFSET);
    }

    /** {@return this, with {@code max_srq_wr} set}
     * @param value the most WQEs of an SRQ */
    public Caps maxSrqWr(int value) {
        return u32(MAX_SRQ_WR_OFFSET, value);
    }

    /** {@return the most SGEs of its WQEs} */
    public int maxSrqSge() {
        return u32(MAX_SRQ_SGE_OFFSET);
    }

    /** {@return this, with {@code max_srq_sge} set}
     * @param value the most SGEs of its WQEs */
    public Caps maxSrqSge(int value) {
        return u32(MAX_SRQ_SGE_OFFSET, value);
    }

    /** {@return the most UAR pages} */
    public int maxUar() {
        return u32(MAX_UAR_OFFSET);
    }

    /** {@return this, with {@code max_uar} set}
     * @param value the most UAR pages */
    public Caps maxUar(int value) {
        return u32(MAX_UAR_OFFSET, value);
    }

    /** {@return the length of the GID table} */
    public int gidTblLen() {
        return u32(GID_TBL_LEN_OFFSET);
    }

    /** {@return this, with {@code gid_tbl_len} set}
     * @param value the length of the GID table */
    public Caps gidTblLen(int value) {
        return u32(GID_TBL_LEN_OFFSET, value);
    }

    /** {@return the length of the partition table} */
    public int maxPkeys() {
        return u16(MAX_PKEYS_OFFSET);
    }

    /** {@return this, with {@code max_pkeys} set}
     * @param value the length of the partition table */
    public Caps maxPkeys(int value) {
        return u16(MAX_PKEYS_OFFSET, value);
    }

    /** {@return how long an acknowledge may take, coded} */
    public int localCaAckDelay() {
        return u8(LOCAL_CA_ACK_DELAY_OFFSET);
    }

    /** {@return this, with {@code local_ca_ack_delay} set}
     * @param value how long an acknowledge may take, coded */
    public Caps localCaAckDelay(int value) {
        return u8(LOCAL_CA_ACK_DELAY_OFFSET, value);
    }

    /** {@return the number of ports} */
    public int physPortCnt() {
        return u8(PHYS_PORT_CNT_OFFSET);
    }

    /** {@return this, with {@code phys_port_cnt} set}
     * @param value the number of ports */
    public Caps physPortCnt(int value) {
        return u8(PHYS_PORT_CNT_OFFSET, value);
    }

    /** {@return the {@link DeviceMode}} */
    public int mode() {
        return u8(MODE_OFFSET);
    }

    /** {@return this, with {@code mode} set}
     * @param value the {@link DeviceMode} */
    public Caps mode(int value) {
        return u8(MODE_OFFSET, value);
    }

    /** {@return the {@link AtomicOps}} */
    public int atomicOps() {
        return u8(ATOMIC_OPS_OFFSET);
    }

    /** {@return this, with {@code atomic_ops} set}
     * @param value the {@link AtomicOps} */
    public Caps atomicOps(int value) {
        return u8(ATOMIC_OPS_OFFSET, value);
    }

    /** {@return the {@link BmmeFlags}} */
    public int bmmeFlags() {
        return u8(BMME_FLAGS_OFFSET);
    }

    /** {@return this, with {@code bmme_flags} set}
     * @param value the {@link BmmeFlags} */
    public Caps bmmeFlags(int value) {
        return u8(BMME_FLAGS_OFFSET, value);
    }

    /** {@return the {@link GidType}s} */
    public int gidTypes() {
        return u8(GID_TYPES_OFFSET);
    }

    /** {@return this, with {@code gid_types} set}
     * @param value the {@link GidType}s */
    public Caps gidTypes(int value) {
        return u8(GID_TYPES_OFFSET, value);
    }

    /** {@return the most pages of a fast registration, from device version 18 on} */
    public int maxFastRegPageListLen() {
        return u32(MAX_FAST_REG_PAGE_LIST_LEN_OFFSET);
    }

    /** {@return this, with {@code max_fast_reg_page_list_len} set}
     * @param value the most pages of a fast registration, from device version 18 on */
    public Caps maxFastRegPageListLen(int value) {
        return u32(MAX_FAST_REG_PAGE_LIST_LEN_OFFSET, value);
    }
}
