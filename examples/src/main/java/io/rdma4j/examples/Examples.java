/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.RdmaDevices;

import java.io.PrintStream;
import java.util.List;

/** The examples, by name. */
public final class Examples {
    private static final String DEFAULT_DEVICE = "emulated:";

    private static final List<Example> ALL = List.of(
        new Example("local", "FI_MR_LOCAL: who registers the buffers that messages come from?", LocalExample::run),
        new Example("raw", "FI_MR_RAW: what travels to the peer, a number or bytes?", RawExample::run),
        new Example("virt-addr", "FI_MR_VIRT_ADDR: how does a peer name a byte of a region?", VirtAddrExample::run),
        new Example("allocated", "FI_MR_ALLOCATED: must there be memory when it is registered?",
            AllocatedExample::run),
        new Example("prov-key", "FI_MR_PROV_KEY: who chooses the key of a region?", ProvKeyExample::run),
        new Example("mmu-notify", "FI_MR_MMU_NOTIFY: who notices that pages come and go?", MmuNotifyExample::run),
        new Example("rma-event", "FI_MR_RMA_EVENT: when is a region bound to its counter?", RmaEventExample::run),
        new Example("endpoint", "FI_MR_ENDPOINT: does a region belong to a domain, or to one endpoint?",
            EndpointExample::run),
        new Example("hmem", "FI_MR_HMEM: who says where memory of accelerators is?", HmemExample::run),
        new Example("collective", "FI_MR_COLLECTIVE: which regions may take part in collective operations?",
            CollectiveExample::run),
        new Example("cache", "The registration cache: what does a second send from the same memory cost?",
            CacheExample::run),
        new Example("async", "Asynchronous registration: who waits while memory is registered?", AsyncExample::run),
        new Example("vector", "Address vectors: what are peers called?", VectorExample::run),
        new Example("datagram", "FI_EP_DGRAM: what does a message without a connection promise?",
            DatagramExample::run),
        new Example("connect", "FI_EP_MSG: who asks for a connection, and who answers?", ConnectExample::run),
        new Example("all-to-all", "FI_EP_RDM: who connects four ranks that talk to each other?",
            AllToAllExample::run));

    private Examples() {
    }

    /** What an example does. */
    @FunctionalInterface
    interface Body {
        /**
         * Shows it.
         *
         * @param device address of a device.
         * @param page   what it prints on.
         * @throws Exception whatever goes wrong.
         */
        void run(String device, Page page) throws Exception;
    }

    /** One example. */
    record Example(String name, String question, Body body) {
    }

    static List<Example> all() {
        return ALL;
    }

    /**
     * Runs an example and ends the process: 0, also if the device cannot show it; 1 if there is no such device; 2 for
     * wrong arguments.
     *
     * @param args name of the example, and address of the device.
     * @throws Exception what went wrong in the example.
     */
    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    public static void main(final String[] args) throws Exception {
        System.exit(run(args, System.out));
    }

    static int run(final String[] args, final PrintStream out) throws Exception {
        if (args.length >= 1 && args.length <= 2) {
            for (final Example example : ALL) {
                if (example.name().equals(args[0])) {
                    return show(example, args.length == 2 ? args[1] : DEFAULT_DEVICE, out);
                }
            }
        }
        out.println("usage: run.sh NAME [DEVICE]; the device is " + DEFAULT_DEVICE + " if none is named");
        ALL.forEach(example -> out.printf("  %-12s %s%n", example.name(), example.question()));
        return args.length == 0 ? 0 : 2;
    }

    private static int show(final Example example, final String device, final PrintStream out) throws Exception {
        try {
            for (final String one : AllToAllExample.devices(device)) {
                RdmaDevices.open(one).close();
            }
        } catch (final RdmaException e) {
            out.println(e.getMessage());
            return 1;
        }
        final Page page = new Page(out);
        page.title(example.question());
        try {
            example.body().run(device, page);
        } catch (final FabricException e) {
            if (e.errno() != FiErrno.FI_ENODATA) {
                throw e;
            }
            page.section("not on this device");
            page.done(device, e.getMessage());
        }
        return 0;
    }
}
