/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What of this machine matters to VFIO: IOMMU, modules, device files, huge pages, limits. Each call looks anew; what
 * the kernel does not tell reads as absent. Thread-safe.
 */
public final class HostFacts {
    /** Limit on mappings of one container, unless the module was told another. */
    public static final long DEFAULT_DMA_ENTRY_LIMIT = 65_535;

    private static final Pattern POOL = Pattern.compile("hugepages-(\\d{1,12})kB");
    private static final Pattern MEMLOCK = Pattern.compile("Max locked memory\\s+(\\S+)\\s+(\\S+)\\s+bytes.*");
    private static final Pattern CHOSEN = Pattern.compile(".*\\[(\\w+)].*");
    private static final String NODE_TYPE_RNIC = "4:";
    private static final int CAP_IPC_LOCK = 14;
    private static final long KIB = 1024;

    private final Path root;

    /** The machine that this runs on. */
    public HostFacts() {
        this(Path.of("/"));
    }

    /**
     * A machine whose {@code sys}, {@code proc} and {@code dev} are somewhere else.
     *
     * @param root the folder that has them.
     */
    public HostFacts(final Path root) {
        this.root = root;
    }

    /**
     * How many groups the IOMMU divides the devices into.
     *
     * @return 0 if there is no IOMMU, or it is off.
     */
    public int iommuGroupCount() {
        return IommuGroups.count(root);
    }

    /**
     * Whether VFIO may do without an IOMMU.
     *
     * @return what the module's parameter says; empty if it has none, being built without that mode, or not loaded.
     */
    public Optional<Boolean> noIommuMode() {
        return Optional.ofNullable(SysFiles.text(root.resolve("sys/module/vfio/parameters/enable_unsafe_noiommu_mode")))
            .map("Y"::equals);
    }

    /**
     * The IOMMUs.
     *
     * @return names such as {@code dmar0}, {@code ivhd0} or {@code smmu3.0x0000000009050000}.
     */
    public List<String> iommus() {
        return SysFiles.names(root.resolve("sys/class/iommu"));
    }

    /**
     * What the kernel was started with.
     *
     * @return the words of its command line.
     */
    public List<String> kernelArguments() {
        final String text = SysFiles.text(root.resolve("proc/cmdline"));
        return text == null || text.isEmpty() ? List.of() : List.of(text.split("\\s+"));
    }

    /**
     * The kernel's release.
     *
     * @return as {@code uname -r} prints it; {@code "?"} if unknown.
     */
    public String kernelRelease() {
        return Objects.requireNonNullElse(SysFiles.text(root.resolve("proc/sys/kernel/osrelease")), "?");
    }

    /**
     * Whether the processor is one of Intel's, whose IOMMU Linux leaves off unless told otherwise.
     *
     * @return true for GenuineIntel.
     */
    public boolean isIntel() {
        return SysFiles.lines(root.resolve("proc/cpuinfo")).stream()
            .anyMatch(line -> line.startsWith("vendor_id") && line.endsWith("GenuineIntel"));
    }

    /**
     * Whether this is a virtual machine, as far as the processor tells.
     *
     * @return true under a hypervisor that says so.
     */
    public boolean isVirtualMachine() {
        return SysFiles.lines(root.resolve("proc/cpuinfo")).stream()
            .anyMatch(line -> line.startsWith("flags") && line.concat(" ").contains(" hypervisor "));
    }

    /**
     * Whether a module is loaded, or built in and visible.
     *
     * @param module its name, with {@code -} or {@code _}.
     * @return true if so.
     */
    public boolean isModuleLoaded(final String module) {
        return Files.isDirectory(root.resolve("sys/module").resolve(module.replace('-', '_')));
    }

    /**
     * Whether the running kernel came with a module, so that modprobe can load it.
     *
     * @param module its name, with {@code -} or {@code _}.
     * @return true if it is listed in {@code /lib/modules}.
     */
    public boolean isModuleInstalled(final String module) {
        final Pattern entry = Pattern.compile("[^:]*/" + module.replaceAll("[-_]", "[-_]") + "\\.ko(\\.\\w+)?(:.*)?");
        final Path folder = root.resolve("lib/modules").resolve(kernelRelease());
        return List.of("modules.dep", "modules.builtin").stream()
            .flatMap(file -> SysFiles.lines(folder.resolve(file)).stream())
            .anyMatch(line -> entry.matcher(line).matches());
    }

    /**
     * The file that VFIO containers are made with.
     *
     * @return {@code /dev/vfio/vfio}.
     */
    public DeviceFile containerFile() {
        return DeviceFile.of(root.resolve("dev/vfio/vfio"));
    }

    /**
     * The file of an IOMMU group, there as long as a member is bound to VFIO.
     *
     * @param iommuGroup number of the group.
     * @return {@code /dev/vfio/N}, or {@code /dev/vfio/noiommu-N} where no IOMMU made the group.
     */
    public DeviceFile groupFile(final int iommuGroup) {
        return DeviceFile.of(root.resolve("dev").resolve(IommuGroups.file(root, iommuGroup)));
    }

    /**
     * Who has an IOMMU group open.
     *
     * @param iommuGroup number of the group.
     * @return processes; without root's rights only this user's own.
     */
    public List<FileUser> groupUsers(final int iommuGroup) {
        return users("/dev/" + IommuGroups.file(root, iommuGroup));
    }

    /**
     * Who has a file open.
     *
     * @param file the file, such as {@code /dev/infiniband/uverbs0}.
     * @return processes; without root's rights only this user's own.
     */
    public List<FileUser> users(final String file) {
        return FileUser.of(root, file);
    }

    /**
     * The files through which programs use the kernel's RDMA devices on a function.
     *
     * @param function the function.
     * @return files such as {@code /dev/infiniband/uverbs0}; none unless a driver of the kernel has it.
     */
    public List<String> verbsFiles(final PciFunction function) {
        return files(function, "infiniband_verbs", "/dev/infiniband/");
    }

    /**
     * The files through which programs use a function by iommufd.
     *
     * @param function the function.
     * @return files such as {@code /dev/vfio/devices/vfio0}; none unless VFIO has it.
     */
    public List<String> vfioFiles(final PciFunction function) {
        return files(function, "vfio-dev", "/dev/vfio/devices/");
    }

    private List<String> files(final PciFunction function, final String kind, final String folder) {
        return SysFiles.names(root.resolve("sys/bus/pci/devices").resolve(function.address()).resolve(kind)).stream()
            .map(name -> folder + name).toList();
    }

    /**
     * The kernel's RDMA devices, whatever they are made of. Only software has no device below it; that of old kernels
     * borrows the one of its network interface, which rxe names.
     *
     * @return devices in the order of their names.
     */
    public List<RdmaDevice> rdmaDevices() {
        final Path folder = root.resolve("sys/class/infiniband");
        return SysFiles.names(folder).stream().map(name -> rdmaDevice(name, folder.resolve(name))).toList();
    }

    private static RdmaDevice rdmaDevice(final String name, final Path folder) {
        return new RdmaDevice(name, !Files.exists(folder.resolve("device")) || Files.exists(folder.resolve("parent")),
            String.valueOf(SysFiles.text(folder.resolve("node_type"))).startsWith(NODE_TYPE_RNIC));
    }

    /**
     * The file of the newer interface, iommufd.
     *
     * @return {@code /dev/iommu}.
     */
    public DeviceFile iommufdFile() {
        return DeviceFile.of(root.resolve("dev/iommu"));
    }

    /**
     * Devices that VFIO offers each through a file of its own, for use with iommufd. (There is a class vfio-dev in
     * sysfs also on kernels that do not have these files yet.)
     *
     * @return names below {@code /dev/vfio/devices}, such as {@code vfio0}; none on kernels without them.
     */
    public List<String> deviceFiles() {
        return SysFiles.names(root.resolve("dev/vfio/devices"));
    }

    /**
     * How many mappings a container may have.
     *
     * @return the limit of the module vfio_iommu_type1.
     */
    public long dmaEntryLimit() {
        return SysFiles.number(root.resolve("sys/module/vfio_iommu_type1/parameters/dma_entry_limit"),
            DEFAULT_DMA_ENTRY_LIMIT);
    }

    /**
     * The pools of huge pages.
     *
     * @return pools by size, the smallest first; none where the kernel has no huge pages.
     */
    public List<HugePagePool> hugePagePools() {
        final List<HugePagePool> pools = new ArrayList<>();
        final Path folder = root.resolve("sys/kernel/mm/hugepages");
        for (final String name : SysFiles.names(folder)) {
            final Matcher matcher = POOL.matcher(name);
            if (matcher.matches()) {
                final Path pool = folder.resolve(name);
                pools.add(new HugePagePool(Long.parseLong(matcher.group(1)) * KIB,
                    SysFiles.number(pool.resolve("nr_hugepages"), 0),
                    SysFiles.number(pool.resolve("free_hugepages"), 0),
                    SysFiles.number(pool.resolve("resv_hugepages"), 0),
                    SysFiles.number(pool.resolve("surplus_hugepages"), 0)));
            }
        }
        pools.sort(Comparator.comparingLong(HugePagePool::pageSize));
        return pools;
    }

    /**
     * When the kernel makes huge pages by itself.
     *
     * @return {@code always}, {@code madvise} or {@code never}; {@code "?"} if it does not tell.
     */
    public String transparentHugePages() {
        final String text = SysFiles.text(root.resolve("sys/kernel/mm/transparent_hugepage/enabled"));
        final Matcher matcher = CHOSEN.matcher(text == null ? "" : text);
        return matcher.matches() ? matcher.group(1) : "?";
    }

    /**
     * How much memory this process may lock.
     *
     * @return the limit.
     */
    public Memlock memlock() {
        for (final String line : SysFiles.lines(root.resolve("proc/self/limits"))) {
            final Matcher matcher = MEMLOCK.matcher(line);
            if (matcher.matches()) {
                return new Memlock(limit(matcher.group(1)), limit(matcher.group(2)), mayLockWithoutLimit());
            }
        }
        return new Memlock(Memlock.UNKNOWN, Memlock.UNKNOWN, mayLockWithoutLimit());
    }

    private static long limit(final String text) {
        return text.equals("unlimited") ? Memlock.UNLIMITED : SysFiles.number(text, Memlock.UNKNOWN);
    }

    private boolean mayLockWithoutLimit() {
        final long capabilities = SysFiles.number("0x" + status("CapEff"), 0);
        return (capabilities >>> CAP_IPC_LOCK & 1) != 0;
    }

    /** A value of {@code /proc/self/status}; empty if it is not there. */
    private String status(final String name) {
        final String prefix = name + ":";
        return SysFiles.lines(root.resolve("proc/self/status")).stream()
            .filter(line -> line.startsWith(prefix))
            .map(line -> line.substring(prefix.length()).strip()).findFirst().orElse("");
    }
}
