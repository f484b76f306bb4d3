/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;

/** A process that opens a device and registers memory, since the library is loaded once in each. */
public final class OpenMain {
    private static final int MIB = 1 << 20;

    private OpenMain() {
    }

    /**
     * Entry point; prints what the device is, and what went wrong.
     *
     * @param args the address of the device.
     */
    public static void main(final String[] args) {
        System.out.println(new IbvVerbsProvider().list());
        try (RdmaContext context = new IbvVerbsProvider().open(DeviceAddress.parse(args[0]));
            ProtectionDomain pd = context.allocatePd()) {
            System.out.println(context.dump());
            Stub.ask("stub_refuse_regions", RdmaException.ENOMEM);
            pd.register(context.allocate(MIB));
        } catch (final RdmaException e) {
            System.out.println(e.getMessage());
        }
    }
}
