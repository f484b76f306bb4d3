/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import org.agrona.UnsafeApi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Whether the memory of a context looks as {@link Abi} says, before anything is called through its pointers: a wrong
 * one would end the process.
 */
final class ContextCheck {
    private static final String CONTROL = "rdma4j.ibv.check";
    private static final long EXTENDED = -1;
    private static final List<Integer> WINDOWS =
        List.of(Abi.Context.OPS_ALLOC_MW, Abi.Context.OPS_BIND_MW, Abi.Context.OPS_DEALLOC_MW);
    /** In front of the context is what a library need not have, and windows are what a driver need not have. */
    private static final List<Integer> OPTIONAL = Stream.concat(WINDOWS.stream(), Stream.of(
        -Abi.VerbsContext.QUERY_DEVICE_EX, -Abi.VerbsContext.QUERY_PORT, -Abi.VerbsContext.ADVISE_MR)).toList();
    private static final List<Integer> CALLED = Stream.concat(OPTIONAL.stream(), Stream.of(
        Abi.Context.OPS_POLL_CQ, Abi.Context.OPS_REQ_NOTIFY_CQ, Abi.Context.OPS_POST_SEND, Abi.Context.OPS_POST_RECV,
        Abi.Context.OPS_POST_SRQ_RECV)).toList();

    private ContextCheck() {
    }

    /**
     * What is wrong.
     *
     * @param context of the device.
     * @param device  its {@code ibv_device}.
     * @param file    that the library has opened for it.
     * @return a sentence; null if all is as it should be.
     */
    static String objection(final long context, final long device, final Path file) {
        if (UnsafeApi.getLong(context + Abi.Context.ABI_COMPAT) != EXTENDED) {
            return "it is of a library before rdma-core 15";
        }
        if (UnsafeApi.getLong(context + Abi.Context.DEVICE) != device) {
            return "it does not name its device";
        }
        if (!reaches(context, Abi.VerbsContext.SZ)) {
            return "it has " + UnsafeApi.getLong(context - Abi.VerbsContext.SZ) + " bytes";
        }
        // A library made for a test has neither a device file nor a name that is known.
        return "off".equals(System.getProperty(CONTROL)) ? null : foreign(context, file);
    }

    /** Whether there is so much in front of a context. */
    private static boolean reaches(final long context, final int distance) {
        return UnsafeApi.getLong(context - Abi.VerbsContext.SZ) >= Abi.Context.LENGTH + distance;
    }

    /**
     * A function that stands in front of a context.
     *
     * @param context  of the device.
     * @param distance how far in front.
     * @return 0 if the driver has none, or the library is older than it.
     */
    static long extended(final long context, final int distance) {
        return reaches(context, distance) ? UnsafeApi.getLong(context - distance) : 0;
    }

    private static String foreign(final long context, final Path file) {
        final int fd = UnsafeApi.getInt(context + Abi.Context.CMD_FD);
        try {
            final Path link = Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(fd)));
            if (!link.equals(file)) {
                return "file " + fd + " is " + link + ", not " + file;
            }
            // Names of mapped files may have any bytes.
            return strange(context, Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1));
        } catch (final IOException e) {
            return "/proc/self cannot be read: " + e.getMessage();
        }
    }

    /** What is wrong about functions that are called by their addresses in the context; null if nothing is. */
    static String strange(final long context, final List<String> maps) {
        for (final int member : CALLED) {
            final long function = member < 0 ? extended(context, -member) : UnsafeApi.getLong(context + member);
            if (libraryAt(maps, function) == null && !(function == 0 && OPTIONAL.contains(member))) {
                return String.format(Locale.ROOT, "the function at byte %d is 0x%x, in no library of RDMA", member,
                    function);
            }
        }
        return null;
    }

    /** Whether the driver has what is called for memory windows. */
    static boolean hasWindows(final long context) {
        return WINDOWS.stream().allMatch(member -> UnsafeApi.getLong(context + member) != 0);
    }

    /** The file of the library that a function is in; null if it is in no executable part of one. */
    private static String libraryAt(final List<String> maps, final long address) {
        for (final String line : maps) {
            final String[] words = line.split(" +", 6);
            final String[] range = words[0].split("-", 2);
            if (words.length == 6 && words[1].contains("x")
                && Long.compareUnsigned(address, Long.parseUnsignedLong(range[0], 16)) >= 0
                && Long.compareUnsigned(address, Long.parseUnsignedLong(range[1], 16)) < 0) {
                final String name = words[5].substring(words[5].lastIndexOf('/') + 1);
                return name.matches("lib\\w+-rdmav\\d+\\.so.*|libibverbs\\.so.*|lib(mlx[45]|efa|hns|mana)\\.so.*")
                    ? name : null;
            }
        }
        return null;
    }

    /** What drives the device: {@code rxe} of {@code librxe-rdmav34.so}. */
    static String driver(final long context) {
        try {
            final String library = libraryAt(
                Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1),
                UnsafeApi.getLong(context + Abi.Context.OPS_POST_SEND));
            return library == null ? "unknown" : library.replaceFirst("^lib", "").replaceFirst("[-.].*", "");
        } catch (final IOException e) {
            return "unknown";
        }
    }
}
