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
import java.util.List;

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
    private static final String SHM = "/dev/shm/";

    /** Of mappings that are to be treated alike: the one with which most can go wrong. */
    static SharedKind of(final List<Area> areas) {
        SharedKind worst = LASTING;
        for (final Area area : areas) {
            final SharedKind kind = of(area);
            if (kind == OF_DEVICE || kind == PRIVATE && worst != OF_DEVICE || worst == LASTING) {
                worst = kind;
            }
        }
        return worst;
    }

    private static SharedKind of(final Area area) {
        final String name = area.name();
        if (name.startsWith("/dmabuf:") || name.startsWith("/secretmem")
            || name.startsWith("anon_inode:")
            || name.startsWith("/dev/") && !name.startsWith(SHM) && !name.equals(MappingAreas.SHARED_ANONYMOUS)) {
            return OF_DEVICE;
        }
        if (!area.isShared()) {
            return PRIVATE;
        }
        final boolean lasting = name.equals(MappingAreas.SHARED_ANONYMOUS) || name.startsWith("/SYSV")
            || name.startsWith("/memfd:") && isSealed(area);
        return lasting ? LASTING : OF_FILE;
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

    private static boolean isOf(final Path descriptor, final Area area) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("/memfd:")
                && area.inode().equals(String.valueOf(Files.getAttribute(descriptor, "unix:ino")));
        } catch (final IOException e) {
            return false; // Closed meanwhile.
        }
    }
}
