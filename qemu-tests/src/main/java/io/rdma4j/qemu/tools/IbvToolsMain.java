/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import java.io.IOException;

/** Runs all claims about the commands on SoftRoCE through libibverbs, in the guest. */
public final class IbvToolsMain {
    private IbvToolsMain() {
    }

    /**
     * Entry point; the exit code is 1 if something failed.
     *
     * @param args none.
     * @throws IOException if results cannot be written.
     */
    public static void main(final String[] args) throws IOException {
        ClaimRunner.run(IbvToolsMain::checkAll);
    }

    private static void checkAll(final ClaimRunner runner) {
        runner.check("devices", IbvClaims::devices);
        runner.check("devinfo", IbvClaims::devinfo);
        runner.check("fi_info", IbvClaims::fiInfo);
        for (final String line : IbvClaims.TRAFFIC.keySet()) {
            runner.check(line.replace(' ', '_'), () -> IbvClaims.traffic(line));
        }
        runner.check("dumpsOfItsOwn", IbvClaims::ownDumps);
        runner.check("dumpsOfAProcess", IbvClaims::dumpsOfAProcess);
    }
}
