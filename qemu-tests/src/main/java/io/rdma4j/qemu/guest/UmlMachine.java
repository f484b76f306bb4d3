/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * A kernel that is a process of this host: it has one processor, no devices, and nearly the host's speed.
 *
 * @param kernel the program.
 */
record UmlMachine(UmlKernel kernel) implements Machine {
    /** Where its memory is a file without a disk. */
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long MIB = 1 << 20;

    static UmlMachine prepare(final GuestContext context) {
        return new UmlMachine(UmlKernel.prepare(context.cache));
    }

    @Override
    public List<String> command(final GuestContext context, final Path folder, final Path sockets)
        throws IOException {
        final Path share = folder.resolve(SHARE).toRealPath();
        Files.copy(kernel.clock(), share.resolve("clock.so"), StandardCopyOption.REPLACE_EXISTING);
        final Path init = Files.writeString(sockets.resolve("init"), "#!/bin/sh\nshare="
            + Shell.quote(share.toString()) + '\n' + Initramfs.script("uml-init.sh"));
        Files.setPosixFilePermissions(init, PosixFilePermissions.fromString("rwxr-xr-x"));
        final boolean room = Files.isDirectory(MEMORY)
            && Files.getFileStore(MEMORY).getUsableSpace() >= context.memoryMib * MIB;
        final List<String> command = new ArrayList<>(List.of("env", "TMPDIR=" + (room ? MEMORY : sockets),
            kernel.program().toString(), "mem=" + context.memoryMib + "M", "rootfstype=hostfs", "ro", "init=" + init,
            "con=null", "con0=null,fd:1", "con1=pts", "uml_dir=" + sockets + '/', "quiet", "panic=-1"));
        command.addAll(context.kernelArguments);
        return command;
    }

    @Override
    public String terminal() {
        return "tty1";
    }

    @Override
    public String setup() throws IOException {
        return FabricSetup.script();
    }

    @Override
    public String toString() {
        return "User Mode Linux of " + kernel.version();
    }
}
