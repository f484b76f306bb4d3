/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import static io.rdma4j.qemu.tools.CommandLines.rdma4j;
import static io.rdma4j.qemu.tools.CommandLines.system;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.tools.CommandLines.Outcome;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the commands do on a device that the kernel drives: SoftRoCE, through libibverbs. */
final class IbvClaims {
    private static final String DEVICE = "ibv:" + FabricGuest.IBDEV;
    /** Commands that move data, and what must be in their output. */
    static final Map<String, List<String>> TRAFFIC = new LinkedHashMap<>();
    private static final List<String> DUMPS = List.of("dsr", "caps", "cmd", "gid", "counters", "errors", "qp", "cq",
        "srq", "mr", "cache");

    static {
        TRAFFIC.put("pingpong -n 20", List.of("Data validated: yes"));
        TRAFFIC.put("pingpong -n 20 --ud", List.of("Data validated: yes"));
        TRAFFIC.put("perf send_lat -s 64 -n 50 --warmup 5 --one-thread", List.of("Send Latency Test", "50"));
        TRAFFIC.put("perf read_lat -s 64 -n 50 --warmup 5 --one-thread", List.of("RDMA_Read Latency Test", "50"));
        TRAFFIC.put("perf write_bw -s 4096 -n 200", List.of("RDMA_Write BW Test", "200"));
        TRAFFIC.put("fi_pingpong -I 20 -S 256 -c", List.of("256"));
        TRAFFIC.put("fi_pingpong -e msg -I 20 -S 4096 -c", List.of("4k"));
        TRAFFIC.put("fi_pingpong -e dgram -I 20 -S 256 -c", List.of("256"));
    }

    private IbvClaims() {
    }

    static String devices() {
        rdma4j("status").require(0, DEVICE);
        return rdma4j("devices").require(0, DEVICE);
    }

    static String fiInfo() {
        final String all = rdma4j("fi_info -d " + DEVICE).require(0, "FI_EP_MSG", "FI_EP_DGRAM", "FI_EP_RDM");
        rdma4j("fi_info -d " + DEVICE + " -c FI_MSG|FI_RMA|FI_ATOMIC -t FI_EP_RDM").require(0, "FI_EP_RDM");
        rdma4j("fi_info -v -d " + DEVICE).require(0, "FI_MR_PROV_KEY", "FI_MR_VIRT_ADDR", "FI_MR_ALLOCATED");
        return all;
    }

    static String traffic(final String line) {
        return rdma4j(line + " -d " + DEVICE).require(0, TRAFFIC.get(line).toArray(String[]::new));
    }

    /** One line says that there is nothing to dump, and why. */
    static String ownDumps() {
        for (final String dump : DUMPS) {
            requireOneLine(rdma4j(dump + " -d " + DEVICE), "no pvrdma device", "EOPNOTSUPP");
        }
        for (final String line : List.of("regs", "config", "regs --no-init", "dump --all /tmp/none.json")) {
            requireOneLine(rdma4j(line + " -d " + DEVICE));
        }
        return requireOneLine(rdma4j("qp --sample -d " + DEVICE), "devinfo -v -d " + DEVICE);
    }

    /** What a process has open by libibverbs is seen from outside, but for the rings. */
    static String dumpsOfAProcess() {
        final String process = " --pid " + ProcessHandle.current().pid();
        try (RdmaContext context = RdmaDevices.open(DEVICE)) {
            final ProtectionDomain pd = context.allocatePd();
            final MemoryRegion region = pd.register(context.allocate(4096));
            final QueuePair qp = pd.createQp(new QpOptions().cq(context.createCq(64)).maxSendWr(16).maxReceiveWr(32));
            rdma4j("qp" + process).require(0, "RC", "RESET", "send queue: 16 work requests",
                "receive queue: 32 work requests", "posted 0");
            rdma4j("cq" + process).require(0, "CQ ", "completions 0");
            rdma4j("mr" + process).require(0, "PD ", "MR ", Long.toHexString(region.address()));
            rdma4j("srq" + process).require(0, "no shared receive queues");
            return rdma4j("stat --once" + process).require(0, qp.isClosed() ? "closed" : DEVICE);
        }
    }

    private static String requireOneLine(final Outcome outcome, final String... words) {
        if (!outcome.out().isEmpty() || outcome.err().strip().contains("\n")
            || outcome.err().contains("internal error")) {
            throw new IllegalStateException("not one line of standard error: " + outcome);
        }
        return outcome.require(1, words);
    }

    /** Each line of {@code ibv_devinfo -v} is one of ours; docs/ibverbs.md lists those that have another value. */
    static String devinfo() throws IOException, InterruptedException {
        final Outcome theirs = system("ibv_devinfo -v -d " + FabricGuest.IBDEV);
        theirs.require(0);
        final Outcome ours = rdma4j("devinfo -v -d " + DEVICE);
        ours.require(0);
        final Map<String, String> expected = DevinfoText.fields(theirs.out());
        if (expected.size() < 80) {
            throw new IllegalStateException("ibv_devinfo printed " + expected.size() + " fields only: " + theirs);
        }
        final int all = expected.size();
        final List<String> changed = change(expected);
        final Map<String, String> told = DevinfoText.fields(ours.out());
        final List<String> faults = new ArrayList<>();
        expected.forEach((name, value) -> {
            if (!value.equals(told.get(name))) {
                faults.add(name + " is '" + told.get(name) + "', should be '" + value + "'");
            }
        });
        if (!DevinfoText.gids(theirs.out()).equals(DevinfoText.gids(ours.out()))) {
            faults.add("GIDs are " + DevinfoText.gids(ours.out()) + ", should be " + DevinfoText.gids(theirs.out()));
        }
        if (!faults.isEmpty()) {
            throw new IllegalStateException(String.join("; ", faults));
        }
        return all + " fields compared, of which rdma4j says something else: " + changed;
    }

    /** Makes of what the device tells what rdma4j does; the names of those that differ. */
    private static List<String> change(final Map<String, String> fields) {
        final Map<String, String> before = Map.copyOf(fields);
        fields.put("hca_id", DEVICE);
        final String longest = fields.get("max_mr_size").replaceFirst("0xf{16}", "0x7" + "f".repeat(15));
        fields.put("max_mr_size", longest);
        final int cqe = Integer.highestOneBit(Integer.parseInt(fields.get("max_cqe")));
        fields.put("max_cqe", Integer.toString(cqe));
        for (final String limit : List.of("max_qp_wr", "max_srq_wr")) {
            final int most = Integer.highestOneBit(Integer.parseInt(fields.get(limit)));
            fields.put(limit, Integer.toString(Math.min(most, Math.min(1 << 15, cqe))));
        }
        fields.put("max_pkeys", fields.get("pkey_tbl_len"));
        fields.put("gid_tbl_len", Integer.toString(Math.min(256, Integer.parseInt(fields.get("gid_tbl_len")))));
        final List<String> changed = new ArrayList<>();
        fields.forEach((name, value) -> {
            if (!value.equals(before.get(name))) {
                changed.add(name);
            }
        });
        return changed;
    }
}
