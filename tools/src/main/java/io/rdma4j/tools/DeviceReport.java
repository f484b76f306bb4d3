/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.tools.text.KeyValues;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Peculiarity;
import io.rdma4j.verbs.RdmaContext;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What devinfo prints of a device, asked once and printed as text or JSON. Names are those of ibv_devinfo. */
final class DeviceReport {
    private static final List<String> TRANSPORTS = List.of("InfiniBand", "iWARP", "usNIC", "usNIC UDP", "unspecified");

    private final RdmaContext context;
    private final DeviceAttributes attributes;
    private final List<PortReport> ports = new ArrayList<>();

    /**
     * Asks a device.
     *
     * @param context  the device.
     * @param onlyPort a port from 1; 0 for all.
     * @throws io.rdma4j.RdmaException EINVAL if there is no such port.
     */
    DeviceReport(final RdmaContext context, final int onlyPort) {
        this.context = context;
        attributes = context.attributes();
        final int first = onlyPort == 0 ? 1 : onlyPort;
        final int last = onlyPort == 0 ? attributes.physicalPortCount() : onlyPort;
        for (int port = first; port <= last; port++) {
            ports.add(new PortReport(context, port));
        }
    }

    void print(final PrintWriter out, final boolean verbose) {
        final KeyValues lines = new KeyValues(out);
        lines.heading(0, "hca_id", context.address());
        identity().forEach((name, value) -> lines.line(1, name, value));
        if (verbose) {
            limits().forEach((name, value) -> lines.line(1, name,
                name.equals("max_mr_size") || name.equals("page_size_cap") ? "0x" + Long.toHexString(value) : value));
            attributes.details().forEach((name, value) -> lines.line(1, name, value));
        }
        ports.forEach(port -> port.print(lines, verbose));
        printFeatures(lines, verbose);
        printPeculiarities(lines, verbose);
    }

    private Map<String, Object> identity() {
        final Map<String, Object> identity = new LinkedHashMap<>();
        identity.put("device", attributes.name());
        identity.put("transport", transport() + " (" + attributes.transportType() + ")");
        identity.put("fw_ver", attributes.firmwareVersion());
        identity.put("device_ver", attributes.deviceVersion());
        identity.put("node_guid", guid(attributes.nodeGuid()));
        identity.put("sys_image_guid", guid(attributes.systemImageGuid()));
        identity.put("vendor_id", String.format("0x%04x", attributes.vendorId()));
        identity.put("vendor_part_id", attributes.vendorPartId());
        identity.put("hw_ver", String.format("0x%X", attributes.hardwareVersion()));
        identity.put("phys_port_cnt", attributes.physicalPortCount());
        return identity;
    }

    private String transport() {
        final int type = attributes.transportType();
        return type >= 0 && type < TRANSPORTS.size() ? TRANSPORTS.get(type) : "unknown";
    }

    private Map<String, Long> limits() {
        final DeviceAttributes a = attributes;
        final Map<String, Long> limits = new LinkedHashMap<>();
        limits.put("max_mr_size", a.maxMrSize());
        limits.put("page_size_cap", a.pageSizeCap());
        limits.put("max_qp", (long) a.maxQp());
        limits.put("max_qp_wr", (long) a.maxQpWr());
        limits.put("max_sge", (long) a.maxSge());
        limits.put("max_send_wr_with_max_sge", (long) a.maxSendWr(a.maxSge()));
        limits.put("max_recv_wr_with_max_sge", (long) a.maxReceiveWr(a.maxSge()));
        limits.put("max_cq", (long) a.maxCq());
        limits.put("max_cqe", (long) a.maxCqe());
        limits.put("max_mr", (long) a.maxMr());
        limits.put("max_pd", (long) a.maxPd());
        limits.put("max_qp_rd_atom", (long) a.maxQpRdAtom());
        limits.put("max_qp_init_rd_atom", (long) a.maxQpInitRdAtom());
        limits.put("max_mw", (long) a.maxMw());
        limits.put("max_ah", (long) a.maxAh());
        limits.put("max_srq", (long) a.maxSrq());
        limits.put("max_srq_wr", a.maxSrq() == 0 ? 0L : a.maxSrqWr(1));
        limits.put("max_srq_sge", (long) a.maxSrqSge());
        limits.put("max_pkeys", (long) a.maxPkeys());
        return limits;
    }

    private void printFeatures(final KeyValues lines, final boolean verbose) {
        final List<Feature> missing = missingFeatures();
        if (verbose && !missing.isEmpty()) {
            lines.line(1, "missing_features", missing.size());
            missing.forEach(feature -> lines.line(2, nameOf(feature), context.whyNot(feature)));
        } else {
            lines.words(1, "missing_features", missing.stream().map(DeviceReport::nameOf).toList());
        }
    }

    private void printPeculiarities(final KeyValues lines, final boolean verbose) {
        final List<Peculiarity> quirks = context.peculiarities();
        if (verbose && !quirks.isEmpty()) {
            lines.line(1, "quirks", quirks.size());
            quirks.forEach(quirk -> lines.line(2, quirk.name(), quirk.description()));
        } else {
            lines.words(1, "quirks", quirks.stream().map(Peculiarity::name).toList());
        }
    }

    JsonObject toJson() {
        final JsonObject json = new JsonObject();
        json.addProperty("hca_id", context.address());
        json.addProperty("device", attributes.name());
        json.addProperty("transport", transport());
        json.addProperty("fw_ver", attributes.firmwareVersion());
        json.addProperty("device_ver", attributes.deviceVersion());
        json.addProperty("node_guid", guid(attributes.nodeGuid()));
        json.addProperty("sys_image_guid", guid(attributes.systemImageGuid()));
        json.addProperty("vendor_id", attributes.vendorId());
        json.addProperty("vendor_part_id", attributes.vendorPartId());
        json.addProperty("hw_ver", attributes.hardwareVersion());
        json.addProperty("phys_port_cnt", attributes.physicalPortCount());
        final JsonObject limits = new JsonObject();
        limits().forEach(limits::addProperty);
        json.add("limits", limits);
        final JsonObject details = new JsonObject();
        attributes.details().forEach(details::addProperty);
        json.add("details", details);
        final JsonArray portArray = new JsonArray();
        ports.forEach(port -> portArray.add(port.toJson()));
        json.add("ports", portArray);
        json.add("features", features());
        json.add("quirks", peculiarities());
        return json;
    }

    private JsonArray features() {
        final JsonArray array = new JsonArray();
        for (final Feature feature : Feature.values()) {
            final JsonObject object = new JsonObject();
            object.addProperty("name", nameOf(feature));
            object.addProperty("supported", context.supports(feature));
            object.addProperty("reason", context.whyNot(feature));
            array.add(object);
        }
        return array;
    }

    private JsonArray peculiarities() {
        final JsonArray array = new JsonArray();
        for (final Peculiarity peculiarity : context.peculiarities()) {
            final JsonObject object = new JsonObject();
            object.addProperty("name", peculiarity.name());
            object.addProperty("description", peculiarity.description());
            array.add(object);
        }
        return array;
    }

    private List<Feature> missingFeatures() {
        return List.of(Feature.values()).stream().filter(feature -> !context.supports(feature)).toList();
    }

    private static String nameOf(final Feature feature) {
        return feature.name().toLowerCase(Locale.ROOT);
    }

    private static String guid(final long guid) {
        return String.format("%04x:%04x:%04x:%04x",
            guid >>> 48, guid >>> 32 & 0xffff, guid >>> 16 & 0xffff, guid & 0xffff);
    }
}
