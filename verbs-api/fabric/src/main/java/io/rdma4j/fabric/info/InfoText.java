/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.DomainAttributes;
import io.rdma4j.fabric.DomainModel;
import io.rdma4j.fabric.EndpointAttributes;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.ReceiveAttributes;
import io.rdma4j.fabric.TransmitAttributes;

import java.util.Collection;
import java.util.stream.Collectors;

/** Text of an info, with the names and the layout of fi_info(1): four blanks a step. */
final class InfoText {
    private final StringBuilder text = new StringBuilder();
    private final FabricInfo info;

    private InfoText(final FabricInfo info) {
        this.info = info;
    }

    static String summary(final FabricInfo info) {
        return new InfoText(info).heading(0, "provider: " + info.provider())
            .line(1, "fabric", info.fabricName())
            .line(1, "domain", info.domainModel().name())
            .line(1, "version", version(Fabrics.VERSION))
            .line(1, "type", "FI_EP_" + info.endpointType())
            .line(1, "protocol", info.endpointAttributes().protocol())
            .text.toString();
    }

    static String describe(final FabricInfo info) {
        final InfoText all = new InfoText(info);
        all.heading(0, "fi_info:")
            .line(1, "caps", list("FI_", info.capabilities()))
            .line(1, "mode", info.localMr() ? "[ FI_LOCAL_MR ]" : "[  ]")
            .line(1, "addr_format", nameOf(info.addressFormat()));
        all.transmit(info.transmitAttributes());
        all.receive(info.receiveAttributes());
        all.endpoint(info.endpointAttributes());
        all.domain(info.domainModel(), info.domainAttributes());
        all.heading(1, "fi_fabric_attr:")
            .line(2, "name", info.fabricName())
            .line(2, "prov_name", info.provider())
            .line(2, "prov_version", version(Fabrics.VERSION))
            .line(2, "api_version", version(info.apiVersion()));
        all.heading(1, "nic:")
            .line(2, "name", info.address())
            .line(2, "device", info.deviceName())
            .line(2, "caps", list("FI_", info.deviceCapabilities()));
        all.reasons();
        return all.text.toString();
    }

    private void transmit(final TransmitAttributes attributes) {
        heading(1, "fi_tx_attr:")
            .line(2, "caps", list("FI_", attributes.capabilities()))
            .line(2, "msg_order", list("FI_ORDER_", attributes.messageOrder()))
            .line(2, "comp_order", "[ FI_ORDER_" + attributes.completionOrder() + " ]")
            .line(2, "inject_size", attributes.injectSize())
            .line(2, "size", attributes.size())
            .line(2, "iov_limit", attributes.iovLimit())
            .line(2, "rma_iov_limit", attributes.rmaIovLimit());
    }

    private void receive(final ReceiveAttributes attributes) {
        heading(1, "fi_rx_attr:")
            .line(2, "caps", list("FI_", attributes.capabilities()))
            .line(2, "msg_order", list("FI_ORDER_", attributes.messageOrder()))
            .line(2, "comp_order", "[ FI_ORDER_" + attributes.completionOrder() + " ]")
            .line(2, "size", attributes.size())
            .line(2, "iov_limit", attributes.iovLimit());
    }

    private void endpoint(final EndpointAttributes attributes) {
        heading(1, "fi_ep_attr:")
            .line(2, "type", "FI_EP_" + attributes.type())
            .line(2, "protocol", attributes.protocol())
            .line(2, "protocol_version", attributes.protocolVersion())
            .line(2, "max_msg_size", attributes.maxMessageSize())
            .line(2, "max_order_raw_size", attributes.maxOrderRawSize())
            .line(2, "max_order_war_size", attributes.maxOrderWarSize())
            .line(2, "max_order_waw_size", attributes.maxOrderWawSize())
            .line(2, "tx_ctx_cnt", 1)
            .line(2, "rx_ctx_cnt", info.receiveAttributes().contexts())
            .line(2, "auth_key_size", attributes.authKeySize());
    }

    private void domain(final DomainModel model, final DomainAttributes attributes) {
        heading(1, "fi_domain_attr:")
            .line(2, "name", model.name())
            .line(2, "threading", "FI_THREAD_" + model.threading())
            .line(2, "progress", "FI_PROGRESS_" + model.progress())
            .line(2, "resource_mgmt", "FI_RM_" + model.resourceManagement())
            .line(2, "av_type", "FI_AV_" + model.avType())
            .line(2, "mr_mode", list("FI_MR_", info.mrMode()))
            .line(2, "mr_key_size", attributes.mrKeySize())
            .line(2, "cq_data_size", attributes.cqDataSize())
            .line(2, "cq_cnt", attributes.cqCount())
            .line(2, "ep_cnt", attributes.epCount())
            .line(2, "cntr_cnt", attributes.cntrCount())
            .line(2, "max_ep_srx_ctx", attributes.maxEpSrxCtx())
            .line(2, "mr_iov_limit", attributes.mrIovLimit())
            .line(2, "auth_key_size", info.avAuthKeys() ? "FI_AV_AUTH_KEY" : info.authKey().length)
            .line(2, "max_err_data", attributes.maxErrData())
            .line(2, "mr_cnt", attributes.mrCount());
    }

    private void reasons() {
        heading(1, "mr_mode, bit by bit:");
        for (final MrMode mode : MrMode.values()) {
            line(2, "FI_MR_" + mode, info.why(mode));
        }
    }

    private InfoText heading(final int depth, final String words) {
        text.append("    ".repeat(depth)).append(words).append('\n');
        return this;
    }

    private InfoText line(final int depth, final String name, final Object value) {
        return heading(depth, name + ": " + value);
    }

    private static String nameOf(final AddressFormat format) {
        return switch (format) {
            case DEVICE -> "FI_FORMAT_UNSPEC";
            case STR -> "FI_ADDR_STR";
            default -> "FI_" + format;
        };
    }

    private static String version(final int version) {
        return (version >>> Short.SIZE) + "." + (version & 0xffff);
    }

    private static String list(final String prefix, final Collection<? extends Enum<?>> some) {
        return some.stream().sorted((a, b) -> Integer.compare(a.ordinal(), b.ordinal())).map(one -> prefix + one)
            .collect(Collectors.joining(", ", "[ ", " ]"));
    }
}
