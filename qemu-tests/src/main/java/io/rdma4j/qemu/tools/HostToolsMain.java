/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import java.io.IOException;

/** Runs all claims about status, bind and unbind in the guest. */
public final class HostToolsMain {
    private HostToolsMain() {
    }

    /**
     * Entry point; the exit code is 1 if something failed.
     *
     * @param args none.
     * @throws IOException if results cannot be written.
     */
    public static void main(final String[] args) throws IOException {
        ClaimRunner.run(HostToolsMain::checkAll);
    }

    /** In an order in which each finds what those before it left. */
    private static void checkAll(final ClaimRunner runner) throws IOException {
        final HostClaims claims = new HostClaims();
        runner.check("findsTheDevices", claims::findDevices);
        runner.check("statusOfAnUntouchedMachine", claims::untouched);
        runner.check("refusesWhatIsNoRdmaDevice", claims::noRdmaDevice);
        runner.check("bindsADeviceOfItsOwnGroup", claims::bindAlone);
        runner.check("rollsBackWhenTheKernelRefuses", claims::rollBack);
        runner.check("refusesAnActiveInterface", claims::activeInterface);
        runner.check("tellsWhatElseTheGroupNeeds", claims::groupNeedsMore);
        runner.check("bindsTheWholeGroup", claims::bindGroup);
        runner.check("nobodyOpensWhatWasGivenToHimAndIsToldWhatToDo", claims::nobody);
        runner.check("refusesToUnbindWhatIsOpen", claims::open);
        runner.check("forcedUnbindEndsThoughTheDeviceStaysOpen", claims::unbindWhileOpen);
        runner.check("givesTheGroupBack", claims::unbindGroup);
        runner.check("countsHugePages", claims::hugePages);
        runner.check("saysModprobe", claims::modprobe);
    }
}
