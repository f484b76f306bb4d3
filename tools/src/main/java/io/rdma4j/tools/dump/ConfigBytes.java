/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.sysfs.PciSysfs;
import io.rdma4j.hw.pci.PciConfig;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * A copy of a configuration space.
 *
 * @param bytes what could be read, from the beginning; none if {@code trouble} says why.
 * @param from  where they were read.
 * @param trouble why there are none, or fewer than there could be; empty otherwise.
 */
record ConfigBytes(byte[] bytes, String from, String trouble) {
    private static final String SCHEME = "vfio:";

    static ConfigBytes of(final ConfigSpace space) {
        final ByteBuffer copy = ByteBuffer.allocate(PciConfig.SPACE_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        for (int offset = 0; offset < PciConfig.SPACE_LENGTH; offset += Integer.BYTES) {
            copy.putInt(offset, space.read(offset, Integer.BYTES));
        }
        return new ConfigBytes(copy.array(), "the device", "");
    }

    /**
     * Of a device that another process has open: the kernel lets anybody look at a function of this machine.
     *
     * @param root    the folder with {@code sys}.
     * @param address of the device.
     */
    static ConfigBytes ofElsewhere(final Path root, final String address) {
        final Optional<String> function = address.startsWith(SCHEME)
            ? PciSysfs.normalise(address.substring(SCHEME.length()).split("\\?", 2)[0]) : Optional.empty();
        if (function.isEmpty()) {
            return none("", "the configuration space of '" + address + "' is only in the process that has it open; "
                + "that of a device of one's own (-d) and of a vfio: device can be read");
        }
        final Path file = root.resolve("sys/bus/pci/devices").resolve(function.get()).resolve("config");
        try {
            final byte[] all = Files.readAllBytes(file);
            final byte[] bytes = Arrays.copyOf(all, Math.min(all.length, PciConfig.SPACE_LENGTH));
            return new ConfigBytes(bytes, file.toString(), bytes.length == PciConfig.SPACE_LENGTH ? ""
                : "the kernel shows " + bytes.length + " bytes of it; root sees the capabilities too");
        } catch (final NoSuchFileException e) {
            return none(file.toString(), "this machine has no PCI function " + function.get());
        } catch (final AccessDeniedException e) {
            return none(file.toString(), "no right to read " + file);
        } catch (final IOException e) {
            return none(file.toString(), e.toString());
        }
    }

    private static ConfigBytes none(final String from, final String trouble) {
        return new ConfigBytes(new byte[0], from, trouble);
    }
}
