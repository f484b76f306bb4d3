/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.memory.MappingAreas.Area;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;

/** What can happen to the pages of a mapping from behind: by its file, of which others have descriptors. */
enum SharedKind {
    /** Of this process alone. */
    PRIVATE,
    /** Shared, and nobody can take pages away: without a file, or with one that is sealed against shrinking. */
    LASTING,
    /** Shared, with a file that can be cut off: then the pages behind its end are gone. */
    OF_FILE,
    /** Registers or memory of a device: the kernel neither copies them nor maps them again. */
    OF_DEVICE;

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final String DEVICES = "/dev/";
    private static final String ZERO = "/dev/zero";

    /**
     * Of mappings that are to be treated alike: the one with which most can go wrong. A device's next to others is
     * treated as private: what the kernel does not copy fails then.
     */
    static SharedKind of(final List<Area> areas) {
        SharedKind worst = null;
        for (final Area area : areas) {
            final SharedKind kind = of(area);
            if (worst == null || worst == LASTING && kind != OF_DEVICE) {
                worst = kind;
            } else if (kind != worst && (kind == PRIVATE || kind == OF_DEVICE || worst == OF_DEVICE)) {
                worst = PRIVATE;
            }
        }
        return worst == null ? LASTING : worst;
    }

    private static SharedKind of(final Area area) {
        final String name = area.name();
        if (name.startsWith("/dmabuf:") || name.startsWith("/secretmem") || name.startsWith("anon_inode:")
            || isDeviceFile(name)) {
            return OF_DEVICE;
        }
        if (!area.isShared()) {
            return PRIVATE;
        }
        // What must not be touched here must not be by a second mapping either, which only the kernel notices.
        final boolean lasting = area.rights().startsWith("rw") && (name.equals(MappingAreas.SHARED_ANONYMOUS)
            || name.startsWith("/SYSV") || name.startsWith("/memfd:") && isSealed(area));
        return lasting ? LASTING : OF_FILE;
    }

    /** There are usual files below /dev, too, of huge pages for one. */
    private static boolean isDeviceFile(final String name) {
        if (!name.startsWith(DEVICES) || name.equals(ZERO)) {
            return false;
        }
        try {
            return Files.readAttributes(Path.of(name), BasicFileAttributes.class).isOther();
        } catch (final IOException e) {
            return false; // Removed: no device's.
        }
    }

    /** Only who has a descriptor can ask; if nobody here has one, somebody elsewhere may. */
    private static boolean isSealed(final Area area) {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
            for (final Path descriptor : descriptors) {
                if (isOf(descriptor, area)) {
                    return (FileCalls.seals(Integer.parseInt(descriptor.getFileName().toString()))
                        & LibcConstants.F_SEAL_SHRINK) != 0;
                }
            }
        } catch (final IOException | RdmaException e) {
            return false;
        }
        return false;
    }

    /** A device's number as {@code maps} writes it: glibc's major and minor, hexadecimal. */
    static String deviceText(final long device) {
        return String.format("%02x:%02x", device >>> 8 & 0xfff | device >>> 32 & ~0xfffL,
            device & 0xff | device >>> 12 & ~0xffL & 0xffff_ffffL);
    }

    private static boolean isOf(final Path descriptor, final Area area) {
        try {
            if (!Files.readSymbolicLink(descriptor).toString().startsWith("/memfd:")) {
                return false;
            }
            final Map<String, Object> found = Files.readAttributes(descriptor, "unix:dev,ino");
            // Those of huge pages are of another file system, which has the same numbers again.
            return area.inode().equals(found.get("ino").toString())
                && area.device().equals(deviceText(((Number) found.get("dev")).longValue()));
        } catch (final IOException e) {
            return false; // Closed meanwhile.
        }
    }
}
