/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Layout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Every struct of the device, written down a second time with literal numbers: what the classes are held against.
 *
 * <p>A struct begins with the name of its class (and of the layout constant, if it is not LAYOUT), its C name and its
 * length. Then come the fields: offset, kind, C name, and, if the class has static accessors, the name of the accessor
 * if that is not the camel case of the last part of the C name. Kinds: numbers as in {@link Layout.Kind}, {@code bN} N
 * bytes, {@code zN} N zero bytes, or the class of a nested struct. An accessor "-" means that there is none to test.
 */
final class Datasheet {
    private static final String RINGS_AND_WORK = """
        RingState pvrdma_ring_state 16
          0 u32 tx.prod_tail=txProdTail, 4 u32 tx.cons_head=txConsHead,
          8 u32 rx.prod_tail=rxProdTail, 12 u32 rx.cons_head=rxConsHead

        Sge pvrdma_sge 16
          0 u64 addr, 8 u32 length, 12 u32 lkey

        RqWqe pvrdma_rq_wqe_hdr 16
          0 u64 wr_id, 8 u32 num_sge, 12 z4

        SqWqe pvrdma_sq_wqe_hdr 80
          0 u64 wr_id, 8 u32 num_sge, 12 u32 total_len, 16 u32 opcode, 20 u32 send_flags, 24 u32 imm_data, 28 z4,
          32 b48 wr=-

        SqWqe.RDMA_LAYOUT pvrdma_sq_wqe_hdr 80
          0 u64 wr_id, 8 u32 num_sge, 12 u32 total_len, 16 u32 opcode, 20 u32 send_flags, 24 u32 imm_data, 28 z4,
          32 u64 wr.rdma.remote_addr=rdmaRemoteAddr, 40 u32 wr.rdma.rkey=rdmaRkey, 44 z36

        SqWqe.ATOMIC_LAYOUT pvrdma_sq_wqe_hdr 80
          0 u64 wr_id, 8 u32 num_sge, 12 u32 total_len, 16 u32 opcode, 20 u32 send_flags, 24 u32 imm_data, 28 z4,
          32 u64 wr.atomic.remote_addr=atomicRemoteAddr, 40 u64 wr.atomic.compare_add=atomicCompareAdd,
          48 u64 wr.atomic.swap=atomicSwap, 56 u32 wr.atomic.rkey=atomicRkey, 60 z20

        SqWqe.FAST_REG_LAYOUT pvrdma_sq_wqe_hdr 80
          0 u64 wr_id, 8 u32 num_sge, 12 u32 total_len, 16 u32 opcode, 20 u32 send_flags, 24 u32 imm_data, 28 z4,
          32 u64 wr.fast_reg.iova_start=fastRegIovaStart, 40 u64 wr.fast_reg.pl_pdir_dma=fastRegPlPdirDma,
          48 u32 wr.fast_reg.page_shift=fastRegPageShift, 52 u32 wr.fast_reg.page_list_len=fastRegPageListLen,
          56 u32 wr.fast_reg.length=fastRegLength, 60 u32 wr.fast_reg.access_flags=fastRegAccess,
          64 u32 wr.fast_reg.rkey=fastRegRkey, 68 z12

        SqWqe.MASKED_CAS_LAYOUT pvrdma_sq_wqe_hdr 80
          0 u64 wr_id, 8 u32 num_sge, 12 u32 total_len, 16 u32 opcode, 20 u32 send_flags, 24 u32 imm_data, 28 z4,
          32 u64 wr.masked_atomics.remote_addr=maskedCasRemoteAddr,
          40 u32 wr.masked_atomics.log_arg_sz=maskedCasLogArgSz, 44 u32 wr.masked_atomics.rkey=maskedCasRkey,
          48 u64 wr.masked_atomics.swap_val=maskedCasSwap, 56 u64 wr.masked_atomics.compare_val=maskedCasCompare,
          64 u64 wr.masked_atomics.swap_mask=maskedCasSwapMask, 72 u64 wr.masked_atomics.compare_mask=maskedCasCmpMask

        SqWqe.MASKED_FAA_LAYOUT pvrdma_sq_wqe_hdr 80
          0 u64 wr_id, 8 u32 num_sge, 12 u32 total_len, 16 u32 opcode, 20 u32 send_flags, 24 u32 imm_data, 28 z4,
          32 u64 wr.masked_atomics.remote_addr=maskedFaaRemoteAddr,
          40 u32 wr.masked_atomics.log_arg_sz=maskedFaaLogArgSz, 44 u32 wr.masked_atomics.rkey=maskedFaaRkey,
          48 u64 wr.masked_atomics.add_val=maskedFaaAdd,
          56 u64 wr.masked_atomics.field_boundary=maskedFaaFieldBoundary, 64 z16

        SqWqe.BIND_LAYOUT pvrdma_sq_wqe_hdr 80
          0 u64 wr_id, 8 u32 num_sge, 12 u32 total_len, 16 u32 opcode, 20 u32 send_flags, 24 u32 imm_data, 28 z4,
          32 u64 wr.bind.addr=bindAddr, 40 u64 wr.bind.length=bindLength, 48 u32 wr.bind.mw_rkey=bindMwRkey,
          52 u32 wr.bind.new_rkey=bindNewRkey, 56 u32 wr.bind.mr_lkey=bindMrLkey,
          60 u32 wr.bind.access_flags=bindAccess, 64 z16

        SqWqe.UD_LAYOUT pvrdma_sq_wqe_hdr 80
          0 u64 wr_id, 8 u32 num_sge, 12 u32 total_len, 16 u32 opcode, 20 u32 send_flags, 24 u32 imm_data, 28 z4,
          32 u32 wr.ud.remote_qpn=udRemoteQpn, 36 u32 wr.ud.remote_qkey=udRemoteQkey,
          40 u32 wr.ud.av.port_pd=-, 44 u32 wr.ud.av.sl_tclass_flowlabel=-, 48 b16 wr.ud.av.dgid=-,
          64 u8 wr.ud.av.src_path_bits=-, 65 u8 wr.ud.av.gid_index, 66 u8 wr.ud.av.stat_rate=-,
          67 u8 wr.ud.av.hop_limit=-, 68 b6 wr.ud.av.dmac=-, 74 z6

        Av pvrdma_av 40
          0 u32 port_pd, 4 u32 sl_tclass_flowlabel=trafficClassFlowLabel, 8 b16 dgid, 24 u8 src_path_bits,
          25 u8 gid_index, 26 u8 stat_rate, 27 u8 hop_limit, 28 b6 dmac, 34 z6

        Cqe pvrdma_cqe 64
          0 u64 wr_id, 8 u64 qp, 16 u32 opcode, 20 u32 status, 24 u32 byte_len, 28 u32 imm_data, 32 u32 src_qp,
          36 u32 wc_flags, 40 u32 vendor_err, 44 u16 pkey_index, 46 u16 slid, 48 u8 sl, 49 u8 dlid_path_bits,
          50 u8 port_num, 51 b6 smac, 57 u8 network_hdr_type, 58 z6

        Eqe pvrdma_eqe 8
          0 u32 type, 4 u32 info

        Cqne pvrdma_cqne 4
          0 u32 info
        """;

    private static final String SHARED_REGION = """
        Caps pvrdma_device_caps 208
          0 u64 fw_ver, 8 be64 node_guid, 16 be64 sys_image_guid, 24 u64 max_mr_size, 32 u64 page_size_cap,
          40 u64 atomic_arg_sizes, 48 u32 ex_comp_mask, 52 u32 device_cap_flags2, 56 u32 max_fa_bit_boundary,
          60 u32 log_max_atomic_inline_arg, 64 u32 vendor_id, 68 u32 vendor_part_id, 72 u32 hw_ver, 76 u32 max_qp,
          80 u32 max_qp_wr, 84 u32 device_cap_flags, 88 u32 max_sge, 92 u32 max_sge_rd, 96 u32 max_cq, 100 u32 max_cqe,
          104 u32 max_mr, 108 u32 max_pd, 112 u32 max_qp_rd_atom, 116 u32 max_ee_rd_atom, 120 u32 max_res_rd_atom,
          124 u32 max_qp_init_rd_atom, 128 u32 max_ee_init_rd_atom, 132 u32 max_ee, 136 u32 max_rdd, 140 u32 max_mw,
          144 u32 max_raw_ipv6_qp, 148 u32 max_raw_ethy_qp, 152 u32 max_mcast_grp, 156 u32 max_mcast_qp_attach,
          160 u32 max_total_mcast_qp_attach, 164 u32 max_ah, 168 u32 max_fmr, 172 u32 max_map_per_fmr, 176 u32 max_srq,
          180 u32 max_srq_wr, 184 u32 max_srq_sge, 188 u32 max_uar, 192 u32 gid_tbl_len, 196 u16 max_pkeys,
          198 u8 local_ca_ack_delay, 199 u8 phys_port_cnt, 200 u8 mode, 201 u8 atomic_ops, 202 u8 bmme_flags,
          203 u8 gid_types, 204 u32 max_fast_reg_page_list_len

        Dsr pvrdma_device_shared_region 280
          0 u32 driver_version, 4 z4, 8 u32 gos_info, 12 z4, 16 u64 cmd_slot_dma, 24 u64 resp_slot_dma,
          32 u32 async_ring_pages.num_pages, 36 z4,
          40 u64 async_ring_pages.pdir_dma, 48 u32 cq_ring_pages.num_pages, 52 z4,
          56 u64 cq_ring_pages.pdir_dma, 64 u64 uar_pfn64, 72 Caps caps
        """;

    private static final String ATTRIBUTES = """
        cmd.PortAttr pvrdma_port_attr 48
          0 u32 state, 4 u32 max_mtu, 8 u32 active_mtu, 12 u32 gid_tbl_len, 16 u32 port_cap_flags, 20 u32 max_msg_sz,
          24 u32 bad_pkey_cntr, 28 u32 qkey_viol_cntr, 32 u16 pkey_tbl_len, 34 u16 lid, 36 u16 sm_lid, 38 u8 lmc,
          39 u8 max_vl_num, 40 u8 sm_sl, 41 u8 subnet_timeout, 42 u8 init_type_reply, 43 u8 active_width,
          44 u8 active_speed, 45 u8 phys_state, 46 z2

        cmd.QpCap pvrdma_qp_cap 24
          0 u32 max_send_wr, 4 u32 max_recv_wr, 8 u32 max_send_sge, 12 u32 max_recv_sge, 16 u32 max_inline_data, 20 z4

        cmd.AhAttr pvrdma_ah_attr 40
          0 b16 grh.dgid, 16 u32 grh.flow_label, 20 u8 grh.sgid_index, 21 u8 grh.hop_limit, 22 u8 grh.traffic_class,
          23 z1, 24 u16 dlid, 26 u16 vlan_id, 28 u8 sl, 29 u8 src_path_bits, 30 u8 static_rate, 31 u8 ah_flags,
          32 u8 port_num, 33 b6 dmac, 39 z1

        cmd.SrqAttr pvrdma_srq_attr 16
          0 u32 max_wr, 4 u32 max_sge, 8 u32 srq_limit, 12 z4

        cmd.QpAttr pvrdma_qp_attr 160
          0 u32 qp_state, 4 u32 cur_qp_state, 8 u32 path_mtu, 12 u32 path_mig_state, 16 u32 qkey, 20 u32 rq_psn,
          24 u32 sq_psn, 28 u32 dest_qp_num, 32 u32 qp_access_flags, 36 u16 pkey_index, 38 u16 alt_pkey_index,
          40 u8 en_sqd_async_notify, 41 u8 sq_draining, 42 u8 max_rd_atomic, 43 u8 max_dest_rd_atomic,
          44 u8 min_rnr_timer, 45 u8 port_num, 46 u8 timeout, 47 u8 retry_cnt, 48 u8 rnr_retry, 49 u8 alt_port_num,
          50 u8 alt_timeout, 51 z5, 56 cmd.QpCap cap, 80 cmd.AhAttr ah_attr, 120 cmd.AhAttr alt_ah_attr

        cmd.CommandHeader pvrdma_cmd_hdr 16
          0 u64 response, 8 u32 cmd, 12 z4

        cmd.ResponseHeader pvrdma_cmd_resp_hdr 16
          0 u64 response, 8 u32 ack, 12 u8 err, 13 z3
        """;

    private static final String REQUESTS = """
        cmd.QueryPortRequest pvrdma_cmd_query_port 24
          0 cmd.CommandHeader hdr, 16 u8 port_num, 17 z7

        cmd.QueryPkeyRequest pvrdma_cmd_query_pkey 24
          0 cmd.CommandHeader hdr, 16 u8 port_num, 17 u8 index, 18 z6

        cmd.CreatePdRequest pvrdma_cmd_create_pd 24
          0 cmd.CommandHeader hdr, 16 u32 ctx_handle, 20 z4

        cmd.HandleRequest pvrdma_cmd_handle 24
          0 cmd.CommandHeader hdr, 16 u32 handle, 20 z4

        cmd.CreateMrRequest pvrdma_cmd_create_mr 56
          0 cmd.CommandHeader hdr, 16 u64 start, 24 u64 length, 32 u64 pdir_dma, 40 u32 pd_handle,
          44 u32 access_flags, 48 u32 flags, 52 u32 nchunks

        cmd.CreateCqRequest pvrdma_cmd_create_cq 40
          0 cmd.CommandHeader hdr, 16 u64 pdir_dma, 24 u32 ctx_handle, 28 u32 cqe, 32 u32 nchunks, 36 z4

        cmd.ResizeCqRequest pvrdma_cmd_resize_cq 24
          0 cmd.CommandHeader hdr, 16 u32 cq_handle, 20 u32 cqe

        cmd.CreateQpRequest pvrdma_cmd_create_qp 80
          0 cmd.CommandHeader hdr, 16 u64 pdir_dma, 24 u32 pd_handle, 28 u32 send_cq_handle,
          32 u32 recv_cq_handle, 36 u32 srq_handle, 40 u32 max_send_wr, 44 u32 max_recv_wr,
          48 u32 max_send_sge, 52 u32 max_recv_sge, 56 u32 max_inline_data, 60 u32 lkey, 64 u32 access_flags,
          68 u16 total_chunks, 70 u16 send_chunks, 72 u16 max_atomic_arg, 74 u8 sq_sig_all, 75 u8 qp_type,
          76 u8 is_srq, 77 z3

        cmd.ModifyQpRequest pvrdma_cmd_modify_qp 184
          0 cmd.CommandHeader hdr, 16 u32 qp_handle, 20 u32 attr_mask, 24 cmd.QpAttr attrs

        cmd.QueryQpRequest pvrdma_cmd_query_qp 24
          0 cmd.CommandHeader hdr, 16 u32 qp_handle, 20 u32 attr_mask

        cmd.CreateUcRequest pvrdma_cmd_create_uc 24
          0 cmd.CommandHeader hdr, 16 u64 pfn64

        cmd.CreateBindRequest pvrdma_cmd_create_bind 48
          0 cmd.CommandHeader hdr, 16 u32 mtu, 20 u32 vlan, 24 u32 index, 28 b16 new_gid, 44 u8 gid_type,
          45 z3

        cmd.DestroyBindRequest pvrdma_cmd_destroy_bind 40
          0 cmd.CommandHeader hdr, 16 u32 index, 20 b16 dest_gid, 36 z4

        cmd.CreateSrqRequest pvrdma_cmd_create_srq 56
          0 cmd.CommandHeader hdr, 16 u64 pdir_dma, 24 u32 pd_handle, 28 u32 nchunks,
          32 cmd.SrqAttr attrs, 48 u8 srq_type, 49 z7

        cmd.ModifySrqRequest pvrdma_cmd_modify_srq 40
          0 cmd.CommandHeader hdr, 16 u32 srq_handle, 20 u32 attr_mask, 24 cmd.SrqAttr attrs

        cmd.CreateMwRequest rdma4j_cmd_create_mw 24
          0 cmd.CommandHeader hdr, 16 u32 pd_handle, 20 u32 type

        cmd.ResizeCqRingRequest rdma4j_cmd_resize_cq_ring 40
          0 cmd.CommandHeader hdr, 16 u64 pdir_dma, 24 u32 cq_handle, 28 u32 cqe, 32 u32 nchunks, 36 z4
        """;

    private static final String RESPONSES = """
        cmd.QueryPortResponse pvrdma_cmd_query_port_resp 64
          0 cmd.ResponseHeader hdr, 16 cmd.PortAttr attrs

        cmd.QueryPkeyResponse pvrdma_cmd_query_pkey_resp 24
          0 cmd.ResponseHeader hdr, 16 u16 pkey, 18 z6

        cmd.HandleResponse pvrdma_cmd_handle_resp 24
          0 cmd.ResponseHeader hdr, 16 u32 handle, 20 z4

        cmd.CreateMrResponse pvrdma_cmd_create_mr_resp 32
          0 cmd.ResponseHeader hdr, 16 u32 mr_handle, 20 u32 lkey, 24 u32 rkey, 28 z4

        cmd.CreateCqResponse pvrdma_cmd_create_cq_resp 24
          0 cmd.ResponseHeader hdr, 16 u32 cq_handle, 20 u32 cqe

        cmd.ResizeCqResponse pvrdma_cmd_resize_cq_resp 24
          0 cmd.ResponseHeader hdr, 16 u32 cqe, 20 z4

        cmd.CreateQpResponse pvrdma_cmd_create_qp_resp 40
          0 cmd.ResponseHeader hdr, 16 u32 qpn, 20 u32 max_send_wr, 24 u32 max_recv_wr, 28 u32 max_send_sge,
          32 u32 max_recv_sge, 36 u32 max_inline_data

        cmd.CreateQpResponseV2 pvrdma_cmd_create_qp_resp_v2 48
          0 cmd.ResponseHeader hdr, 16 u32 qpn, 20 u32 qp_handle, 24 u32 max_send_wr, 28 u32 max_recv_wr,
          32 u32 max_send_sge, 36 u32 max_recv_sge, 40 u32 max_inline_data, 44 z4

        cmd.QueryQpResponse pvrdma_cmd_query_qp_resp 176
          0 cmd.ResponseHeader hdr, 16 cmd.QpAttr attrs

        cmd.DestroyQpResponse pvrdma_cmd_destroy_qp_resp 24
          0 cmd.ResponseHeader hdr, 16 u32 events_reported, 20 z4

        cmd.QuerySrqResponse pvrdma_cmd_query_srq_resp 32
          0 cmd.ResponseHeader hdr, 16 cmd.SrqAttr attrs

        cmd.CreateMwResponse rdma4j_cmd_create_mw_resp 24
          0 cmd.ResponseHeader hdr, 16 u32 mw_handle, 20 u32 rkey

        cmd.ResizeCqRingResponse rdma4j_cmd_resize_cq_ring_resp 24
          0 cmd.ResponseHeader hdr, 16 u32 cqe, 20 z4
        """;

    private static final Map<String, Integer> NUMBERS = Map.of(
        "u8", 1, "u16", 2, "u32", 4, "u64", 8, "be16", 2, "be32", 4, "be64", 8);

    private Datasheet() {
    }

    /** One field of the sheet; {@link #sizeOf} knows its size. */
    record Entry(int offset, String kind, String name, String accessor) {

        boolean isNumber() {
            return NUMBERS.containsKey(kind);
        }

        boolean isReserved() {
            return kind.matches("z\\d+");
        }

        boolean isBytes() {
            return kind.matches("b\\d+");
        }

        boolean isNested() {
            return !isNumber() && !isReserved() && !isBytes();
        }

        /** The name of the constant, if the class has a table of fields. */
        String constant() {
            return name.replace('.', '_').toUpperCase(Locale.ROOT);
        }

        boolean isHeader() {
            return name.equals("hdr");
        }

        boolean hasAccessor() {
            return !isReserved() && !accessor.equals("-");
        }
    }

    /** One struct of the sheet. */
    record Struct(String type, String constant, String name, int length, List<Entry> entries) {

        @Override
        public String toString() {
            return type + "." + constant;
        }
    }

    static List<Struct> structs() {
        final List<Struct> all = new ArrayList<>();
        for (String part : List.of(RINGS_AND_WORK, SHARED_REGION, ATTRIBUTES, REQUESTS, RESPONSES)) {
            for (String paragraph : part.split("\n\n")) {
                all.add(parse(paragraph.strip()));
            }
        }
        return all;
    }

    static Struct struct(String type) {
        return structs().stream().filter(s -> s.type.equals(type)).findFirst().orElseThrow();
    }

    static int sizeOf(Entry entry) {
        if (entry.isNumber()) {
            return NUMBERS.get(entry.kind);
        }
        return entry.isNested() ? struct(entry.kind).length : Integer.parseInt(entry.kind.substring(1));
    }

    private static Struct parse(String paragraph) {
        final String[] head = paragraph.lines().findFirst().orElseThrow().split(" ");
        final boolean variant = head[0].endsWith("_LAYOUT");
        final int dot = head[0].lastIndexOf('.');
        final List<Entry> entries = new ArrayList<>();
        for (String text : paragraph.substring(paragraph.indexOf('\n')).split(",")) {
            entries.add(parseEntry(text.strip().split("[ =]")));
        }
        return new Struct(variant ? head[0].substring(0, dot) : head[0],
            variant ? head[0].substring(dot + 1) : "LAYOUT", head[1], Integer.parseInt(head[2]), entries);
    }

    private static Entry parseEntry(String[] words) {
        final String name = words.length > 2 ? words[2] : "reserved@" + words[0];
        return new Entry(Integer.parseInt(words[0]), words[1], name, words.length > 3 ? words[3] : camelCase(name));
    }

    private static String camelCase(String name) {
        final StringBuilder camel = new StringBuilder();
        for (String word : name.substring(name.lastIndexOf('.') + 1).split("_")) {
            camel.append(camel.length() == 0 ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return camel.toString();
    }
}
