/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.state;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.LibcConstants;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;

/**
 * What a name led to at one moment. It is held without being opened, so that one can look what it is and whose; what is
 * opened {@linkplain #path through it} then is that same file, whatever its name leads to by now. For one thread.
 */
public final class HeldFile implements AutoCloseable {
    private final Fd held;
    private final Path path;
    private final Map<String, Object> attributes;

    private HeldFile(final Fd held) throws IOException {
        this.held = held;
        path = Path.of("/proc/self/fd/" + held.fd());
        attributes = Files.readAttributes(path, "unix:uid,isRegularFile,isSymbolicLink,isDirectory");
    }

    /**
     * Holds a file.
     *
     * @param file its name; a symbolic link is held itself.
     * @return what is there.
     * @throws IOException NoSuchFileException, AccessDeniedException, or what else is in the way.
     */
    public static HeldFile of(final Path file) throws IOException {
        return hold(file.toString(), LibcConstants.O_NOFOLLOW);
    }

    /**
     * Holds what a process has open.
     *
     * @param pid        the process.
     * @param descriptor its number there.
     * @return what that is.
     * @throws IOException NoSuchFileException if the process, or it, is not there; AccessDeniedException without the
     *                     right to look into the process.
     */
    public static HeldFile of(final long pid, final int descriptor) throws IOException {
        return hold("/proc/" + pid + "/fd/" + descriptor, 0);
    }

    private static HeldFile hold(final String name, final int flags) throws IOException {
        final Fd held = open(name, flags);
        try (Undo undo = new Undo()) {
            undo.add(held::close);
            final HeldFile file = new HeldFile(held);
            undo.forget();
            return file;
        }
    }

    private static Fd open(final String name, final int flags) throws IOException {
        try {
            return Fd.open(name, LibcConstants.O_PATH | flags);
        } catch (final RdmaException e) {
            final IOException failure = switch (e.errno()) {
                case RdmaException.ENOENT -> new NoSuchFileException(name, null, "it does not exist");
                case RdmaException.EACCES -> new AccessDeniedException(name, null, "no right [EACCES]");
                default -> new IOException(e.getMessage());
            };
            failure.initCause(e);
            throw failure;
        }
    }

    /**
     * By which it is opened.
     *
     * @return a path that is valid as long as this is open, in this process.
     */
    public Path path() {
        return path;
    }

    /**
     * Whether it is a plain file.
     *
     * @return false for folders, devices, pipes, and symbolic links.
     */
    public boolean isRegular() {
        return Boolean.TRUE.equals(attributes.get("isRegularFile"));
    }

    /**
     * Whether it is a symbolic link itself.
     *
     * @return true for one.
     */
    public boolean isLink() {
        return Boolean.TRUE.equals(attributes.get("isSymbolicLink"));
    }

    /**
     * Whether it is a folder.
     *
     * @return true for one.
     */
    public boolean isFolder() {
        return Boolean.TRUE.equals(attributes.get("isDirectory"));
    }

    /**
     * Whose it is.
     *
     * @return the number of the user.
     */
    public long owner() {
        return Integer.toUnsignedLong(((Number) attributes.get("uid")).intValue());
    }

    /**
     * Whether it is memory that nobody can cut off any more: a memfd that is sealed against shrinking.
     *
     * @return false for all other files.
     * @throws IOException without the right to read it.
     */
    public boolean isSealedMemory() throws IOException {
        if (!isRegular() || !target().startsWith("/memfd:")) {
            return false;
        }
        try (Fd open = Fd.open(path.toString(), LibcConstants.O_RDONLY)) {
            return (FileCalls.seals(open.fd()) & LibcConstants.F_SEAL_SHRINK) != 0;
        } catch (final RdmaException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * What the kernel calls it.
     *
     * @return a path, or a name of something that has none; without characters that would upset a terminal.
     */
    public String target() {
        try {
            return Files.readSymbolicLink(path).toString().replaceAll("\\p{Cc}", "?");
        } catch (final IOException e) {
            return path.toString();
        }
    }

    @Override
    public void close() {
        held.close();
    }

    @Override
    public String toString() {
        return "HeldFile[" + target() + ']';
    }
}
