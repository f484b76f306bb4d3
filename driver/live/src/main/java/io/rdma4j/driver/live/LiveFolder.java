/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.OpenFileLock;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of files in the folder, and what becomes of those that nobody writes to any more. */
final class LiveFolder {
    private static final Pattern NAME = Pattern.compile("live-(\\d{1,18})-(\\d{1,18})\\.(dat|new)");
    private static final String GLOB = "live-*.{dat,new}";
    private static final int ATTEMPTS = 1000;
    /** A draft is renamed within milliseconds; one that is so old was left. */
    private static final long DRAFT_MILLIS = TimeUnit.MINUTES.toMillis(1);
    private static final AtomicLong NEXT = new AtomicLong();

    private LiveFolder() {
    }

    /**
     * Where a file goes.
     *
     * @param draft where it is until it is complete; is there, and empty.
     * @param file  where it is found.
     */
    record Place(Path draft, Path file) {
    }

    static Place newPlace(final Path folder) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            final String name = "live-" + LiveProcess.PID + '-' + NEXT.getAndIncrement();
            final Path file = folder.resolve(name + ".dat");
            final Path draft = folder.resolve(name + ".new");
            try {
                if (!Files.exists(file)) {
                    Files.createFile(draft,
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                    return new Place(draft, file);
                }
            } catch (final FileAlreadyExistsException e) {
                // Left by a process of the same number: the next name is tried.
                Thread.onSpinWait();
            }
        }
        throw new IOException(ATTEMPTS + " names live-" + LiveProcess.PID + "-N.dat are taken");
    }

    /** The process that a name tells of; 0 if it tells of none. */
    static long pid(final Path file) {
        final Matcher matcher = NAME.matcher(String.valueOf(file.getFileName()));
        return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
    }

    private static long number(final Path file) {
        final Matcher matcher = NAME.matcher(String.valueOf(file.getFileName()));
        return matcher.matches() ? Long.parseLong(matcher.group(2)) : 0;
    }

    /** Files that are complete, by process and time. */
    static List<Path> files(final Path folder) {
        return all(folder).stream().filter(file -> file.toString().endsWith(".dat"))
            .sorted(Comparator.comparingLong(LiveFolder::pid).thenComparingLong(LiveFolder::number)).toList();
    }

    private static List<Path> all(final Path folder) {
        final List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, GLOB)) {
            files.forEach(found::add);
        } catch (final IOException | DirectoryIteratorException e) {
            // No folder, or none that can be read: nothing is found there.
            return found;
        }
        return found;
    }

    /** Removes what dead processes left; what cannot be told, or cannot be removed, stays. */
    static void removeStale(final Path folder, final Collection<Path> own) {
        for (final Path file : all(folder)) {
            if (!own.contains(file) && isLeft(file)) {
                try {
                    Files.deleteIfExists(file);
                } catch (final IOException e) {
                    // Whoever opens a device next tries again.
                }
            }
        }
    }

    /** Nobody's any more: locks are the kernel's, whatever PID namespace there is. False where there are none. */
    private static boolean isFree(final Path file) {
        try (Fd open = Fd.open(file.toString(), LibcConstants.O_RDWR | LibcConstants.O_NOFOLLOW)) {
            return !new OpenFileLock(open.fd()).isHeldElsewhere();
        } catch (final RdmaException | UnsatisfiedLinkError e) {
            return false;
        }
    }

    private static boolean isLeft(final Path file) {
        final long pid = pid(file);
        try {
            if (file.toString().endsWith(".new")) {
                return pid != 0 && LiveProcess.startTicks(pid) == LiveProcess.NONE
                    && Files.getLastModifiedTime(file).toMillis() < System.currentTimeMillis() - DRAFT_MILLIS;
            }
            try (LiveImage image = LiveImage.OfFile.open(file)) {
                final LiveHeader header = LiveHeader.read(image);
                if (header.status() == LiveViews.Status.ELSEWHERE) {
                    return pid != 0 && header.isLocked() && isFree(file);
                }
                // One of another boot may be of another machine that shares the folder, and in use there.
                return pid != 0 && header.status() == LiveViews.Status.STALE && (header.ofThisBoot()
                    || header.openedMillis() < LiveProcess.bootMillis() && (!header.isLocked() || isFree(file)));
            }
        } catch (final IOException e) {
            return false;
        }
    }
}
