/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import io.rdma4j.testing.Gcc;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Brings C programs into a guest. */
public final class GuestPrograms {
    private GuestPrograms() {
    }

    /**
     * Compiles a program or a library that stands beside a test, and puts it where a guest finds it.
     *
     * @param guest   that guest.
     * @param test    that test.
     * @param name    its name, without ".c".
     * @param options of the compiler.
     * @return the guest's path of it.
     * @throws IOException          if it is not there, or cannot be compiled.
     * @throws InterruptedException if the caller is to stop.
     */
    public static String compiled(final FabricGuest guest, final Class<?> test, final String name,
        final String... options) throws IOException, InterruptedException {
        final List<String> all = new ArrayList<>(List.of("-O2", "-Wall", "-Wextra", "-Werror"));
        all.addAll(List.of(options));
        // Where the guest sees the host's files: in folders that are memory it does not.
        final Path folder = guest.folder().resolve("share");
        try (InputStream source = test.getResourceAsStream(name + ".c")) {
            Gcc.compile(folder, name, new String(source.readAllBytes(), StandardCharsets.UTF_8),
                all.toArray(String[]::new));
        }
        return FabricGuest.SHARE + '/' + name;
    }
}
