/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.linux;

import io.rdma4j.DeviceAddress;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.device.EmulatedDevice;
import io.rdma4j.device.vfiouser.VfioUserServer;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.ServedParts;
import io.rdma4j.qemu.process.Folders;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Emulated devices of this process, and a guest whose Linux drives them: device n is {@code vmw_pvrdmaN} in slot
 * 16 + n, with the address 10.0.(2 + n).15. Their network cards are in one network, in which this machine is 10.0.2.2.
 * Not thread-safe.
 */
public final class ServedGuest implements AutoCloseable {
    /** What the guest needs beside the two pollers of a test is little. */
    private static final int PROCESSORS = 2;
    private static final int FIRST_SLOT = 0x10;
    /** Of perftest and the examples of rdma-core. */
    private static final int GUEST_PORT = 18515;
    private static final String PAIR = "pair.sh";
    private static final List<String> SCRIPTS = List.of(PAIR, "pyverbs.sh");

    private final List<EmulatedDevice> devices = new ArrayList<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Path sockets;
    private final int port;
    private FabricGuest guest;

    private ServedGuest(final Path sockets) throws IOException {
        this.sockets = sockets;
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
    }

    /**
     * Serves devices, and boots a guest that has them.
     *
     * @param parts     what the guest takes.
     * @param context   how it is to be.
     * @param addresses of the devices, {@code emulated:} each.
     * @return to be closed.
     * @throws GuestException if the guest does not come up; shows its console.
     */
    public static ServedGuest boot(
        final ServedParts parts, final GuestContext context, final List<String> addresses) {
        try {
            final ServedGuest made = new ServedGuest(Files.createTempDirectory("rdma4j-served"));
            try (Undo undo = new Undo()) {
                undo.add(made::close);
                context.qemuArguments("-netdev", String.format(Locale.ROOT, "user,id=outside,ipv6=off,"
                    + "hostfwd=tcp:127.0.0.1:%d-10.0.2.15:%d", made.port, GUEST_PORT),
                    "-netdev", "hubport,id=exit,hubid=0,netdev=outside");
                for (int i = 0; i < addresses.size(); i++) {
                    made.serve(addresses.get(i), context, i);
                }
                made.start(context, parts);
                undo.forget();
            }
            return made;
        } catch (final IOException e) {
            throw new GuestException("cannot serve devices to a guest", e);
        }
    }

    private void serve(final String address, final GuestContext context, final int index) {
        final EmulatedDevice device = (EmulatedDevice) PciDevices.open(DeviceAddress.parse(address));
        opened.push(device);
        devices.add(device);
        final Path socket = sockets.resolve("device" + index);
        opened.push(VfioUserServer.open(socket, device, events::add));
        final String slot = Integer.toHexString(FIRST_SLOT + index);
        context.qemuArguments("-netdev", String.format(Locale.ROOT, "hubport,id=net%d,hubid=0", index),
            "-device", String.format(Locale.ROOT, "vmxnet3,netdev=net%d,addr=%s.0,multifunction=on,romfile=", index,
                slot),
            "-device", String.format("{\"driver\":\"vfio-user-pci\",\"addr\":\"%s.1\",\"rombar\":0,"
                + "\"x-msg-timeout\":60000,\"socket\":{\"type\":\"unix\",\"path\":\"%s\"}}", slot, socket));
    }

    private void start(final GuestContext context, final ServedParts parts) throws IOException {
        // On a busy machine the kernel complains of processors that do not come to anything. Registers are for tests,
        // too.
        guest = FabricGuest.boot(context.processors(PROCESSORS).kernelArguments("net.ifnames=0", "nowatchdog",
            "rcupdate.rcu_cpu_stall_suppress=1", "iomem=relaxed"), parts);
        opened.push(guest);
        for (final String script : SCRIPTS) {
            try (InputStream in = ServedGuest.class.getResourceAsStream(script)) {
                Files.write(guest.folder().resolve("share").resolve(script), in.readAllBytes());
            }
        }
    }

    /**
     * What the guest's machine sees as a device.
     *
     * @param index from 0.
     * @return the device.
     */
    public EmulatedDevice device(final int index) {
        return devices.get(index);
    }

    /**
     * What the servers told: clients that came and went, and requests that were refused.
     *
     * @return in their order.
     */
    public List<String> events() {
        return List.copyOf(events);
    }

    /**
     * By which port of this machine the guest is reached.
     *
     * @return it leads to port 18515 of the guest, that of perftest.
     */
    public int port() {
        return port;
    }

    /**
     * The guest.
     *
     * @return it is closed with this.
     */
    public FabricGuest guest() {
        return guest;
    }

    /**
     * Runs a script of the shell.
     *
     * @param script one or several lines.
     * @return what it left.
     * @throws GuestException as {@link FabricGuest#runCommand}.
     */
    public GuestResult run(final String script) {
        return guest.runCommand(List.of("sh", "-c", script));
    }

    /**
     * What two commands that talked to each other said.
     *
     * @param result of both; its exit code is 0 if both ended so.
     * @param server what the server said.
     * @param client what the client said.
     */
    public record Pair(GuestResult result, String server, String client) {
        /**
         * Both ends, for people.
         *
         * @return one text.
         */
        public String all() {
            return String.join("\n", result.output()) + "\nserver: " + server + "\nclient: " + client;
        }
    }

    /**
     * Runs a server and, when it can be spoken to, a client.
     *
     * @param seconds longest time for each.
     * @param listens a condition of the shell that tells whether the server listens.
     * @param server  a command.
     * @param client  a command.
     * @return what came of it.
     * @throws GuestException as {@link FabricGuest#runCommand}.
     */
    public Pair pair(final int seconds, final String listens, final String server, final String client) {
        final GuestResult result = guest.runCommand(List.of("sh", FabricGuest.SHARE + '/' + PAIR,
            Integer.toString(seconds), listens, server, client));
        return new Pair(result, read(result, "server.log"), read(result, "client.log"));
    }

    private static String read(final GuestResult result, final String file) {
        try {
            return new String(Files.readAllBytes(result.folder().resolve(file)), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            return "(" + e + ")";
        }
    }

    /** The guest before the servers, and those before the devices. */
    @Override
    public void close() {
        final Cleanup cleanup = new Cleanup();
        while (!opened.isEmpty()) {
            final AutoCloseable last = opened.pop();
            cleanup.run(() -> close(last));
        }
        cleanup.run(() -> delete(sockets)).throwIfFailed();
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

    private static void delete(final Path folder) {
        try {
            Folders.delete(folder);
        } catch (final IOException e) {
            throw new GuestException("cannot delete " + folder, e);
        }
    }
}
