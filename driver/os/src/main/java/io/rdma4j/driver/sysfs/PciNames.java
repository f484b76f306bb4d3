/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Names of PCI devices, from the {@code pci.ids} that lspci reads too, where it is installed. */
public final class PciNames {
    private static final String[] FILES = {"usr/share/misc/pci.ids", "usr/share/hwdata/pci.ids"};
    private static final Map<String, String> BUILT_IN = Map.of(
        "15ad:0820", "VMware Paravirtual RDMA controller",
        "15ad:07b0", "VMware VMXNET3 Ethernet Controller");
    private static final int ID_LENGTH = 4;

    private final Map<String, String> names = new HashMap<>(BUILT_IN);

    /**
     * Looks up the names of functions.
     *
     * @param root      the folder that has {@code usr}.
     * @param functions the functions whose names are wanted.
     */
    public PciNames(final Path root, final Collection<PciFunction> functions) {
        final Map<String, String> wanted = new HashMap<>();
        functions.forEach(function -> wanted.put(function.ids(), ""));
        wanted.keySet().removeAll(BUILT_IN.keySet());
        for (final String file : FILES) {
            if (!wanted.isEmpty()) {
                read(root.resolve(file), wanted);
            }
        }
    }

    /** Lines of a vendor begin with its id, those of its devices with a tab, of subsystems with two; classes end it. */
    private void read(final Path file, final Map<String, String> wanted) {
        String vendor = "";
        String vendorName = "";
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            String line = lines.readLine();
            while (line != null && !line.startsWith("C ") && !wanted.isEmpty()) {
                final boolean isDevice = line.startsWith("\t");
                final String text = line.strip();
                if (text.length() > ID_LENGTH && !line.startsWith("#") && !line.startsWith("\t\t")) {
                    final String id = text.substring(0, ID_LENGTH);
                    final String name = text.substring(ID_LENGTH).strip();
                    if (!isDevice) {
                        vendor = id;
                        vendorName = name;
                    } else if (wanted.remove(vendor + ":" + id) != null) {
                        names.put(vendor + ":" + id, SysFiles.printable(vendorName + " " + name));
                    }
                }
                line = lines.readLine();
            }
        } catch (final IOException e) {
            // Not installed: what has no name then is told by its class.
        }
    }

    /**
     * The name of a function.
     *
     * @param function the function.
     * @return vendor and device; where they are not known, what kind of device its class says.
     */
    public String of(final PciFunction function) {
        final String name = names.get(function.ids());
        if (name != null) {
            return name;
        }
        if (function.isNetworkController()) {
            return "network controller";
        }
        return function.isBridge() ? "bridge" : String.format("device of class %06x", function.classCode());
    }
}
