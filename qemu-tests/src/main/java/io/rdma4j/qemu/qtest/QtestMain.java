/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.qemu.guest.ResultWriter;

import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs another main class with QEMU's pvrdma beside it, in the fabric guest. In the other's arguments {@code {device}}
 * becomes the verbs address of the device, {@code {peer}} that of a second one (each started only when it is asked
 * for), and {@code {folder}} the folder in which files reach the host:
 *
 * <pre>
 *   QtestMain io.rdma4j.conformance.ConformanceMain {device} --results {folder}/results.txt
 * </pre>
 *
 * <p>The other may end the JVM: QEMU ends with it.
 */
public final class QtestMain {
    private static final String DEVICE = "{device}";
    private static final String PEER = "{peer}";
    private static final String FOLDER = "{folder}";

    private QtestMain() {
    }

    /**
     * Entry point.
     *
     * @param args the main class and its arguments.
     * @throws ReflectiveOperationException if there is no such main class, or it failed.
     */
    public static void main(final String[] args) throws ReflectiveOperationException {
        if (args.length == 0) {
            throw new IllegalArgumentException(
                "usage: QtestMain MAIN-CLASS [ARGUMENT | {device} | {peer} | {folder}]...");
        }
        final Class<?> other = Class.forName(args[0]);
        final List<String> arguments = Arrays.asList(args).subList(1, args.length);
        final Path folder = Path.of(System.getProperty(ResultWriter.FOLDER_PROPERTY, "."));
        final List<QtestDevice> devices = new ArrayList<>();
        try {
            for (final String name : List.of(DEVICE, PEER)) {
                final boolean wanted = arguments.stream().anyMatch(argument -> argument.contains(name));
                devices.add(!wanted ? null
                    : QtestDevice.start(folder.resolve("qemu-" + name.substring(1, name.length() - 1) + ".log")));
            }
            final String[] filled = arguments.stream()
                .map(argument -> fill(argument, DEVICE, devices.get(0)))
                .map(argument -> fill(argument, PEER, devices.get(1)))
                .map(argument -> argument.replace(FOLDER, folder.toString()))
                .toArray(String[]::new);
            other.getMethod("main", String[].class).invoke(null, (Object) filled);
        } catch (final InvocationTargetException e) {
            devices.stream().filter(device -> device != null).forEach(device ->
                System.err.println(device + " said:" + System.lineSeparator() + device.log()));
            throw e;
        } finally {
            devices.stream().filter(device -> device != null).forEach(QtestDevice::close);
        }
    }

    private static String fill(final String argument, final String name, final QtestDevice device) {
        return device == null ? argument : argument.replace(name, device.verbsAddress().toString());
    }
}
