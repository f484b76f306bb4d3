/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.rdma4j.verbs.Feature;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class DevinfoCommandTest {
    @Test
    void printsIdentityAndPortAsIbvDevinfo() {
        final Cli.Outcome outcome = Cli.run("devinfo", "-d", "fake:");
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).isEqualTo("""
            hca_id:\tfake:
            \tdevice:\t\t\t\tfake pvrdma
            \ttransport:\t\t\tiWARP (1)
            \tfw_ver:\t\t\t\t1.2.3
            \tdevice_ver:\t\t\t20
            \tnode_guid:\t\t\t0002:c903:0004:05f6
            \tsys_image_guid:\t\t\t0000:0000:0000:0000
            \tvendor_id:\t\t\t0x15ad
            \tvendor_part_id:\t\t\t2080
            \thw_ver:\t\t\t\t0x7
            \tphys_port_cnt:\t\t\t1
            \t\tport:\t1
            \t\t\tstate:\t\tPORT_ACTIVE (4)
            \t\t\tmax_mtu:\t4096 (5)
            \t\t\tactive_mtu:\t1024 (3)
            \t\t\tsm_lid:\t\t0
            \t\t\tport_lid:\t0
            \t\t\tport_lmc:\t0x00
            \t\t\tlink_layer:\tEthernet

            \tmissing_features:\t\trdma_read
            \tquirks:\t\t\t\tgoes-wrong, small
            """);
    }

    @Test
    void verboseAddsLimitsTablesReasonsAndDescriptions() {
        final Cli.Outcome outcome = Cli.run("devinfo", "-v", "-d", "fake:");
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.outLines()).contains(
            "\tmax_mr_size:\t\t\t0x200000",
            "\tmax_qp:\t\t\t\t7",
            "\tmax_srq_sge:\t\t\t7",
            "\thca_core_clock:\t\t\t1000kHZ",
            "\t\t\tmax_msg_sz:\t0x400",
            "\t\t\tport_cap_flags2:\t0x0012",
            "\t\t\tmax_vl_num:\t4 (3)",
            "\t\t\tinit_type_reply:\t2",
            "\t\t\tphys_state:\tLINK_UP (5)",
            "\t\t\tPKEY[  0]:\t0xffff",
            "\t\t\tGID[  0]:\tfe80::1000, RoCE v1",
            "\tmissing_features:\t\t1",
            "\t\trdma_read:\t\tit cannot read",
            "\tquirks:\t\t\t\t2",
            "\t\tgoes-wrong:\t\tDoes so on demand.");
    }

    @Test
    void jsonSaysEverything() {
        final JsonObject json = Cli.run("devinfo", "-d", "fake:", "--json").json();
        assertThat(json.get("hca_id").getAsString()).isEqualTo("fake:");
        assertThat(json.get("fw_ver").getAsString()).isEqualTo("1.2.3");
        assertThat(json.get("vendor_id").getAsInt()).isEqualTo(0x15ad);
        assertThat(json.getAsJsonObject("limits").get("max_mr_size").getAsLong()).isEqualTo(1L << 21);
        assertThat(json.get("transport").getAsString()).isEqualTo("iWARP");
        assertThat(json.getAsJsonObject("details").get("hca_core_clock").getAsString()).isEqualTo("1000kHZ");
        final JsonObject port = json.getAsJsonArray("ports").get(0).getAsJsonObject();
        assertThat(port.get("state").getAsString()).isEqualTo("PORT_ACTIVE");
        assertThat(port.getAsJsonArray("gids")).hasSize(1);
        assertThat(port.getAsJsonArray("gids").get(0).getAsJsonObject().get("gid").getAsString())
            .isEqualTo("fe80::1000");
        assertThat(port.getAsJsonArray("gids").get(0).getAsJsonObject().get("type").getAsString())
            .isEqualTo("RoCE v1");
        assertThat(json.getAsJsonArray("features")).hasSize(Feature.values().length);
        assertThat(named(json.getAsJsonArray("features"), "rdma_read").get("reason").getAsString())
            .isEqualTo("it cannot read");
        assertThat(named(json.getAsJsonArray("features"), "rdma_write").get("supported").getAsBoolean()).isTrue();
        assertThat(named(json.getAsJsonArray("quirks"), "small").get("description").getAsString())
            .isEqualTo("Has 1 port.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fake:", "emulated:", "emulated:q?quirks=qemu-7.2"})
    void namesInJsonAreSnakeCase(final String address) {
        assertSnakeCase(Cli.run("devinfo", "-d", address, "--json").json());
    }

    private static void assertSnakeCase(final JsonElement element) {
        if (element.isJsonArray()) {
            element.getAsJsonArray().forEach(DevinfoCommandTest::assertSnakeCase);
        } else if (element.isJsonObject()) {
            for (final Map.Entry<String, JsonElement> member : element.getAsJsonObject().entrySet()) {
                assertThat(member.getKey()).matches("[a-z][a-z0-9_]*");
                assertSnakeCase(member.getValue());
            }
        }
    }

    private static JsonObject named(final JsonArray array, final String name) {
        for (final JsonElement element : array) {
            if (element.getAsJsonObject().get("name").getAsString().equals(name)) {
                return element.getAsJsonObject();
            }
        }
        throw new AssertionError("no " + name + " in " + array);
    }

    @Test
    void oneFabricatedPortIsRefusedByTheDevice() {
        final Cli.Outcome outcome = Cli.run("devinfo", "-d", "fake:", "-i", "9");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString().contains("no port 9");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "x", "999", ""})
    void portThatIsNoneIsWrongUsage(final String port) {
        final Cli.Outcome outcome = Cli.run("devinfo", "-d", "fake:", "-i", port);
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("numbered from 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-d fake:", "-i 1", "-v"})
    void aListHasNothingOfOneDevice(final String option) {
        final Cli.Outcome outcome = Cli.run(("devinfo -l " + option).split(" "));
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).contains("--list and");
    }

    @Test
    void theEmulatedDeviceIsTheDefault() {
        final Cli.Outcome outcome = Cli.run("devinfo", "-i", "1");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.outLines().get(0)).isEqualTo("hca_id:\temulated:");
        assertThat(outcome.out()).contains("PORT_ACTIVE (4)", "vendor_id:\t\t\t0x15ad");
    }

    @Test
    void quirksOfADeviceThatActsLikeQemuAreNamedWithTheirDescription() {
        final JsonObject json = Cli.run("devinfo", "-d", "emulated:q?quirks=qemu-7.2", "--json").json();
        assertThat(json.getAsJsonArray("quirks")).isNotEmpty().allSatisfy(quirk ->
            assertThat(quirk.getAsJsonObject().get("description").getAsString()).isNotBlank());
        assertThat(named(json.getAsJsonArray("features"), "rdma_write").get("reason").getAsString()).isNotBlank();
    }

    @Test
    void leavesTheDeviceClosed() {
        for (int i = 0; i < 3; i++) {
            assertThat(Cli.run("devinfo", "-d", "fake:closed").exitCode()).isZero();
        }
    }
}
