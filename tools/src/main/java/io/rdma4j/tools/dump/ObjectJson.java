/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.hw.layout.Names;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Mtu;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.verbs.live.QpKind;

import java.util.List;
import java.util.Set;

/** A published object in JSON: its handle, its attributes, its counters, named as {@link LiveKind} names them. */
final class ObjectJson {
    static final String HANDLE = "handle";
    static final String PAGES = "pages";
    static final String LENGTH = "length";
    /** How flags are called, from bit 0. */
    private static final Names MR_FLAGS = Names.ofBits("ON_DEMAND", "PAGE_LIST", "CACHED", "FAST");
    private static final Names AV_FLAGS = Names.ofBits("EVENT", "READ", "SYMMETRIC");
    /** {@code enum fi_av_type} (rdma/fi_domain.h). */
    private static final Names AV_TYPES = Names.of(1, "FI_AV_MAP", "FI_AV_TABLE");
    private static final Set<String> ADDRESSES = Set.of("ring_iova", "pdir_dma", "iova", "address", "dgid_high",
        "dgid_low");
    /** What is not there is published as one of these. */
    private static final Set<String> ABSENT_IF_NEGATIVE = Set.of("srq", "dlid", "inline_lkey");
    private static final Set<String> ABSENT_IF_ZERO = Set.of("path_mtu", "ring_iova", "ring_length");

    private ObjectJson() {
    }

    /** Handle and attributes. */
    static JsonObject of(final LiveObject object) {
        final JsonObject json = new JsonObject();
        json.addProperty(HANDLE, Integer.toUnsignedLong(object.handle()));
        final List<String> names = object.kind().attributes();
        for (int i = 0; i < names.size(); i++) {
            final long value = object.attribute(i);
            if (!isAbsent(names.get(i), value)) {
                json.add(names.get(i), value(object.kind(), names.get(i), value));
            }
        }
        return json;
    }

    private static boolean isAbsent(final String name, final long value) {
        return value < 0 && ABSENT_IF_NEGATIVE.contains(name) || value == 0 && ABSENT_IF_ZERO.contains(name);
    }

    private static JsonElement value(final LiveKind kind, final String name, final long value) {
        if (ADDRESSES.contains(name)) {
            return Fields.hex(value);
        }
        return switch (kind.name() + '.' + name) {
            case "QP.type" -> Fields.named(value, QpType.NAMES);
            case "QP.state" -> Fields.named(value, QpState.NAMES);
            case "QP.path_mtu" -> Fields.named(value, Mtu.NAMES);
            case "MR.access" -> Fields.named(value, AccessFlags.NAMES);
            case "MR.flags" -> Fields.named(value, MR_FLAGS);
            case "AV.type" -> Fields.named(value, AV_TYPES);
            case "AV.flags" -> Fields.named(value, AV_FLAGS);
            default -> new JsonPrimitive(value);
        };
    }

    /** Adds counters that have a name. */
    static JsonObject counters(final LiveObject object, final int first, final int last, final String prefix) {
        final JsonObject json = new JsonObject();
        final List<String> names = object.kind().counters();
        for (int i = first; i <= last && i < names.size(); i++) {
            if (names.get(i).startsWith(prefix) && !names.get(i).isEmpty()) {
                json.addProperty(names.get(i).substring(prefix.length()), object.counter(i));
            }
        }
        return json;
    }

    /** Whether a QP sends datagrams, whose work requests look different. */
    static boolean isDatagram(final LiveObject qp) {
        final long type = qp.attribute(QpKind.TYPE);
        return type == QpType.PVRDMA_QPT_UD || type == QpType.PVRDMA_QPT_GSI;
    }
}
