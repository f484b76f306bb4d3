/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A machine that QEMU emulates, with the distribution's own kernel: it can have devices.
 *
 * @param kernel   of the distribution.
 * @param busybox  the first program, static.
 * @param program  QEMU: the command without its options.
 * @param emulator which QEMU, for people.
 * @param type     of the machine.
 * @param drivers  modules beside those for the root.
 * @param setup    the script that makes RDMA devices.
 */
record QemuMachine(GuestKernel kernel, Path busybox, List<String> program, String emulator, String type,
    List<String> drivers, String setup) implements Machine {
    /** For the root: virtio over PCI, 9p, overlay. */
    private static final List<String> MODULES = List.of("virtio_pci", "9pnet_virtio", "9p", "overlay");
    /** The software device will not start without crc32 as a crypto module. */
    private static final List<String> FABRIC = List.of("crc32_generic", "veth", "rdma_rxe");
    /** Drivers of Linux that go with the paravirtual device, but for its own. */
    private static final List<String> SERVED = List.of("vmxnet3", "ib_uverbs", "ib_umad", "rdma_ucm");

    static QemuMachine prepare(final GuestContext context) throws IOException {
        return fabric(context, GuestKernel.prepare(context.cache), HostTools.find("busybox"),
            HostTools.version(context.binary) + " (" + context.accel + ")");
    }

    /** One that makes the software device. */
    static QemuMachine fabric(final GuestContext context, final GuestKernel kernel, final Path busybox,
        final String emulator) throws IOException {
        return new QemuMachine(kernel, busybox, List.of(context.binary), emulator, "q35", FABRIC,
            FabricSetup.script());
    }

    /** One whose RDMA devices are served by other processes; they reach its memory by its file. */
    static QemuMachine serving(final GuestContext context, final ServedParts parts) throws IOException {
        context.qemuArguments("-object", "memory-backend-memfd,id=ram0,share=on,size=" + context.memoryMib + "M");
        return new QemuMachine(parts.kernel(), HostTools.find("busybox"), parts.qemu(),
            parts.qemuVersion() + " (" + context.accel + ")", "q35,memory-backend=ram0", SERVED,
            "driver=" + Shell.quote(parts.driver().toString()) + '\n' + Initramfs.script("pvrdma.sh"));
    }

    @Override
    public List<String> command(final GuestContext context, final Path folder, final Path sockets)
        throws IOException {
        final Path shell = sockets.resolve("shell.sock");
        Files.writeString(folder.resolve(SHARE).resolve(GuestShell.PLACE), shell + "\n");
        final Path initramfs = folder.resolve("initramfs.cpio");
        final Set<String> modules = new LinkedHashSet<>(MODULES);
        modules.addAll(drivers);
        modules.addAll(context.modules);
        Initramfs.write(initramfs, busybox, KernelModules.read(kernel.modules()).inLoadOrder(modules),
            Initramfs.script("init.sh"));
        final List<String> command = new ArrayList<>(program);
        command.addAll(List.of("-machine", type, "-accel", context.accel, "-cpu", context.cpu,
            "-smp", Integer.toString(context.processors), "-m", context.memoryMib + "M",
            "-nodefaults", "-display", "none", "-vga", "none", "-no-reboot",
            "-serial", "stdio",
            "-serial", "unix:" + shell + ",server=on,wait=off",
            "-kernel", kernel.image().toString(), "-initrd", initramfs.toString(),
            "-append", String.join(" ", kernelArguments(context)),
            "-virtfs", "local,path=/,mount_tag=hostroot,security_model=none,readonly=on,multidevs=remap",
            "-virtfs", "local,path=" + folder.resolve(SHARE).toRealPath()
                + ",mount_tag=share,security_model=none,multidevs=remap"));
        command.addAll(context.qemuArguments);
        return command;
    }

    private static List<String> kernelArguments(final GuestContext context) {
        // A processor that is emulated on a busy machine is too slow for the kernel's look at its timer: it panics.
        final List<String> arguments =
            new ArrayList<>(List.of("console=ttyS0", "quiet", "panic=-1", "no_timer_check"));
        arguments.addAll(context.kernelArguments);
        return arguments;
    }

    @Override
    public String terminal() {
        return "ttyS1";
    }

    @Override
    public String toString() {
        return "Linux " + kernel.version() + " in " + emulator;
    }
}
