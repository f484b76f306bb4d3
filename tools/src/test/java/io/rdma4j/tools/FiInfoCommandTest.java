/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class FiInfoCommandTest {
    private static final String DEVICE = "emulated:fi-info-test";
    private static final String LIKE_QEMU = "emulated:fi-info-test?quirks=qemu-7.2";
    /** What the endpoints and the domain have. */
    private static final String ATTRIBUTES = """
            ---
            fi_info:
                caps: [ FI_MSG, FI_RMA, FI_ATOMIC, FI_READ, FI_WRITE, FI_RECV, FI_SEND, FI_REMOTE_READ, \
            FI_REMOTE_WRITE, FI_RMA_PMEM, FI_LOCAL_COMM, FI_REMOTE_COMM ]
                mode: [  ]
                addr_format: FI_FORMAT_UNSPEC
                fi_tx_attr:
                    caps: [ FI_MSG, FI_RMA, FI_ATOMIC, FI_READ, FI_WRITE, FI_SEND, FI_RMA_PMEM ]
                    msg_order: [ FI_ORDER_RAR, FI_ORDER_RAW, FI_ORDER_WAW, FI_ORDER_SAS, FI_ORDER_RMA_RAR, \
            FI_ORDER_RMA_RAW, FI_ORDER_RMA_WAW, FI_ORDER_ATOMIC_RAR, FI_ORDER_ATOMIC_RAW, FI_ORDER_ATOMIC_WAR, \
            FI_ORDER_ATOMIC_WAW ]
                    comp_order: [ FI_ORDER_NONE ]
                    inject_size: 128
                    size: 8191
                    iov_limit: 4
                    rma_iov_limit: 1
                fi_rx_attr:
                    caps: [ FI_MSG, FI_RMA, FI_ATOMIC, FI_RECV, FI_REMOTE_READ, FI_REMOTE_WRITE, FI_RMA_PMEM ]
                    msg_order: [ FI_ORDER_RAR, FI_ORDER_RAW, FI_ORDER_WAW, FI_ORDER_SAS, FI_ORDER_RMA_RAR, \
            FI_ORDER_RMA_RAW, FI_ORDER_RMA_WAW, FI_ORDER_ATOMIC_RAR, FI_ORDER_ATOMIC_RAW, FI_ORDER_ATOMIC_WAR, \
            FI_ORDER_ATOMIC_WAW ]
                    comp_order: [ FI_ORDER_NONE ]
                    size: 16384
                    iov_limit: 4
                fi_ep_attr:
                    type: FI_EP_MSG
                    protocol: FI_PROTO_RDMA4J_RC
                    protocol_version: 1
                    max_msg_size: 1073741824
                    max_order_raw_size: 1073741824
                    max_order_war_size: 0
                    max_order_waw_size: 1073741824
                    tx_ctx_cnt: 1
                    rx_ctx_cnt: 1
                    auth_key_size: 0
                fi_domain_attr:
                    name: emulated:fi-info-test
                    threading: FI_THREAD_COMPLETION
                    progress: FI_PROGRESS_MANUAL
                    resource_mgmt: FI_RM_ENABLED
                    av_type: FI_AV_UNSPEC
                    mr_mode: [  ]
                    mr_key_size: 64
                    cq_data_size: 4
                    cq_cnt: 4095
                    ep_cnt: 1365
                    cntr_cnt: 65536
                    max_ep_srx_ctx: 0
                    mr_iov_limit: 256
                    auth_key_size: 0
                    max_err_data: 8
                    mr_cnt: 4096
            """;
    /** What is behind them, and why each bit is set or not. */
    private static final String BEHIND = """
                fi_fabric_attr:
                    name: IB-0xfe80000000000000
                    prov_name: rdma4j
                    prov_version: 2.0
                    api_version: 2.0
                nic:
                    name: emulated:fi-info-test
                    device: rdma4j emulated pvrdma
                    caps: [ FI_MSG, FI_RMA, FI_TAGGED, FI_ATOMIC, FI_READ, FI_WRITE, FI_RECV, FI_SEND, FI_REMOTE_READ, \
            FI_REMOTE_WRITE, FI_MULTI_RECV, FI_TRIGGER, FI_FENCE, FI_HMEM, FI_RMA_PMEM, FI_LOCAL_COMM, \
            FI_REMOTE_COMM, FI_RMA_EVENT ]
                mr_mode, bit by bit:
                    FI_MR_BASIC: not asked for
                    FI_MR_SCALABLE: not asked for
                    FI_MR_LOCAL: not needed: local buffers without a descriptor are registered through the \
            registration cache
                    FI_MR_RAW: not needed: keys fit into 64 bits and need no setup at the peer
                    FI_MR_VIRT_ADDR: not needed: regions are registered so that the device names their first byte 0
                    FI_MR_ALLOCATED: not needed: pages are looked for when they are used
                    FI_MR_PROV_KEY: not needed: peers look up the device's key for the application's by RDMA READ
                    FI_MR_MMU_NOTIFY: not needed: pages are looked for when they are used
                    FI_MR_RMA_EVENT: not needed: nothing counts accesses to regions
                    FI_MR_ENDPOINT: not needed: regions belong to the domain: all its endpoints reach them
                    FI_MR_HMEM: not needed: without FI_HMEM there is no memory of devices
                    FI_MR_COLLECTIVE: not needed: no device has collective operations
            """;

    @Test
    void printsEachInfoInShort() {
        final Cli.Outcome outcome = Cli.run("fi_info", "-d", DEVICE);
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).isEqualTo("""
            provider: rdma4j
                fabric: IB-0xfe80000000000000
                domain: emulated:fi-info-test
                version: 2.0
                type: FI_EP_MSG
                protocol: FI_PROTO_RDMA4J_RC
            provider: rdma4j
                fabric: IB-0xfe80000000000000
                domain: emulated:fi-info-test
                version: 2.0
                type: FI_EP_RDM
                protocol: FI_PROTO_RDMA4J_RDM
            provider: rdma4j
                fabric: IB-0xfe80000000000000
                domain: emulated:fi-info-test
                version: 2.0
                type: FI_EP_DGRAM
                protocol: FI_PROTO_RDMA4J_UD
            """);
    }

    @Test
    void printsEverythingWhenAsked() {
        final Cli.Outcome outcome = Cli.run("fi_info", "-v", "-d", DEVICE, "-t", "msg");
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out()).isEqualTo(ATTRIBUTES + BEHIND);
        assertThat(Cli.run("fi_info", "-v", "-d", DEVICE).out()).startsWith(ATTRIBUTES + BEHIND);
    }

    @Test
    void printsWhatDatagramsCanDo() {
        assertThat(Cli.run("fi_info", "-v", "-d", DEVICE, "-t", "FI_EP_DGRAM", "-a", "FI_SOCKADDR_IN").outLines())
            .contains("    caps: [ FI_MSG, FI_RECV, FI_SEND, FI_AV_USER_ID, FI_LOCAL_COMM, FI_REMOTE_COMM, "
                + "FI_SHARED_AV, FI_SOURCE ]", "    addr_format: FI_SOCKADDR_IN", "        msg_order: [  ]",
                "        comp_order: [ FI_ORDER_STRICT ]", "        type: FI_EP_DGRAM",
                "        protocol: FI_PROTO_RDMA4J_UD", "        max_msg_size: 4096", "        rx_ctx_cnt: 1",
                "        ep_cnt: 4095", "        inject_size: 128", "        iov_limit: 4");
        assertThat(Cli.run("fi_info", "-v", "-d", LIKE_QEMU, "-t", "dgram").outLines())
            .contains("        cq_data_size: 0", "        iov_limit: 3", "        iov_limit: 2");
    }

    @Test
    void printsWhatReliableDatagramsCanDo() {
        assertThat(Cli.run("fi_info", "-v", "-d", DEVICE, "-t", "rdm", "-a", "str").outLines())
            .contains("    addr_format: FI_ADDR_STR", "        type: FI_EP_RDM",
                "        protocol: FI_PROTO_RDMA4J_RDM", "        max_msg_size: 1073741824",
                "        rx_ctx_cnt: 16", "        ep_cnt: 1023", "        cq_data_size: 4")
            .anySatisfy(line -> assertThat(line).startsWith("    caps: ")
                .contains("FI_RMA, ", "FI_SOURCE, FI_NAMED_RX_CTX, FI_DIRECTED_RECV ]"));
        assertThat(Cli.run("fi_info", "-v", "-d", LIKE_QEMU, "-t", "rdm").outLines())
            .contains("        cq_data_size: 4", "        max_msg_size: 1073741824");
    }

    @Test
    void printsWhyWhenADeviceNeedsBits() {
        final Cli.Outcome outcome = Cli.run("fi_info", "-v", "-d", LIKE_QEMU);
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.outLines())
            .contains("    caps: [ FI_MSG, FI_RECV, FI_SEND, FI_LOCAL_COMM, FI_REMOTE_COMM ]",
                "        mr_mode: [ FI_MR_ALLOCATED ]", "        cq_data_size: 0")
            .anySatisfy(line -> assertThat(line).startsWith("        FI_MR_ALLOCATED: needed: "));
    }

    @Test
    void allDevicesAreLookedAt() {
        final Cli.Outcome outcome = Cli.run("fi_info");
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out()).contains("    domain: fake:\n", "    domain: emulated:\n");
        // A real device goes before one of software.
        assertThat(outcome.out().indexOf("fake:")).isLessThan(outcome.out().indexOf("emulated:"));
    }

    @Test
    void verboseTellsWhoWasLeftOut() {
        final Cli.Outcome outcome = Cli.run("fi_info", "-v", "-m", "none");
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out()).contains("name: emulated:\n");
        assertThat(Cli.run("fi_info", "-v", "-c", "RMA").out())
            .contains("left out:\n", "    fake: cannot give FI_RMA: no RDMA_READ: it cannot read\n");
    }

    @Test
    void jsonHasTheSameFacts() {
        final Cli.Outcome outcome = Cli.run(
            "fi_info", "--json", "-d", DEVICE, "-m", "raw|FI_MR_LOCAL", "--demand", "RAW", "--api-version", "1.22");
        assertThat(outcome.exitCode()).isZero();
        final JsonObject info = outcome.json().getAsJsonArray("fi_info").get(0).getAsJsonObject();
        final JsonObject domain = info.getAsJsonObject("fi_domain_attr");
        assertThat(domain.getAsJsonArray("mr_mode")).hasToString("[\"FI_MR_RAW\"]");
        assertThat(domain.get("name").getAsString()).isEqualTo(DEVICE);
        assertThat(domain.get("mr_key_size").getAsInt()).isEqualTo(64);
        assertThat(info.getAsJsonObject("fi_fabric_attr").get("api_version").getAsString()).isEqualTo("1.22");
        assertThat(info.get("addr_format").getAsString()).isEqualTo("FI_FORMAT_UNSPEC");
        assertThat(info.getAsJsonObject("fi_ep_attr").get("type").getAsString()).isEqualTo("FI_EP_MSG");
        assertThat(info.getAsJsonObject("mr_mode_reasons").get("FI_MR_RAW").getAsString())
            .startsWith("demanded by the application");
        assertThat(outcome.json().getAsJsonArray("left_out")).isEmpty();
    }

    /** Each name of the long form is one of JSON. */
    @Test
    void jsonLeavesNothingOut() {
        final String json = Cli.run("fi_info", "--json", "-d", DEVICE).out();
        Cli.run("fi_info", "-v", "-d", DEVICE).outLines().stream()
            .filter(line -> line.matches("    {1,2}\\w+:.*")).map(line -> line.strip().split(":")[0])
            .forEach(name -> assertThat(json).contains('"' + name + '"'));
    }

    @Test
    void oldProgramsSeeTheOldBits() {
        assertThat(Cli.run("fi_info", "-v", "-d", DEVICE, "--api-version", "1.4", "-m", "BASIC|FI_LOCAL_MR",
            "--demand", "LOCAL").out())
            .contains("    mode: [ FI_LOCAL_MR ]\n", "mr_mode: [ FI_MR_BASIC ]\n", "api_version: 1.4\n");
    }

    @Test
    void nothingFitsIsFailureOneAndSaysWhy() {
        final Cli.Outcome outcome = Cli.run("fi_info", "-d", LIKE_QEMU, "-m", "none");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.errLines()).singleElement().asString()
            .startsWith("rdma4j: find fabrics: " + LIKE_QEMU + " needs FI_MR_ALLOCATED, which was not offered: ")
            .contains("(FI_ENODATA)", "-m");
    }

    @Test
    void whereAllModeBitsAreOfferedMoreAreNoAdvice() {
        assertThat(Cli.run("fi_info", "-d", DEVICE, "-c", "FI_COLLECTIVE").err()).contains("ask for less (-c)")
            .doesNotContain("mode bits");
    }

    @Test
    void askingForLessIsNoAdviceWhereNoDeviceCouldBeOpened() {
        assertThat(Cli.run("fi_info", "-d", "nowhere:").err()).contains("use one of", "FI_ENODATA")
            .doesNotContain("ask for less");
        assertThat(Cli.run("fi_info", "-d", "nowhere:", "-m", "none").err()).doesNotContain("mode bits");
    }

    @Test
    void tagsAreFound() {
        final Cli.Outcome outcome = Cli.run("fi_info", "-v", "-d", DEVICE, "-c", "FI_TAGGED");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.out()).contains("FI_TAGGED", "FI_EP_RDM");
    }

    @Test
    void jsonOfNothingIsJsonToo() {
        final Cli.Outcome outcome = Cli.run("fi_info", "--json", "-d", DEVICE, "-c", "COLLECTIVE");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.json().getAsJsonArray("fi_info")).isEmpty();
        assertThat(outcome.json().getAsJsonArray("left_out")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "-t FI_EP_DGRAM -c RMA; datagrams reach no memory", "-t dgram -c DIRECTED_RECV; any datagram",
        "-t msg -c SOURCE; one peer each",
        "-p verbs; verbs", "-f other; other", "--api-version 2.1; 2.1", "-m BASIC|RAW; FI_MR_BASIC goes alone",
        "-m none --demand RAW; FI_MR_RAW was demanded, but not offered", "-c COLLECTIVE; FI_COLLECTIVE",
        "-d nowhere:; nowhere:"})
    void whatIsNotThereIsFailureOne(final String options, final String expected) {
        final Cli.Outcome outcome = Cli.run(("fi_info -d " + DEVICE + " " + options)
            .replaceFirst("-d " + DEVICE + " -d", "-d").split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(1);
        assertThat(outcome.err()).contains(expected).doesNotContain("internal error");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "-c FI_NONSENSE; 'FI_NONSENSE' is none of FI_MSG", "-m nonsense; 'nonsense' is none of FI_MR_BASIC",
        "--demand x; 'x' is none of FI_MR_BASIC", "-t tcp; 'tcp' is none of FI_EP_MSG",
        "-a ipx; 'ipx' is none of FI_FORMAT_UNSPEC", "--api-version two; 'two' is no version",
        "--api-version 0.0; '0.0' is no version", "--api-version 1.99999; '1.99999' is no version",
        "surplus; fi_info takes no 'surplus'"})
    void wrongUsageIsFailureTwo(final String options, final String expected) {
        final Cli.Outcome outcome = Cli.run(("fi_info " + options).split(" "));
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains(expected, "Try 'rdma4j fi_info --help'.");
    }
}
