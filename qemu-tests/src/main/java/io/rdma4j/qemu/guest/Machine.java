/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What a fabric guest runs on. Its text says so to people. */
interface Machine {
    /**
     * The folder that host and guest share, in the guest's folder: a link to one that no other run has, which is what
     * the machine is told.
     */
    String SHARE = "share";

    /**
     * Writes what the machine boots from.
     *
     * @param context how the guest is to be.
     * @param folder  the guest's own.
     * @param sockets a folder with a short path, deleted with the machine.
     * @return the command that runs the machine; its output is the console.
     * @throws IOException if a file cannot be written.
     */
    List<String> command(GuestContext context, Path folder, Path sockets) throws IOException;

    /** The guest's terminal for people, a name below /dev. */
    String terminal();

    /**
     * The script by which the guest makes its RDMA devices; it leaves a text for people in {@code devices}.
     *
     * @throws IOException if the build lost it.
     */
    String setup() throws IOException;
}
