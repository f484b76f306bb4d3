/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;

/**
 * The mappings of this process, as Linux tells them in {@code /proc/self/maps}: what stands between a mistyped address
 * and a crash of the JVM.
 */
public final class ProcessMaps {
    /** Of Linux' and a device's smallest pages. */
    static final int PAGE_SIZE = 4096;

    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    /** Of these nothing is ever written back, so the kernel needs not see each write, and devices may write, too. */
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "devtmpfs", "ramfs", "hugetlbfs");

    private ProcessMaps() {
    }

    /**
     * Looks for the first byte of a range that cannot be used.
     *
     * @param address of the first byte.
     * @param length  bytes.
     * @param write   whether it must be writable, too.
     * @return a sentence that names it; null if there is none, or on a system that does not tell.
     */
    public static String firstHole(final long address, final long length, final boolean write) {
        if (MapsQuery.covers(MAPS, address, length, write)) {
            return null;
        }
        try (BufferedReader lines = Files.newBufferedReader(MAPS, StandardCharsets.ISO_8859_1)) {
            return firstHole(lines, address, length, write);
        } catch (final IOException e) {
            return null;
        }
    }

    /** Only what overlaps the range becomes objects, and nothing behind it is read. */
    static String firstHole(final BufferedReader lines, final long address, final long length, final boolean write)
            throws IOException {
        final List<Area> areas = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            final int dash = line.indexOf('-');
            if (Long.compareUnsigned(Long.parseUnsignedLong(line, 0, dash, 16), address + length - 1) > 0) {
                break;
            }
            if (Long.compareUnsigned(
                Long.parseUnsignedLong(line, dash + 1, line.indexOf(' ', dash), 16), address) > 0) {
                areas.add(area(line));
            }
        }
        return firstHoleFrom(areas, address, length, write);
    }

    /**
     * Looks for the first byte in some pages that cannot be used.
     *
     * @param pages addresses of their first bytes, in any order; sorted by this.
     * @param write whether they must be writable, too.
     * @return a sentence that names it; null if there is none, or on a system that does not tell.
     */
    public static String firstHoleInPages(final long[] pages, final boolean write) {
        if (pages.length == 0) {
            return null;
        }
        try {
            return firstHoleInPages(Files.readAllLines(MAPS, StandardCharsets.ISO_8859_1), pages, write);
        } catch (final IOException e) {
            return null;
        }
    }

    /** Pages and mappings both rise, so one walk through both finds it. */
    static String firstHoleInPages(final List<String> maps, final long[] pages, final boolean write) {
        Arrays.sort(pages);
        final List<Area> areas = areas(maps);
        int area = 0;
        for (int first = 0, next = 1; first < pages.length; first = next++) {
            while (next < pages.length && pages[next] - pages[next - 1] <= PAGE_SIZE) {
                next++;
            }
            while (area < areas.size() && Long.compareUnsigned(areas.get(area).to, pages[first]) <= 0) {
                area++;
            }
            final String hole = firstHoleFrom(areas.subList(area, areas.size()), pages[first],
                pages[next - 1] - pages[first] + PAGE_SIZE, write);
            if (hole != null) {
                return hole;
            }
        }
        return null;
    }

    /** A line of the file. */
    private record Area(long from, long to, boolean readable, boolean writable, String line) {
    }

    private static List<Area> areas(final List<String> maps) {
        final List<Area> areas = new ArrayList<>(maps.size());
        for (final String line : maps) {
            areas.add(area(line));
        }
        return areas;
    }

    private static Area area(final String line) {
        final int dash = line.indexOf('-');
        final int blank = line.indexOf(' ', dash);
        return new Area(Long.parseUnsignedLong(line, 0, dash, 16), Long.parseUnsignedLong(line, dash + 1, blank, 16),
            line.charAt(blank + 1) == 'r', line.charAt(blank + 2) == 'w', line);
    }

    private static String firstHoleFrom(
        final List<Area> areas, final long address, final long length, final boolean write) {
        long covered = address;
        final long end = address + length;
        for (final Area area : areas) {
            if (Long.compareUnsigned(area.to, covered) <= 0) {
                continue;
            }
            if (Long.compareUnsigned(area.from, covered) > 0) {
                break;
            }
            if (!area.readable) {
                return String.format("0x%x is not readable in this process (%s)", covered, area.line);
            }
            if (write && !area.writable) {
                return String.format("0x%x is not writable in this process (%s)", covered, area.line);
            }
            covered = area.to;
            if (Long.compareUnsigned(covered, end) >= 0) {
                return null;
            }
        }
        return String.format("0x%x is not mapped in this process", covered);
    }

    /**
     * Looks for the first part of a range that is a file on a disk, mapped shared and writable. Since Linux 6.5 such
     * memory is not pinned for devices, because the file system would not learn of their writes.
     *
     * @param address of the first byte.
     * @param length  bytes.
     * @return a phrase that names address, file and file system; null if there is none, or if it is not known.
     */
    public static String firstDiskFile(final long address, final long length) {
        try {
            final Map<String, String> mounted = fileSystems();
            return firstDiskFile(Files.readAllLines(MAPS, StandardCharsets.ISO_8859_1), address, length,
                (device, file) -> mounted.getOrDefault(device, fileSystem(file)));
        } catch (final IOException e) {
            return null;
        }
    }

    static String firstDiskFile(
        final List<String> maps, final long address, final long length, final BinaryOperator<String> fileSystem) {
        for (final String line : maps) {
            final String[] fields = line.split(" +", 6);
            final int dash = fields[0].indexOf('-');
            final long from = Long.parseUnsignedLong(fields[0], 0, dash, 16);
            final long to = Long.parseUnsignedLong(fields[0], dash + 1, fields[0].length(), 16);
            final boolean inside = Long.compareUnsigned(from, address + length) < 0
                && Long.compareUnsigned(to, address) > 0;
            if (inside && fields.length == 6 && fields[5].startsWith("/") && fields[1].startsWith("rw")
                && fields[1].endsWith("s")) {
                final String file = new String(fields[5].getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
                final String type = fileSystem.apply(fields[3], file);
                if (type != null && !IN_MEMORY.contains(type)) {
                    return String.format("0x%x is a shared mapping of %s on %s",
                        Long.compareUnsigned(from, address) > 0 ? from : address, file, type);
                }
            }
        }
        return null;
    }

    private static Map<String, String> fileSystems() {
        try {
            return fileSystems(Files.readAllLines(MOUNTS, StandardCharsets.ISO_8859_1));
        } catch (final IOException e) {
            // Then names have to do.
            return Map.of();
        }
    }

    /** Types of all that is mounted here, by the device's number: a file that was removed has no name any more. */
    static Map<String, String> fileSystems(final List<String> mounts) {
        final Map<String, String> types = new HashMap<>();
        for (final String line : mounts) {
            final String[] fields = line.split(" ");
            final int dash = Arrays.asList(fields).indexOf("-");
            if (dash > 2 && dash + 1 < fields.length) {
                final String[] device = fields[2].split(":");
                types.put(String.format("%02x:%02x", Long.parseLong(device[0]), Long.parseLong(device[1])),
                    fields[dash + 1]);
            }
        }
        return types;
    }

    /** Where the device's number is not one of those that are mounted. Null for what has no name, as a memfd. */
    private static String fileSystem(final String file) {
        try {
            return Files.getFileStore(Path.of(file)).type();
        } catch (final IOException | InvalidPathException e) {
            return null;
        }
    }

    /**
     * Whether a range has bytes of a file or of shared memory that has a name or a descriptor. What lies behind its
     * addresses goes without a word to this process when somebody truncates the file or punches a hole into it, and
     * when it grows again other pages come.
     *
     * @param address of the first byte.
     * @param length  bytes.
     * @return false if there are none; true also if that is not known.
     */
    public static boolean hasFile(final long address, final long length) {
        if (MapsQuery.hasNoFile(MAPS, address, length)) {
            return false;
        }
        final MappingAreas maps = MappingAreas.ofThisProcess();
        return maps.isUnknown() || hasFile(maps, address, length);
    }

    static boolean hasFile(final MappingAreas maps, final long address, final long length) {
        return maps.overlapping(address, address + length).stream().anyMatch(MappingAreas.Area::isOfFile);
    }

    /**
     * How much of a range is in transparent hugepages, at least: of a mapping that reaches beyond the range, everything
     * outside may be in such pages, too.
     *
     * @param smaps   {@code /proc/self/smaps}, or a file like it.
     * @param address of the first byte.
     * @param length  bytes.
     * @return bytes; 0 if it is not known.
     */
    public static long transparentBytes(final Path smaps, final long address, final long length) {
        final long end = address + length;
        long sum = 0;
        long outside = -1;
        try (BufferedReader lines = Files.newBufferedReader(smaps, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                final int dash = line.indexOf('-');
                final int blank = line.indexOf(' ');
                if (dash > 0 && dash < blank) {
                    final long from = Long.parseUnsignedLong(line, 0, dash, 16);
                    final long to = Long.parseUnsignedLong(line, dash + 1, blank, 16);
                    if (Long.compareUnsigned(from, end) >= 0) {
                        break;
                    }
                    outside = Long.compareUnsigned(to, address) <= 0 ? -1
                        : Math.max(0, address - from) + Math.max(0, to - end);
                } else if (outside >= 0 && line.startsWith("AnonHugePages:")) {
                    sum += Math.max(0, Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024 - outside);
                }
            }
        } catch (final IOException e) {
            return 0;
        }
        return sum;
    }
}
