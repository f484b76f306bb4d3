/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static io.rdma4j.verbs.ibv.Abi.DeviceAttr.*;
import static io.rdma4j.verbs.ibv.Abi.DeviceAttrEx.*;

import org.agrona.DirectBuffer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a device tells of itself that means nothing to the driver; names, order and form of {@code ibv_devinfo -v},
 * those of nested lists with their list's name where they would not be clear. What it prints below a name is behind
 * it here.
 */
final class DeviceDetails {
    private static final String NOT_SUPPORTED = "not supported";
    private static final String NOTHING = "NO SUPPORT";
    private static final String UNUSED = "";
    /** By the number of their bit; {@code enum ibv_device_cap_flags}, without its prefix. */
    private static final List<String> CAP_FLAGS = List.of("RESIZE_MAX_WR", "BAD_PKEY_CNTR", "BAD_QKEY_CNTR",
        "RAW_MULTI", "AUTO_PATH_MIG", "CHANGE_PHY_PORT", "UD_AV_PORT_ENFORCE", "CURR_QP_STATE_MOD", "SHUTDOWN_PORT",
        "INIT_TYPE", "PORT_ACTIVE_EVENT", "SYS_IMAGE_GUID", "RC_RNR_NAK_GEN", "SRQ_RESIZE", "N_NOTIFY_CQ", UNUSED,
        UNUSED, "MEM_WINDOW", "UD_IP_CSUM", UNUSED, "XRC", "MEM_MGT_EXTENSIONS", UNUSED, "MEM_WINDOW_TYPE_2A",
        "MEM_WINDOW_TYPE_2B", "RC_IP_CSUM", "RAW_IP_CSUM", UNUSED, UNUSED, "MANAGED_FLOW_STEERING");
    /** From bit 32 on. */
    private static final List<String> LATER_CAP_FLAGS =
        List.of(UNUSED, UNUSED, "RAW_SCATTER_FCS", UNUSED, "PCI_WRITE_END_PADDING");
    private static final List<String> ATOMICS = List.of("ATOMIC_NONE", "ATOMIC_HCA", "ATOMIC_GLOB");
    private static final List<String> ODP = List.of("ODP_SUPPORT", "ODP_SUPPORT_IMPLICIT");
    private static final List<String> ODP_OF_TRANSPORT = List.of("SUPPORT_SEND", "SUPPORT_RECV", "SUPPORT_WRITE",
        "SUPPORT_READ", "SUPPORT_ATOMIC", "SUPPORT_SRQ");
    private static final List<String> RAW_PACKETS = List.of("C-VLAN stripping offload", "Scatter FCS offload",
        "IP csum offload", "Delay drop");
    /** By the number of {@code enum ibv_qp_type}. */
    private static final List<String> QP_TYPES = List.of(UNUSED, UNUSED, "SUPPORT_RC", "SUPPORT_UC", "SUPPORT_UD",
        UNUSED, UNUSED, UNUSED, "SUPPORT_RAW_PACKET");

    private final DirectBuffer attr;
    private final Map<String, String> all = new LinkedHashMap<>();

    private DeviceDetails(final DirectBuffer attr) {
        this.attr = attr;
    }

    /**
     * Puts them together.
     *
     * @param attr    an {@code ibv_device_attr_ex}.
     * @param device  its name.
     * @param vectors completion vectors.
     * @return unmodifiable.
     */
    static Map<String, String> of(final DirectBuffer attr, final String device, final int vectors) {
        final DeviceDetails details = new DeviceDetails(attr);
        details.board(device);
        details.first();
        details.onDemand();
        details.packets();
        details.rest(vectors);
        return Collections.unmodifiableMap(details.all);
    }

    /** What the vendor calls the card; not every driver tells. */
    private void board(final String device) {
        try {
            final String board =
                Files.readString(Path.of("/sys/class/infiniband", device, "board_id")).strip();
            if (!board.isEmpty()) {
                all.put("board_id", board);
            }
        } catch (final IOException e) {
            // As ibv_devinfo does: then there is none.
        }
    }

    private void first() {
        final int flags = attr.getInt(DEVICE_CAP_FLAGS);
        all.put("device_cap_flags", coded(String.format("0x%08x", flags), names(CAP_FLAGS, bits(DEVICE_CAP_FLAGS))));
        number("max_sge_rd", MAX_SGE_RD);
        number("max_ee_rd_atom", MAX_EE_RD_ATOM);
        number("max_res_rd_atom", MAX_RES_RD_ATOM);
        number("max_ee_init_rd_atom", MAX_EE_INIT_RD_ATOM);
        final int atomics = attr.getInt(ATOMIC_CAP);
        all.put("atomic_cap", (atomics >= 0 && atomics < ATOMICS.size() ? ATOMICS.get(atomics)
            : "invalid atomic capability") + " (" + atomics + ")");
        number("max_ee", MAX_EE);
        number("max_rdd", MAX_RDD);
        number("max_raw_ipv6_qp", MAX_RAW_IPV6_QP);
        number("max_raw_ethy_qp", MAX_RAW_ETHY_QP);
        number("max_mcast_grp", MAX_MCAST_GRP);
        number("max_mcast_qp_attach", MAX_MCAST_QP_ATTACH);
        number("max_total_mcast_qp_attach", MAX_TOTAL_MCAST_QP_ATTACH);
        number("max_fmr", MAX_FMR);
        if (attr.getInt(MAX_FMR) != 0) {
            number("max_map_per_fmr", MAX_MAP_PER_FMR);
        }
        all.put("local_ca_ack_delay", String.valueOf(attr.getByte(LOCAL_CA_ACK_DELAY) & 0xff));
    }

    private void onDemand() {
        all.put("general_odp_caps", orNothing(names(ODP, attr.getLong(ODP_CAPS_GENERAL_CAPS))));
        onDemand("rc_odp_caps", ODP_CAPS_PER_TRANSPORT_CAPS_RC_ODP_CAPS);
        onDemand("uc_odp_caps", ODP_CAPS_PER_TRANSPORT_CAPS_UC_ODP_CAPS);
        onDemand("ud_odp_caps", ODP_CAPS_PER_TRANSPORT_CAPS_UD_ODP_CAPS);
        onDemand("xrc_odp_caps", XRC_ODP_CAPS);
    }

    private void onDemand(final String name, final int offset) {
        all.put(name, orNothing(names(ODP_OF_TRANSPORT, bits(offset))));
    }

    private void packets() {
        final long mask = attr.getLong(COMPLETION_TIMESTAMP_MASK);
        all.put("completion_timestamp_mask", mask == 0 ? NOT_SUPPORTED : String.format("0x%016x", mask));
        final long clock = attr.getLong(HCA_CORE_CLOCK);
        all.put("hca_core_clock", clock == 0 ? NOT_SUPPORTED : Long.toUnsignedString(clock) + "kHZ");
        some("raw_packet_caps", names(RAW_PACKETS, bits(RAW_PACKET_CAPS)));
        final long flags = attr.getLong(DEVICE_CAP_FLAGS_EX);
        all.put("device_cap_flags_ex",
            coded(String.format("0x%X", flags), names(LATER_CAP_FLAGS, flags, Integer.SIZE)));
        number("max_tso", TSO_CAPS_MAX_TSO);
        qpTypes("tso_supported_qp", TSO_CAPS_SUPPORTED_QPTS);
        number("max_rwq_indirection_tables", RSS_CAPS_MAX_RWQ_INDIRECTION_TABLES);
        number("max_rwq_indirection_table_size", RSS_CAPS_MAX_RWQ_INDIRECTION_TABLE_SIZE);
        all.put("rx_hash_function", String.format("0x%x", attr.getByte(RSS_CAPS_RX_HASH_FUNCTION)));
        all.put("rx_hash_fields_mask", String.format("0x%X", attr.getLong(RSS_CAPS_RX_HASH_FIELDS_MASK)));
        qpTypes("rss_supported_qp", RSS_CAPS_SUPPORTED_QPTS);
        number("max_wq_type_rq", MAX_WQ_TYPE_RQ);
        all.put("qp_rate_limit_min", unsigned(PACKET_PACING_CAPS_QP_RATE_LIMIT_MIN) + "kbps");
        all.put("qp_rate_limit_max", unsigned(PACKET_PACING_CAPS_QP_RATE_LIMIT_MAX) + "kbps");
        qpTypes("packet_pacing_supported_qp", PACKET_PACING_CAPS_SUPPORTED_QPTS);
    }

    private void rest(final int vectors) {
        if (attr.getInt(TM_CAPS_MAX_NUM_TAGS) == 0) {
            all.put("tag_matching", NOT_SUPPORTED);
        } else {
            number("tm_max_rndv_hdr_size", TM_CAPS_MAX_RNDV_HDR_SIZE);
            number("tm_max_num_tags", TM_CAPS_MAX_NUM_TAGS);
            number("tm_max_ops", TM_CAPS_MAX_OPS);
            number("tm_max_sge", TM_CAPS_MAX_SGE);
            some("tm_flags", names(List.of("IBV_TM_CAP_RC"), bits(TM_CAPS_FLAGS)));
        }
        final int count = attr.getShort(CQ_MOD_CAPS_MAX_CQ_COUNT) & 0xffff;
        final int period = attr.getShort(CQ_MOD_CAPS_MAX_CQ_PERIOD) & 0xffff;
        if (count != 0 || period != 0) {
            all.put("max_cq_count", String.valueOf(count));
            all.put("max_cq_period", period + " us");
        }
        all.put("max_dm_size", Long.toUnsignedString(attr.getLong(MAX_DM_SIZE)));
        all.put("num_comp_vectors", String.valueOf(vectors));
    }

    private void number(final String name, final int offset) {
        all.put(name, unsigned(offset));
    }

    private String unsigned(final int offset) {
        return Integer.toUnsignedString(attr.getInt(offset));
    }

    private long bits(final int offset) {
        return attr.getInt(offset) & 0xffff_ffffL;
    }

    private void qpTypes(final String name, final int offset) {
        some(name, names(QP_TYPES, bits(offset)));
    }

    private void some(final String name, final List<String> values) {
        if (!values.isEmpty()) {
            all.put(name, String.join(", ", values));
        }
    }

    private static String orNothing(final List<String> values) {
        return values.isEmpty() ? NOTHING : String.join(", ", values);
    }

    private static String coded(final String code, final List<String> values) {
        return values.isEmpty() ? code : code + " " + String.join(", ", values);
    }

    private static List<String> names(final List<String> names, final long bits) {
        return names(names, bits, 0);
    }

    /** Names of the bits that are set, from the first one that has one; those without a name as a number. */
    private static List<String> names(final List<String> names, final long bits, final int first) {
        final List<String> found = new ArrayList<>();
        long unknown = 0;
        for (int i = first; i < Long.SIZE; i++) {
            if ((bits >>> i & 1) != 0) {
                if (i - first < names.size() && !names.get(i - first).isEmpty()) {
                    found.add(names.get(i - first));
                } else {
                    unknown |= 1L << i;
                }
            }
        }
        if (unknown != 0) {
            found.add(String.format("Unknown flags: 0x%X", unknown));
        }
        return found;
    }
}
