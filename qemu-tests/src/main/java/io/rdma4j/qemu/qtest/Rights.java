/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.RdmaException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;

/** Tells a file that this process may not use from one that is not there, before either is tried. */
final class Rights {
    private Rights() {
    }

    /** To connect to a socket takes the right to write to it; the memory is mapped for both. */
    static boolean readableAndWritable(final Path path) {
        return Files.isReadable(path) && Files.isWritable(path);
    }

    /**
     * Refuses files that are there but out of bounds.
     *
     * @param address of the device.
     * @param options name the files.
     * @param usable  whether this process may read and write a file.
     * @throws RdmaException EACCES naming the first such file.
     */
    static void require(final Object address, final QtestOptions options, final Predicate<Path> usable) {
        for (final Path path : new Path[] {options.socket(), options.ram(), options.mad()}) {
            if (path != null && Files.exists(path) && !usable.test(path)) {
                throw RdmaException.of("open device").device(address)
                    .detail("%s may not read and write %s", System.getProperty("user.name"), path)
                    .errno(RdmaException.EACCES)
                    .hint("run as the user that runs QEMU, or give the right with: sudo setfacl -m u:%s:rw %s",
                        System.getProperty("user.name"), path)
                    .build();
            }
        }
    }
}
