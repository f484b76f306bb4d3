/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.leftovers;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestTests;
import io.rdma4j.qemu.guest.QemuTest;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.List;
import java.util.stream.Stream;

@QemuTest
class LeftoversQemuTest {
    @TestFactory
    Stream<DynamicTest> theNextProcessDestroysWhatAKilledOneLeft() {
        try (FabricGuest guest = FabricGuest.boot(new GuestContext().name("leftovers"))) {
            final GuestResult result = guest.run(List.of(LeftoversMain.class.getName()));
            return Stream.concat(
                Stream.of("victimRan", "journalStays", "theDeadLeaveObjects", "leftoversDestroyed", "nothingIsLeft",
                    "trafficGoesOn", "qemuLives", "journalIsGone", "cleanEnd", "firstVictimRan", "firstQpWaits",
                    "firstQpIsFound").map(name ->
                        DynamicTest.dynamicTest(name + " is reported", () -> GuestTests.requireReported(result, name))),
                GuestTests.of(result));
        }
    }
}
