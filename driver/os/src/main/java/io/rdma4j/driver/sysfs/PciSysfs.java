/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import io.rdma4j.RdmaException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The PCI functions of this machine, from {@code /sys/bus/pci}. Nothing is kept between calls; each sees the machine as
 * it is then. A function that goes away while it is looked at is left out. Thread-safe.
 */
public final class PciSysfs {
    private static final Pattern ADDRESS = Pattern.compile("(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[01][0-9a-f]\\.[0-7])");
    private static final int MAX_BARS = 6;
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final Path root;
    private final DriverBinding binding;
    private final Network.Addresses addresses;

    /** The machine that this runs on. */
    public PciSysfs() {
        this(Path.of("/"));
    }

    /**
     * A machine whose {@code sys}, {@code proc} and {@code dev} are somewhere else.
     *
     * @param root the folder that has them.
     */
    public PciSysfs(final Path root) {
        this(root, DeviceAttributes.ofFiles());
    }

    /**
     * A machine whose kernel takes orders in another way.
     *
     * @param root       the folder with {@code sys}, {@code proc} and {@code dev}.
     * @param attributes takes the orders.
     */
    public PciSysfs(final Path root, final DeviceAttributes attributes) {
        this(root, attributes, DEADLINE,
            root.equals(Path.of("/")) ? Network::addressesInThisNamespace : name -> List.of());
    }

    PciSysfs(final Path root, final DeviceAttributes attributes, final Duration deadline,
        final Network.Addresses addresses) {
        this.root = root;
        this.binding = new DriverBinding(this, attributes, deadline);
        this.addresses = addresses;
    }

    /**
     * The folder that all is read below.
     *
     * @return the root.
     */
    public Path root() {
        return root;
    }

    /**
     * Completes an address.
     *
     * @param text with or without a domain, in upper or lower case.
     * @return the address as sysfs writes it; empty if the text is no PCI address.
     */
    public static Optional<String> normalise(final String text) {
        final Matcher matcher = ADDRESS.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of((matcher.group(1) == null ? "0000" : matcher.group(1)) + ":" + matcher.group(2));
    }

    /**
     * All functions.
     *
     * @return functions in the order of their addresses; none where there is no PCI.
     */
    public List<PciFunction> list() {
        return read(devices());
    }

    /**
     * One function.
     *
     * @param address with or without its domain.
     * @return the function; empty if there is none at that address.
     * @throws RdmaException EINVAL if this is not a PCI address.
     */
    public Optional<PciFunction> find(final String address) {
        final String name = normalise(address).orElseThrow(() -> RdmaException.of("find PCI function")
            .detail("'%s' is not a PCI address", address)
            .errno(RdmaException.EINVAL)
            .hint("write DOMAIN:BUS:DEVICE.FUNCTION or BUS:DEVICE.FUNCTION, such as 0000:0b:00.1 or 0b:00.1")
            .build());
        return Optional.ofNullable(read(devices().resolve(name), network()));
    }

    /**
     * The functions of an IOMMU group, which go to user space all together or not at all.
     *
     * @param iommuGroup its number.
     * @return functions in the order of their addresses; none if there is no such group.
     */
    public List<PciFunction> group(final int iommuGroup) {
        return read(IommuGroups.folder(root).resolve(iommuGroup + "/devices"));
    }

    private List<PciFunction> read(final Path folder) {
        final Network network = network();
        final List<PciFunction> functions = new ArrayList<>();
        for (final String name : SysFiles.names(folder)) {
            final PciFunction function = ADDRESS.matcher(name).matches() ? read(folder.resolve(name), network) : null;
            if (function != null) {
                functions.add(function);
            }
        }
        return functions;
    }

    /** Null if it is not, or no longer, there. */
    private static PciFunction read(final Path folder, final Network network) {
        final long vendor = SysFiles.number(folder.resolve("vendor"), -1);
        final long device = SysFiles.number(folder.resolve("device"), -1);
        if (vendor < 0 || device < 0) {
            return null;
        }
        return new PciFunction(folder.getFileName().toString(), (int) vendor, (int) device,
            (int) SysFiles.number(folder.resolve("subsystem_vendor"), 0),
            (int) SysFiles.number(folder.resolve("subsystem_device"), 0),
            (int) SysFiles.number(folder.resolve("class"), 0),
            SysFiles.linkName(folder.resolve("driver")),
            (int) SysFiles.number(SysFiles.linkName(folder.resolve("iommu_group")), -1),
            netInterfaces(folder, network), SysFiles.names(folder.resolve("infiniband")),
            resources(SysFiles.lines(folder.resolve("resource"))));
    }

    /** Below the function itself, or below the virtio device that it is the transport of. */
    private static List<NetInterface> netInterfaces(final Path folder, final Network network) {
        return Stream.concat(Stream.of("."), SysFiles.names(folder).stream().filter(name -> name.startsWith("virtio")))
            .flatMap(name -> SysFiles.names(folder.resolve(name).resolve("net")).stream())
            .map(network::find).toList();
    }

    /** Start, end and flags of each BAR, and then of the ROM and of bridge windows. */
    private static List<PciResource> resources(final List<String> lines) {
        final List<PciResource> resources = new ArrayList<>();
        for (int i = 0; i < Math.min(lines.size(), MAX_BARS); i++) {
            final String[] columns = lines.get(i).strip().split("\\s+");
            final long flags = columns.length < 3 ? 0 : SysFiles.number(columns[2], 0);
            if (flags != 0) {
                resources.add(new PciResource(i, SysFiles.number(columns[0], 0), SysFiles.number(columns[1], 0),
                    flags));
            }
        }
        return resources;
    }

    private Network network() {
        return new Network(root, addresses);
    }

    /**
     * Gives a function to another driver, which has to be loaded. What was its driver gets it back if that fails.
     *
     * @param function the function.
     * @param driver   name of the driver, such as {@link PciFunction#VFIO_PCI}.
     * @return the function as it is then.
     * @throws RdmaException EACCES without the rights, ENODEV if function or driver are not there, ETIMEDOUT if the
     *                       former driver does not let go, else what the kernel says; the hint says what to do.
     *                       After ETIMEDOUT the kernel may be about to do what it was told.
     */
    public PciFunction bind(final PciFunction function, final String driver) {
        return binding.bind(function, driver);
    }

    /**
     * Takes a function from its driver, and lets the kernel choose one as at boot.
     *
     * @param function the function.
     * @return the function as it is then: without a driver if none of the kernel's wants it.
     * @throws RdmaException EACCES without the rights, ENODEV if the function is not there, ETIMEDOUT if the driver
     *                       does not let go of it, else what the kernel says; the hint says what to do.
     */
    public PciFunction unbind(final PciFunction function) {
        return binding.unbind(function);
    }

    /**
     * What {@link #bind} would write, in order, if nothing changes meanwhile. Nothing is written.
     *
     * @param function the function.
     * @param driver   name of the driver that is to have it.
     * @return orders to the kernel.
     */
    public List<SysfsOrder> toBind(final PciFunction function, final String driver) {
        return binding.toBind(function, driver);
    }

    /**
     * What {@link #unbind} would write, in order, if nothing changes meanwhile. Nothing is written.
     *
     * @param function the function.
     * @return orders to the kernel; where no driver takes the function then, unbind writes to its {@code uevent}, too.
     * @throws RdmaException ETIMEDOUT if the kernel is busy with taking the function from a driver.
     */
    public List<SysfsOrder> toUnbind(final PciFunction function) {
        return binding.toUnbind(function);
    }

    /**
     * Gives a function what it had: its driver, or none, and its override.
     *
     * @param found          the function as it was.
     * @param formerOverride its {@link #driverOverride driver_override} at that time.
     * @throws RdmaException as {@link #bind} does.
     */
    public void restore(final PciFunction found, final Optional<String> formerOverride) {
        binding.restore(found, formerOverride);
    }

    /**
     * Makes sure that this user may give a function to another driver.
     *
     * @param operation what is to be done, for the message.
     * @param function  the function.
     * @param command   the rest of the rdma4j command line that would do it.
     * @throws RdmaException EACCES if not; the hint is that command.
     */
    public void requireRights(final String operation, final PciFunction function, final String command) {
        binding.requireRights(operation, function, command);
    }

    /**
     * Whether a driver is loaded, or part of the kernel.
     *
     * @param driver its name.
     * @return true if functions can be given to it.
     */
    public boolean hasDriver(final String driver) {
        return Files.isDirectory(driverFolder(driver));
    }

    /**
     * The driver that is the only one allowed to have a function.
     *
     * @param operation what it is asked for, for the message.
     * @param function  the function.
     * @return its {@code driver_override}; empty for none.
     * @throws RdmaException ETIMEDOUT if the kernel does not tell, being busy with taking the function from a driver.
     */
    public Optional<String> driverOverride(final String operation, final PciFunction function) {
        return binding.driverOverride(operation, function);
    }

    /**
     * The file with a function's configuration space.
     *
     * @param function the function.
     * @return its {@code config}; without root's rights only the first 64 bytes can be read.
     */
    public Path configFile(final PciFunction function) {
        return folder(function).resolve("config");
    }

    /**
     * The file through which VFIO gives out an IOMMU group.
     *
     * @param iommuGroup number of the group.
     * @return {@code /dev/vfio/N}, or {@code /dev/vfio/noiommu-N}, whether it is there or not.
     */
    public Path groupFile(final int iommuGroup) {
        return root.resolve("dev").resolve(IommuGroups.file(root, iommuGroup));
    }

    /**
     * Whether a group is one that VFIO has made for a function that no IOMMU serves.
     *
     * @param iommuGroup number of the group.
     * @return true if nothing confines what its device reaches.
     */
    public boolean isWithoutIommu(final int iommuGroup) {
        return IommuGroups.isWithoutIommu(root, iommuGroup);
    }

    Path folder(final PciFunction function) {
        return devices().resolve(function.address());
    }

    Path driversProbe() {
        return root.resolve("sys/bus/pci/drivers_probe");
    }

    Path driverFolder(final String driver) {
        return root.resolve("sys/bus/pci/drivers").resolve(driver);
    }

    private Path devices() {
        return root.resolve("sys/bus/pci/devices");
    }
}
