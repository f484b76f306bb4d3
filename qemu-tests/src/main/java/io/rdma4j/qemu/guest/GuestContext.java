/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How a fabric guest is to be. Every setting has a default, most can be given as a system property; setters return
 * this object. {@link FabricGuest#boot} takes a context once, and checks it. Not thread-safe.
 */
public final class GuestContext {
    /**
     * What a guest without devices or modules of its own runs on: {@code uml}, a kernel that is an ordinary program,
     * the default; or {@code qemu}, an emulated machine, many times slower, for hosts that trace no processes.
     */
    public static final String KIND_PROPERTY = "rdma4j.qemu.guest";
    /** The QEMU program, a name or a path; default {@code qemu-system-x86_64}. Used outside and inside the guest. */
    public static final String BINARY_PROPERTY = "rdma4j.qemu.binary";
    /** QEMU's accelerator; default {@code tcg,thread=multi}. */
    public static final String ACCEL_PROPERTY = "rdma4j.qemu.accel";
    /** The guest's processor model; default {@code max,la57=off}. */
    public static final String CPU_PROPERTY = "rdma4j.qemu.cpu";
    /** The processors of an emulated guest; default 1. */
    public static final String SMP_PROPERTY = "rdma4j.qemu.smp";
    /** The guest's memory in MiB; default 2048. */
    public static final String MEMORY_PROPERTY = "rdma4j.qemu.memory";
    /** Folder for the kernel; default {@code $XDG_CACHE_HOME/rdma4j}, else {@code ~/.cache/rdma4j}. */
    public static final String CACHE_PROPERTY = "rdma4j.qemu.cache";
    /** Folder below which each guest gets its own; default {@code target/qemu}. */
    public static final String OUTPUT_PROPERTY = "rdma4j.qemu.output";
    /** {@code true} keeps guests running after their commands, for debugging. */
    public static final String KEEP_PROPERTY = "rdma4j.qemu.keep";
    /** Seconds for the boot; default 120. */
    public static final String BOOT_TIMEOUT_PROPERTY = "rdma4j.qemu.boot.timeout";
    /** Seconds for one command; default 1140. */
    public static final String COMMAND_TIMEOUT_PROPERTY = "rdma4j.qemu.command.timeout";

    /** A fifth level of page tables makes each walk longer, and nothing here is that large. */
    private static final String USUAL_CPU = "max,la57=off";
    private static final int MIN_MEMORY_MIB = 512;
    private static final Duration USUAL_LIFETIME = Duration.ofHours(1);
    /** For what is neither boot nor command: a guest must not end under a command that still has time. */
    private static final Duration LIFETIME_MARGIN = Duration.ofMinutes(5);

    private static final List<String> KINDS = List.of("uml", "qemu");

    String name = "fabric";
    String kind = System.getProperty(KIND_PROPERTY, KINDS.get(0));
    String binary = defaultBinary();
    String accel = System.getProperty(ACCEL_PROPERTY, "tcg,thread=multi");
    String cpu = System.getProperty(CPU_PROPERTY, USUAL_CPU);
    int processors = Integer.getInteger(SMP_PROPERTY, 1);
    int memoryMib = Integer.getInteger(MEMORY_PROPERTY, 2048);
    Path cache = defaultCache();
    Path output = Path.of(System.getProperty(OUTPUT_PROPERTY, "target/qemu"));
    boolean keep = Boolean.getBoolean(KEEP_PROPERTY);
    Duration bootTimeout = seconds(BOOT_TIMEOUT_PROPERTY, 120);
    Duration commandTimeout = seconds(COMMAND_TIMEOUT_PROPERTY, 1140);
    /** Null until {@link #conclude()} unless it was given. */
    Duration lifetime;
    PrintStream progress = System.out;
    final List<String> modules = new ArrayList<>();
    final List<String> qemuArguments = new ArrayList<>();
    final List<String> kernelArguments = new ArrayList<>();

    /** A context with the defaults and what the system properties say. */
    public GuestContext() {
        // All fields have their values.
    }

    /**
     * The QEMU program that is run when no other is named.
     *
     * @return what {@link #BINARY_PROPERTY} says, a name or a path.
     */
    public static String defaultBinary() {
        return System.getProperty(BINARY_PROPERTY, "qemu-system-x86_64");
    }

    /**
     * Names the guest: its folder and its lines.
     *
     * @param value letters, digits, '-', '_' and '.'.
     * @return this.
     */
    public GuestContext name(final String value) {
        name = value;
        return this;
    }

    /**
     * Sets the memory.
     *
     * @param mebibytes at least 512; used as the guest touches it.
     * @return this.
     */
    public GuestContext memoryMib(final int mebibytes) {
        memoryMib = mebibytes;
        return this;
    }

    /**
     * Sets the number of processors. With one, atomic operations cost nothing under emulation: what runs in one thread
     * anyway, as a machine inside the machine, is twice as fast.
     *
     * @param value at least 1.
     * @return this.
     */
    public GuestContext processors(final int value) {
        processors = value;
        return this;
    }

    /**
     * Sets the folder below which the guest's own is made anew.
     *
     * @param folder the folder.
     * @return this.
     */
    public GuestContext output(final Path folder) {
        output = folder;
        return this;
    }

    /**
     * Keeps the guest running after its commands, until someone ends it.
     *
     * @param value true to keep it.
     * @return this.
     */
    public GuestContext keep(final boolean value) {
        keep = value;
        return this;
    }

    /**
     * Limits the boot.
     *
     * @param value longest time until the RDMA device is there.
     * @return this.
     */
    public GuestContext bootTimeout(final Duration value) {
        bootTimeout = value;
        return this;
    }

    /**
     * Limits each command.
     *
     * @param value longest time.
     * @return this.
     */
    public GuestContext commandTimeout(final Duration value) {
        commandTimeout = value;
        return this;
    }

    /**
     * Limits the guest's whole life: it powers itself off then, even if nobody is left to kill it. By default an hour,
     * or longer when boot and command may take longer.
     *
     * @param value longest time; no effect on a guest that is kept.
     * @return this.
     */
    public GuestContext lifetime(final Duration value) {
        lifetime = value;
        return this;
    }

    /**
     * Sets where people see what happens.
     *
     * @param value gets a line for each stage and each line of a command.
     * @return this.
     */
    public GuestContext progress(final PrintStream value) {
        progress = value;
        return this;
    }

    /**
     * Loads further kernel modules, in an emulated machine.
     *
     * @param names modules, such as "vfio-pci"; loaded after those for the fabric.
     * @return this.
     */
    public GuestContext modules(final String... names) {
        modules.addAll(List.of(names));
        return this;
    }

    /**
     * Adds to QEMU's command line, such as further devices of an emulated machine.
     *
     * @param arguments as on a command line.
     * @return this.
     */
    public GuestContext qemuArguments(final String... arguments) {
        qemuArguments.addAll(List.of(arguments));
        return this;
    }

    /**
     * Adds to the kernel's command line.
     *
     * @param arguments such as "intel_iommu=on".
     * @return this.
     */
    public GuestContext kernelArguments(final String... arguments) {
        kernelArguments.addAll(List.of(arguments));
        return this;
    }

    /** Whether QEMU emulates a machine: only that has devices, and kernels that load modules. */
    boolean emulated() {
        return kind.equals("qemu") || !modules.isEmpty() || !qemuArguments.isEmpty();
    }

    void conclude() {
        if (!KINDS.contains(kind)) {
            throw new GuestException(KIND_PROPERTY + " is one of " + KINDS + ", not '" + kind + "'");
        }
        if (!name.matches("[A-Za-z0-9._-]+")) {
            throw new GuestException("a guest's name is letters, digits, '-', '_' and '.': '" + name + "'");
        }
        if (memoryMib < MIN_MEMORY_MIB || processors < 1) {
            throw new GuestException(String.format("a guest needs %d MiB and a processor, not %d MiB and %d",
                MIN_MEMORY_MIB, memoryMib, processors));
        }
        if (output.toAbsolutePath().toString().contains(",") || cache.toAbsolutePath().toString().contains(",")) {
            throw new GuestException("QEMU's options cannot name a folder with a comma: " + output + ", " + cache);
        }
        output = output.toAbsolutePath();
        if (lifetime == null) {
            final Duration needed = bootTimeout.plus(commandTimeout).plus(LIFETIME_MARGIN);
            lifetime = needed.compareTo(USUAL_LIFETIME) > 0 ? needed : USUAL_LIFETIME;
        }
    }

    /**
     * The folder in which kernels are kept when no other is named.
     *
     * @return what {@link #CACHE_PROPERTY} says, else the user's cache folder.
     */
    public static Path defaultCache() {
        final String given = System.getProperty(CACHE_PROPERTY);
        if (given != null) {
            return Path.of(given);
        }
        final String xdg = System.getenv("XDG_CACHE_HOME");
        final Path caches = xdg == null || xdg.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(xdg);
        return caches.resolve("rdma4j");
    }

    private static Duration seconds(final String property, final int fallback) {
        return Duration.ofSeconds(Integer.getInteger(property, fallback));
    }
}
