/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestTests;
import io.rdma4j.qemu.guest.QemuTest;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.List;
import java.util.stream.Stream;

/** Two processes, bad input and a device that goes away, on Linux' SoftRoCE behind libibverbs: one boot. */
@QemuTest
class RxeQemuTest {
    @TestFactory
    Stream<DynamicTest> processesBadInputAndADeviceThatGoes() {
        try (FabricGuest guest = FabricGuest.boot(new GuestContext().name("rxe-processes"))) {
            final GuestResult result = guest.run(List.of(RxeMain.class.getName()));
            return Stream.concat(Stream.of("twoProcessesUseEachOthersMemory", "noRights", "littleMemoryToLock",
                "portThatIsDown", "deviceThatGoesAway").map(name ->
                DynamicTest.dynamicTest(name + " is reported", () -> GuestTests.requireReported(result, name))),
                GuestTests.of(result));
        }
    }
}
