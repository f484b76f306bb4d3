/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestTests;
import io.rdma4j.qemu.guest.QemuTest;
import io.rdma4j.qemu.guest.ResultWriter;
import io.rdma4j.qemu.tools.RxeMain;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The suite between an emulated device and Linux' SoftRoCE, each at one end of a network cable in the fabric guest,
 * both ways round: a transport that somebody else wrote agrees with ours, packet by packet.
 */
@QemuTest
@Tag("one-jdk")
class JudgedWireTest {
    private static final String OURS = "emulated:judged?wire=udp&mtu=3&address=" + FabricGuest.PEER_ADDRESS + "&netns="
        + FabricGuest.PEER_NETNS;
    private static final String THEIRS = "ibv:" + FabricGuest.IBDEV + "?gid=::ffff:" + FabricGuest.IP_ADDRESS;
    /** At our end; theirs loses nothing by itself. */
    private static final String LOSS = "&loss=drop:1,duplicate:1,reorder:1,seed:20,on:both";
    /** 5,000 operations of all kinds; with {@code -Drdma4j.tests.long=true} 100,000. */
    private static final String EFFORT = Boolean.getBoolean("rdma4j.tests.long") ? "long" : "full";
    /** A part of the suite, where the whole takes too long; what is left out is counted as one skipped test. */
    private static final String ONLY = System.getProperty("rdma4j.judged.only", "*");
    private static GuestResult requester;
    private static GuestResult responder;
    private static GuestResult lossy;
    private static GuestResult ordered;
    private static GuestResult programs;

    @BeforeAll
    @Timeout(1800)
    static void runsInTheGuest() {
        try (FabricGuest guest = FabricGuest.boot(new GuestContext().name("judged"))) {
            requester = run(guest, 1, OURS, THEIRS, "--only", ONLY);
            responder = run(guest, 2, THEIRS, OURS, "--only", ONLY);
            lossy = run(guest, 3, OURS + LOSS, THEIRS, "--only", "load.randomOperationsOfOne", "--effort", EFFORT);
            // A packet that is lost holds up what is behind it: a few of these take as long as thousands of those.
            ordered = run(guest, 4, OURS + LOSS, THEIRS, "--only", "order.");
            programs = guest.run(List.of(RxeMain.class.getName(), OURS));
        }
        System.out.println(Tally.of("emulated over UDP to SoftRoCE", ConformanceResult.parse(requester.report())));
        System.out.println(Tally.of("SoftRoCE to emulated over UDP", ConformanceResult.parse(responder.report())));
    }

    private static GuestResult run(
        final FabricGuest guest, final int number, final String near, final String far, final String... options) {
        final List<String> command = new ArrayList<>(List.of(ConformanceMain.class.getName(), near, "--peer", far,
            "--results", FabricGuest.SHARE + "/" + number + "/" + ResultWriter.FILE_NAME, "--effort", "quick",
            "--patience", "10"));
        command.addAll(List.of(options));
        return guest.run(command);
    }

    @TestFactory
    Stream<DynamicTest> oursAsks() {
        return GuestTests.of(requester);
    }

    @TestFactory
    Stream<DynamicTest> theirsAsks() {
        return GuestTests.of(responder);
    }

    /** Of a hundred packets each way one is lost, one doubled, one late. */
    @TestFactory
    Stream<DynamicTest> randomOperationsDespiteLoss() {
        return GuestTests.of(lossy);
    }

    /** Likewise. */
    @TestFactory
    Stream<DynamicTest> orderDespiteLoss() {
        return GuestTests.of(ordered);
    }

    /** Those of rdma-core and perftest, in both roles, against the commands. */
    @TestFactory
    Stream<DynamicTest> otherProjectsPrograms() {
        return GuestTests.of(programs);
    }

    @Test
    void docsSayWhatPassed() throws IOException {
        assumeTrue("*".equals(ONLY), "a part of the suite was left out: rdma4j.judged.only=" + ONLY);
        SupportTableTest.requireSaid(SupportColumn.ofLines(SupportMain.WIRE, requester.report()));
    }

    @Test
    void movedDataOverTheCable() {
        for (final GuestResult result : List.of(requester, responder)) {
            Judged.requireMoved(result);
        }
    }
}
