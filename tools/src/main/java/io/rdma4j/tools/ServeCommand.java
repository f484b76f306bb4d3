/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.device.vfiouser.ServedFunction;
import io.rdma4j.device.vfiouser.VfioUserServer;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.tools.thread.Interruption;
import io.rdma4j.verbs.RdmaDevices;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code rdma4j serve}: emulated devices for guests of QEMU. */
@Command(
    name = "serve",
    description = {
        "Serves an emulated device to QEMU 10.1 or later, by the vfio-user protocol: a guest has it in a PCI slot, and "
            + "its own driver drives it, such as Linux' vmw_pvrdma. Ends at Ctrl-C.",
        "The guest's memory has to be a memfd that is shared: -object memory-backend-memfd,id=ram0,size=1G,share=on "
            + "-machine q35,memory-backend=ram0. Linux' driver wants a vmxnet3 at function 0 of the same slot. "
            + "docs/vfio-user.md has a whole command line.",
        "--socket and --device given several times serve several devices, each with a guest of its own or two in one; "
            + "they reach each other."
    },
    footer = {
        "  rdma4j serve --socket a.sock                    the default device",
        "  rdma4j serve --socket a.sock -d emulated:a?wire=udp   with a wire",
        "  rdma4j serve --socket a.sock -d emulated:a --socket b.sock -d emulated:b"
    })
final class ServeCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Spec
    private CommandSpec spec;

    @Option(names = "--socket", paramLabel = "PATH", required = true,
        description = "Where QEMU connects to; the file is made, and removed at the end. Who may write to it may "
            + "connect: by default only this user.")
    private List<Path> sockets;

    @Option(names = {"-d", "--device"}, paramLabel = "ADDRESS",
        description = "Address of the emulated device, one for each socket. Default for a single one: "
            + RdmaDevices.DEFAULT_ADDRESS)
    private List<String> addresses;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    @Override
    public void run() {
        final List<String> devices = addresses == null ? List.of(RdmaDevices.DEFAULT_ADDRESS) : addresses;
        if (devices.size() != sockets.size()) {
            throw new ParameterException(spec.commandLine(), "Options '--socket' (PATH) and '--device' (ADDRESS) are "
                + "given in pairs: there are " + sockets.size() + " sockets, and " + devices.size() + " devices");
        }
        requireEachOnce();
        // Whoever reads that it listens may press Ctrl-C at once.
        try (Interruption interruption = new Interruption()) {
            try (Undo undo = new Undo()) {
                undo.add(this::end);
                for (int i = 0; i < devices.size(); i++) {
                    serve(sockets.get(i), devices.get(i));
                }
                undo.forget();
            }
            awaitEnd(interruption);
        }
    }

    private void requireEachOnce() {
        final Set<Path> known = new HashSet<>();
        for (final Path socket : sockets) {
            if (!known.add(socket.toAbsolutePath().normalize())) {
                throw new ParameterException(spec.commandLine(), "Option '--socket' (PATH) has " + socket
                    + " twice: each device has a socket of its own");
            }
        }
    }

    private void serve(final Path socket, final String address) {
        final PciDevice device = PciDevices.open(DeviceAddress.parse(address));
        opened.push(device);
        if (!(device instanceof ServedFunction)) {
            throw RdmaException.of("serve device").device(address).detail("only emulated devices can be served")
                .errno(RdmaException.EOPNOTSUPP).hint("give -d emulated: or emulated:NAME").build();
        }
        opened.push(VfioUserServer.open(socket, (ServedFunction) device, event -> tell(socket + ": " + event)));
    }

    /** Any thread. Under no lock but the writer's own: the end waits for a thread that may just tell something. */
    private void tell(final String text) {
        main.terminal().err().println("rdma4j: " + text);
        main.terminal().err().flush();
    }

    /** Other signals than Ctrl-C end the process by its hooks; an interrupt is for whoever runs this in his process. */
    private void awaitEnd(final Interruption interruption) {
        final Thread hook = new Thread(this::end, "rdma4j-serve-end");
        Runtime.getRuntime().addShutdownHook(hook);
        sockets.forEach(socket -> tell("listening at " + socket));
        interruption.await(Long.MAX_VALUE);
        Thread.interrupted(); // What is closed may wait for its threads.
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            return; // A signal came on top of it: the hook is at it.
        }
        end();
    }

    /** Servers before their devices. */
    private synchronized void end() {
        final Cleanup cleanup = new Cleanup();
        while (!opened.isEmpty()) {
            final AutoCloseable last = opened.pop();
            cleanup.run(() -> close(last));
        }
        cleanup.throwIfFailed();
    }

    private static void close(final AutoCloseable what) {
        try {
            what.close();
        } catch (final RuntimeException e) {
            throw e;
        } catch (final Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
