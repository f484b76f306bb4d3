/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.qemu.guest.FabricGuest;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The inner guest's hardware, as a QEMU command line.
 *
 * <pre>
 *   ttyS0  console: lines for people and for the harness
 *   ttyS1  commands, a line each
 *   ttyS2  a shell, on a pseudo terminal
 *   00:10.0  vmxnet3, without which QEMU makes no pvrdma        00:10.1  pvrdma, in the same IOMMU group
 * </pre>
 */
final class InnerMachine {
    /** The function that the driver opens. */
    static final String DEVICE = "0000:00:10.1";
    /** The guest's memory in MiB; default 640. */
    private static final String MEMORY_PROPERTY = "rdma4j.qemu.inner.memory";

    static final String CONTROL_SOCKET = "control.sock";
    static final String MAD_SOCKET = "mad.sock";

    /** The fifth level of page tables costs a memory access in every walk, and here nobody needs it. */
    private static final String CPU = System.getProperty("rdma4j.qemu.inner.cpu", "max,la57=off");
    private static final int USUAL_MEMORY_MIB = 640;
    /**
     * Equal addresses in each process: what was translated for one JVM serves the others. The kernel's check of its
     * timer fails on a busy machine, where nothing is wrong with it.
     */
    private static final String KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 norandmaps nokaslr "
        + "mitigations=off nowatchdog no_timer_check random.trust_cpu=on";

    private InnerMachine() {
    }

    /**
     * The command that runs it.
     *
     * @param binary  the QEMU program.
     * @param image   what it boots from.
     * @param sockets folder of its sockets; a short path.
     */
    static List<String> command(final String binary, final InnerImage image, final Path sockets) {
        final int mib = Integer.getInteger(MEMORY_PROPERTY, USUAL_MEMORY_MIB);
        final List<String> command = new ArrayList<>(List.of(binary, "-machine", "q35", "-accel", "tcg", "-cpu",
            CPU, "-smp", "1", "-m", mib + "M", "-nodefaults", "-display", "none", "-vga", "none", "-no-reboot",
            // pvrdma maps the guest's pages a second time, which takes shared memory.
            "-object", "memory-backend-ram,id=ram0,size=" + mib + "M,share=on", "-numa", "node,memdev=ram0",
            "-kernel", image.kernel().toString(), "-initrd", image.root().toString(), "-append",
            KERNEL_ARGUMENTS + (image.hasIommu() ? " intel_iommu=on" : ""),
            "-serial", "stdio",
            "-serial", "unix:" + sockets.resolve(CONTROL_SOCKET) + ",server=on,wait=off",
            "-serial", "pty"));
        if (image.hasIommu()) {
            command.addAll(List.of("-device", "intel-iommu,intremap=on"));
        }
        command.addAll(List.of("-device", "vmxnet3,addr=10.0,multifunction=on,romfile=",
            "-chardev", "socket,id=mads,path=" + sockets.resolve(MAD_SOCKET) + ",server=on,wait=off",
            "-device", "pvrdma,addr=10.1,multifunction=on,ibdev=" + FabricGuest.IBDEV + ",netdev="
                + FabricGuest.NETDEV + ",mad-chardev=mads"));
        return command;
    }
}
