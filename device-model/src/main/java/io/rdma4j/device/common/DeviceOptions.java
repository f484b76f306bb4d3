/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.base.Numbers;
import io.rdma4j.driver.dma.PagePreference;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Mtu;
import io.rdma4j.hw.pvrdma.Pdir;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * What an address of the scheme {@code emulated} asks for. Immutable.
 *
 * @param name     of the device in this JVM.
 * @param identity who it is on the link; another one in each process unless the address says which.
 * @param version  what the VERSION register says.
 * @param quirks   how it differs from a faultless device.
 * @param limits   its maxima.
 * @param iovaBits how many bits a bus address has.
 * @param pages    what DMA memory consists of; null for direct buffers of the JVM.
 * @param mlock    whether memory is locked as long as it is mapped for the device, as if that were a real one.
 * @param extensions whether it has what {@link io.rdma4j.hw.pvrdma.ExtensionFlags} lists beyond the pvrdma interface.
 */
public record DeviceOptions(String name, Identity identity, int version, Set<Quirk> quirks, Limits limits,
                            int iovaBits, PagePreference pages, boolean mlock, boolean extensions) {
    /** The name of the device when the address has none. */
    public static final String DEFAULT_NAME = "0";

    private static final List<String> KNOWN = List.of("guid", "version", "quirks", "max_qp", "max_cq", "max_mr",
        "max_mw", "max_pd", "max_srq", "max_uar", "max_qp_wr", "max_cqe", "max_srq_wr", "max_sge", "max_mr_size",
        "max_qp_rd_atom", "gid_tbl_len", "mtu", "iova_bits", "pages", "mlock", "extensions");
    /** Options that say how the device reaches others: {@code WireOptions} reads them. */
    private static final List<String> WIRE = List.of("wire", "address", "port", "netns", "shortcut", "loss",
        "pcap", "progress");

    /**
     * Reads an address.
     *
     * @param address {@code emulated:name?option=value}.
     * @return the options.
     * @throws RdmaException EINVAL for an unknown option or a value out of range.
     */
    public static DeviceOptions of(DeviceAddress address) {
        address.requireOnly(Set.copyOf(known()), PciDevices.DRIVER_OPTIONS);
        final Set<Quirk> quirks = quirks(address);
        final boolean qemu = quirks.contains(Quirk.IDENTITY);
        final boolean extensions = extensions(address, quirks);
        final int version = number(address, "version", qemu ? Bar1.PVRDMA_ROCEV1_VERSION
            : Bar1.PVRDMA_QPHANDLE_VERSION, Bar1.PVRDMA_ROCEV1_VERSION, Bar1.PVRDMA_QPHANDLE_VERSION);
        final String name = address.path().isEmpty() ? DEFAULT_NAME : address.path();
        return new DeviceOptions(name, identity(address, name), version,
            Collections.unmodifiableSet(quirks), limits(address, qemu, extensions),
            number(address, "iova_bits", 40, 24, 52),
            address.options().containsKey("pages") ? PagePreference.parse(address.option("pages", "")) : null,
            isTrue(address, "mlock", false), extensions);
    }

    private static Identity identity(DeviceAddress address, String name) {
        final String text = address.options().get("guid");
        try {
            return text == null ? Identity.of(name) : Identity.parse(text);
        } catch (final IllegalArgumentException e) {
            throw RdmaException.of("open device").device(address).detail("option guid: %s", e.getMessage())
                .errno(RdmaException.EINVAL).hint("write guid=0000:00ff:fe00:0001, with other digits at both ends")
                .cause(e).build();
        }
    }

    private static boolean isTrue(DeviceAddress address, String name, boolean fallback) {
        final String text = address.option(name, Boolean.toString(fallback));
        if (!List.of("true", "false").contains(text)) {
            throw RdmaException.of("open device").device(address).detail("option %s=%s", name, text)
                .errno(RdmaException.EINVAL).hint("use true or false").build();
        }
        return Boolean.parseBoolean(text);
    }

    private static Set<Quirk> quirks(DeviceAddress address) {
        try {
            return Quirk.parse(address.option("quirks", ""));
        } catch (final IllegalArgumentException e) {
            throw RdmaException.of("open device").device(address).detail(e.getMessage()).errno(RdmaException.EINVAL)
                .cause(e).build();
        }
    }

    /** A device that passes for another one, or tells nothing of itself, has none that a driver could know of. */
    private static boolean extensions(DeviceAddress address, Set<Quirk> quirks) {
        final boolean possible = !quirks.contains(Quirk.IDENTITY) && !quirks.contains(Quirk.ZERO_CAPS);
        final boolean wanted = isTrue(address, "extensions", possible);
        if (wanted && !possible) {
            throw RdmaException.of("open device").device(address)
                .detail("option extensions=true with quirks %s", quirks)
                .errno(RdmaException.EINVAL).hint("a driver cannot see them there").build();
        }
        return wanted;
    }

    private static Limits limits(DeviceAddress address, boolean qemu, boolean extensions) {
        final long largest = extensions ? (long) Pdir.LARGE_MAX_PAGES * Pdir.PAGE_SIZE
            : (long) Pdir.MAX_PAGES * Pdir.PAGE_SIZE;
        // Tables of queues have no number 0, and libvmw_pvrdma knows 16 bits of max_qp.
        return new Limits(
            number(address, "max_qp", qemu ? 1024 : 4096, 2, (1 << 16) - 1),
            number(address, "max_cq", qemu ? 2048 : 4096, 2, 1 << 16),
            number(address, "max_mr", qemu ? 1024 : 1 << 16, 1, 1 << 18),
            number(address, "max_mw", 4096, 0, 1 << 18),
            number(address, "max_pd", 1024, 1, 1 << 16),
            number(address, "max_srq", qemu ? 512 : 1024, 2, 1 << 16),
            Integer.highestOneBit(number(address, "max_uar", 2048, 1, 2048)),
            number(address, "max_qp_wr", qemu ? 10467 : 16384, 1, 1 << 16),
            number(address, "max_cqe", qemu ? 28672 : 65536, 1, 1 << 20),
            number(address, "max_srq_wr", qemu ? 12288 : 16384, 1, 1 << 16),
            number(address, "max_sge", qemu ? 4 : 16, 1, 64),
            address.option("max_mr_size", qemu ? 128L << 20 : largest, 4096, largest),
            number(address, "max_qp_rd_atom", qemu ? 1 : 16, 0, 255),
            number(address, "gid_tbl_len", qemu ? 255 : 128, 1, 255),
            mtu(address, qemu ? Mtu.PVRDMA_MTU_1024 : Mtu.PVRDMA_MTU_4096));
    }

    /** Bytes, as other tools take them, or the number that stands for them in the registers. */
    private static int mtu(DeviceAddress address, int fallback) {
        final String text = address.option("mtu", Integer.toString(fallback));
        final long value = Numbers.parse(text);
        for (int number = Mtu.PVRDMA_MTU_256; number <= Mtu.PVRDMA_MTU_4096; number++) {
            if (value == number || value == Mtu.bytes(number)) {
                return number;
            }
        }
        throw RdmaException.of("open device").device(address)
            .detail("option mtu=%s is not 256, 512, 1024, 2048 or 4096 bytes, nor 1 to 5, which stand for them", text)
            .errno(RdmaException.EINVAL).build();
    }

    private static int number(DeviceAddress address, String name, int fallback, int min, int max) {
        return (int) address.option(name, fallback, min, max);
    }

    /**
     * {@return the names of all options, for help texts}
     */
    public static List<String> known() {
        final List<String> all = new ArrayList<>(KNOWN);
        all.addAll(WIRE);
        return all;
    }

    /**
     * {@return the same with packets of a limited size}
     *
     * @param mtu the largest, as the number that stands for a path MTU
     */
    public DeviceOptions withMtu(int mtu) {
        return new DeviceOptions(name, identity, version, quirks, limits.withMtu(Math.min(mtu, limits.mtu())), iovaBits,
            pages, mlock, extensions);
    }

    /**
     * {@return whether the device has this quirk}
     *
     * @param quirk the quirk in question
     */
    public boolean has(Quirk quirk) {
        return quirks.contains(quirk);
    }
}
