/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestTests;
import io.rdma4j.qemu.guest.QemuTest;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.List;
import java.util.stream.Stream;

/** Boots the fabric guest and reaches QEMU's pvrdma in it: what every other test against QEMU stands on. */
@QemuTest
class QtestSmokeQemuTest {
    @TestFactory
    Stream<DynamicTest> reachesTheDeviceThroughQtest() {
        try (FabricGuest guest = FabricGuest.boot(new GuestContext().name("qtest-smoke"))) {
            final GuestResult result = guest.run(List.of(QtestSmokeMain.class.getName()));
            return Stream.concat(
                Stream.of("qemu", "ids", "subsystem", "version", "dma", "interrupt", "madChardev").map(name ->
                    DynamicTest.dynamicTest(name + " is reported", () -> GuestTests.requireReported(result, name))),
                GuestTests.of(result));
        }
    }
}
