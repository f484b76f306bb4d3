/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.DomainAttributes;
import io.rdma4j.fabric.DomainModel;
import io.rdma4j.fabric.EndpointAttributes;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.ReceiveAttributes;
import io.rdma4j.fabric.Survey;
import io.rdma4j.fabric.TransmitAttributes;

import java.util.Collection;

/** What fi_info prints as JSON: the facts of {@code fi_info -v}, under the same names. */
final class FabricReport {
    private FabricReport() {
    }

    static JsonObject toJson(final Survey survey) {
        final JsonArray found = new JsonArray();
        survey.found().forEach(info -> found.add(toJson(info)));
        final JsonArray leftOut = new JsonArray();
        survey.leftOut().forEach(leftOut::add);
        final JsonObject json = new JsonObject();
        json.add("fi_info", found);
        json.add("left_out", leftOut);
        return json;
    }

    private static JsonObject toJson(final FabricInfo info) {
        final JsonObject json = new JsonObject();
        json.add("caps", names("FI_", info.capabilities()));
        final JsonArray mode = new JsonArray();
        if (info.localMr()) {
            mode.add("FI_LOCAL_MR");
        }
        json.add("mode", mode);
        json.addProperty("addr_format", nameOf(info.addressFormat()));
        json.add("fi_tx_attr", toJson(info.transmitAttributes()));
        json.add("fi_rx_attr", toJson(info.receiveAttributes()));
        json.add("fi_ep_attr", toJson(info.endpointAttributes(), info.receiveAttributes().contexts()));
        json.add("fi_domain_attr", domain(info));
        json.add("fi_fabric_attr", fabric(info));
        final JsonObject nic = new JsonObject();
        nic.addProperty("name", info.address());
        nic.addProperty("device", info.deviceName());
        nic.add("caps", names("FI_", info.deviceCapabilities()));
        json.add("nic", nic);
        json.add("mr_mode_reasons", reasons(info));
        return json;
    }

    private static JsonObject toJson(final TransmitAttributes attributes) {
        final JsonObject json = new JsonObject();
        json.add("caps", names("FI_", attributes.capabilities()));
        json.add("msg_order", names("FI_ORDER_", attributes.messageOrder()));
        json.addProperty("comp_order", "FI_ORDER_" + attributes.completionOrder());
        json.addProperty("inject_size", attributes.injectSize());
        json.addProperty("size", attributes.size());
        json.addProperty("iov_limit", attributes.iovLimit());
        json.addProperty("rma_iov_limit", attributes.rmaIovLimit());
        return json;
    }

    private static JsonObject toJson(final ReceiveAttributes attributes) {
        final JsonObject json = new JsonObject();
        json.add("caps", names("FI_", attributes.capabilities()));
        json.add("msg_order", names("FI_ORDER_", attributes.messageOrder()));
        json.addProperty("comp_order", "FI_ORDER_" + attributes.completionOrder());
        json.addProperty("size", attributes.size());
        json.addProperty("iov_limit", attributes.iovLimit());
        return json;
    }

    private static JsonObject toJson(final EndpointAttributes attributes, final int contexts) {
        final JsonObject json = new JsonObject();
        json.addProperty("type", "FI_EP_" + attributes.type());
        json.addProperty("protocol", attributes.protocol());
        json.addProperty("protocol_version", attributes.protocolVersion());
        json.addProperty("max_msg_size", attributes.maxMessageSize());
        json.addProperty("max_order_raw_size", attributes.maxOrderRawSize());
        json.addProperty("max_order_war_size", attributes.maxOrderWarSize());
        json.addProperty("max_order_waw_size", attributes.maxOrderWawSize());
        json.addProperty("tx_ctx_cnt", 1);
        json.addProperty("rx_ctx_cnt", contexts);
        json.addProperty("auth_key_size", attributes.authKeySize());
        return json;
    }

    private static JsonObject domain(final FabricInfo info) {
        final DomainModel model = info.domainModel();
        final DomainAttributes attributes = info.domainAttributes();
        final JsonObject json = new JsonObject();
        json.addProperty("name", model.name());
        json.addProperty("threading", "FI_THREAD_" + model.threading());
        json.addProperty("progress", "FI_PROGRESS_" + model.progress());
        json.addProperty("resource_mgmt", "FI_RM_" + model.resourceManagement());
        json.addProperty("av_type", "FI_AV_" + model.avType());
        json.add("mr_mode", names("FI_MR_", info.mrMode()));
        json.addProperty("mr_key_size", attributes.mrKeySize());
        json.addProperty("cq_data_size", attributes.cqDataSize());
        json.addProperty("cq_cnt", attributes.cqCount());
        json.addProperty("ep_cnt", attributes.epCount());
        json.addProperty("cntr_cnt", attributes.cntrCount());
        json.addProperty("max_ep_srx_ctx", attributes.maxEpSrxCtx());
        json.addProperty("mr_iov_limit", attributes.mrIovLimit());
        if (info.avAuthKeys()) {
            json.addProperty("auth_key_size", "FI_AV_AUTH_KEY");
        } else {
            json.addProperty("auth_key_size", info.authKey().length);
        }
        json.addProperty("max_err_data", attributes.maxErrData());
        json.addProperty("mr_cnt", attributes.mrCount());
        return json;
    }

    private static JsonObject fabric(final FabricInfo info) {
        final JsonObject json = new JsonObject();
        json.addProperty("name", info.fabricName());
        json.addProperty("prov_name", info.provider());
        json.addProperty("prov_version", version(Fabrics.VERSION));
        json.addProperty("api_version", version(info.apiVersion()));
        return json;
    }

    private static JsonObject reasons(final FabricInfo info) {
        final JsonObject json = new JsonObject();
        for (final MrMode mode : MrMode.values()) {
            json.addProperty("FI_MR_" + mode, info.why(mode));
        }
        return json;
    }

    private static String version(final int version) {
        return (version >>> Short.SIZE) + "." + (version & 0xffff);
    }

    private static String nameOf(final AddressFormat format) {
        return switch (format) {
            case DEVICE -> "FI_FORMAT_UNSPEC";
            case STR -> "FI_ADDR_STR";
            default -> "FI_" + format;
        };
    }

    private static JsonArray names(final String prefix, final Collection<? extends Enum<?>> some) {
        final JsonArray names = new JsonArray();
        some.stream().sorted((a, b) -> Integer.compare(a.ordinal(), b.ordinal()))
            .forEach(one -> names.add(prefix + one));
        return names;
    }
}
