/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.memory.AddressRangeMap.Range;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The mappings of a process as {@code /proc/self/maps} has them (proc_pid_maps(5)), at one moment. */
final class MappingAreas {
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final Path SMAPS = Path.of("/proc/self/smaps");
    private static final int FIELDS = 6;

    /** Shared anonymous memory, for the kernel a file that nobody else can open; likewise in hugepages. */
    static final String SHARED_ANONYMOUS = "/dev/zero (deleted)";
    private static final Set<String> NOBODYS = Set.of(SHARED_ANONYMOUS, "/anon_hugepage (deleted)");

    /** As it came: of its hundreds of lines only the few that are asked for become objects. */
    private final String maps;

    /** A line. */
    record Area(long from, long to, String rights, String device, String inode, String name) {
        boolean isShared() {
            return rights.charAt(3) == 's';
        }

        boolean isOfFile() {
            return !"0".equals(inode) && !NOBODYS.contains(name);
        }

        boolean privateAnonymous() {
            return rights.charAt(3) == 'p' && ("0".equals(inode) || name.startsWith("/anon_hugepage"));
        }

        @Override
        public String toString() {
            return String.format("%x-%x %s%s", from, to, rights, name.isEmpty() ? "" : " " + name);
        }
    }

    private MappingAreas(final String maps) {
        this.maps = maps;
    }

    /** Empty if the system does not tell. */
    static MappingAreas ofThisProcess() {
        try {
            return of(new String(Files.readAllBytes(MAPS), StandardCharsets.ISO_8859_1));
        } catch (final IOException e) {
            return of("");
        }
    }

    /**
     * The mappings of this process behind a range, in order.
     *
     * @throws RdmaException EFAULT if there is a gap between them, or the system does not tell
     */
    static List<Area> covering(final long address, final long length) {
        final List<Area> found = ofThisProcess().overlapping(address, address + length);
        long covered = address;
        for (final Area area : found) {
            covered = area.from <= covered ? area.to : covered;
        }
        if (covered < address + length) {
            throw RdmaException.of("look at memory").detail("nothing is mapped at %#x, of %d bytes at %#x", covered,
                length, address).errno(RdmaException.EFAULT).build();
        }
        return found;
    }

    static MappingAreas of(final String maps) {
        return new MappingAreas(maps);
    }

    List<Area> overlapping(final long from, final long to) {
        final List<Area> found = new ArrayList<>();
        int line = 0;
        while (line < maps.length()) {
            final int newline = maps.indexOf('\n', line);
            final int end = newline < 0 ? maps.length() : newline;
            final int dash = maps.indexOf('-', line);
            final int blank = maps.indexOf(' ', dash);
            final long start = Long.parseUnsignedLong(maps, line, dash, 16);
            if (start < 0 || start >= to) {
                break; // They rise, and what is in the kernel's half, as vsyscall, is negative.
            }
            if (Long.parseUnsignedLong(maps, dash + 1, blank, 16) > from) {
                found.add(area(maps.substring(line, end)));
            }
            line = end + 1;
        }
        return found;
    }

    /**
     * Private anonymous mappings without a gap between them, from the one that holds an address downwards: what one
     * call of mmap may have made, whatever became of its parts.
     */
    List<Area> touchingBelow(final long address) {
        final List<Area> found = new ArrayList<>();
        int end = endOfLineOf(address);
        while (end > 0) {
            final int start = maps.lastIndexOf('\n', end - 1) + 1;
            final Area area = area(maps.substring(start, end));
            if (!area.privateAnonymous() || !found.isEmpty() && found.get(found.size() - 1).from != area.to) {
                break;
            }
            found.add(area);
            end = start - 1;
        }
        return found;
    }

    /** Of the last mapping that begins at or before an address; 0 if there is none. */
    private int endOfLineOf(final long address) {
        int last = 0;
        for (int line = 0; line < maps.length(); ) {
            final long start = Long.parseUnsignedLong(maps, line, maps.indexOf('-', line), 16);
            if (start < 0 || start > address) {
                break;
            }
            final int newline = maps.indexOf('\n', line);
            last = newline < 0 ? maps.length() : newline;
            line = last + 1;
        }
        return last;
    }

    private static Area area(final String line) {
        final int dash = line.indexOf('-');
        final String[] fields = line.split(" +", FIELDS);
        return new Area(Long.parseUnsignedLong(line, 0, dash, 16),
            Long.parseUnsignedLong(line, dash + 1, fields[0].length(), 16), fields[1], fields[3], fields[4],
            fields.length < FIELDS ? "" : fields[5]);
    }

    /** Null, or why a range is not to be watched. */
    String refusal(final long from, final long to) {
        return refusal(from, to, 0);
    }

    /** The same, if what lies right below an address is known to be nobody's but the application's; 0 if not. */
    String refusal(final long from, final long to, final long proven) {
        if (isUnknown()) {
            return MAPS + " cannot be read, so that it is not known whose memory this is";
        }
        long covered = from;
        for (final Area area : overlapping(from, to)) {
            if (area.from > covered) {
                break;
            }
            final String refusal = MappingOwners.refusal(area, this, Math.max(from, area.from),
                Math.min(to, area.to), proven);
            if (refusal != null) {
                return refusal + " (" + area + ")";
            }
            covered = area.to;
        }
        return covered >= to ? null : String.format("nothing is mapped at %#x", covered);
    }

    /** Whether the system does not tell. */
    boolean isUnknown() {
        return maps.isEmpty();
    }

    boolean anyContains(final String part) {
        return maps.contains(part);
    }

    /** Null if nothing is mapped there. */
    Area at(final long address) {
        final List<Area> found = overlapping(address, address + 1);
        return found.isEmpty() ? null : found.get(0);
    }

    Range areaAt(final long address) {
        final Area area = at(address);
        return area == null ? null : new Range(area.from, area.to);
    }

    List<Range> within(final Range range) {
        final List<Range> parts = new ArrayList<>();
        for (final Area area : overlapping(range.from(), range.to())) {
            parts.add(new Range(Math.max(range.from(), area.from), Math.min(range.to(), area.to)));
        }
        return parts;
    }

    String describe(final long address) {
        final Area area = at(address);
        return area == null ? String.format("nothing at %#x", address) : area.toString();
    }

    /** Of the pages at an address, as the kernel counts them; 0 if it does not tell. */
    long pageSize(final long address) {
        try (BufferedReader lines = Files.newBufferedReader(SMAPS)) {
            boolean here = false;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (Character.digit(line.charAt(0), 16) >= 0 && line.indexOf('-') > 0 && line.indexOf(':') > line
                    .indexOf(' ')) {
                    final Area area = area(line);
                    here = area.from <= address && address < area.to;
                } else if (here && line.startsWith("KernelPageSize:")) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
                }
            }
        } catch (final IOException e) {
            return 0;
        }
        return 0;
    }
}
