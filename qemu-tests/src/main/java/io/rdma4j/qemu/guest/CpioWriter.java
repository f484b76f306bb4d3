/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes a cpio archive in the "newc" format, the one that Linux unpacks as its first root file system.
 *
 * <pre>
 *   header  "070701", then 13 numbers of 8 hexadecimal digits: ino mode uid gid nlink mtime filesize
 *           devmajor devminor rdevmajor rdevminor namesize check
 *   name    ended by NUL, header and name together padded to a multiple of 4
 *   data    padded to a multiple of 4
 *   ...     an entry named TRAILER!!! ends the archive
 * </pre>
 *
 * <p>Everything belongs to root and is dated 1970, so equal input gives equal bytes. Not thread-safe.
 */
public final class CpioWriter implements AutoCloseable {
    private static final int ALIGNMENT = 4;
    private static final int DIRECTORY = 0040000;
    private static final int REGULAR = 0100000;
    private static final int SYMLINK = 0120000;

    private final OutputStream out;
    private int inode = 1;
    private boolean closed;

    /**
     * Begins an archive.
     *
     * @param out where it goes; closed with this writer.
     */
    public CpioWriter(final OutputStream out) {
        this.out = out;
    }

    /**
     * Adds a directory; parents come first.
     *
     * @param name path without a leading slash.
     * @return this.
     * @throws IOException if it cannot be written.
     */
    public CpioWriter directory(final String name) throws IOException {
        entry(name, DIRECTORY | 0755, 2, new byte[0]);
        return this;
    }

    /**
     * Adds a file.
     *
     * @param name        path without a leading slash; its directory was added before.
     * @param permissions the nine permission bits, such as 0755.
     * @param data        what is in it.
     * @return this.
     * @throws IOException if it cannot be written.
     */
    public CpioWriter file(final String name, final int permissions, final byte[] data) throws IOException {
        entry(name, REGULAR | permissions, 1, data);
        return this;
    }

    /**
     * Adds a symbolic link.
     *
     * @param name   path without a leading slash.
     * @param target what it points to.
     * @return this.
     * @throws IOException if it cannot be written.
     */
    public CpioWriter symlink(final String name, final String target) throws IOException {
        entry(name, SYMLINK | 0777, 1, target.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /**
     * Ends the archive.
     *
     * @throws IOException if it cannot be written.
     */
    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            try (out) {
                write(0, "TRAILER!!!", 0, 1, new byte[0]);
            }
        }
    }

    private void entry(final String name, final int mode, final int links, final byte[] data) throws IOException {
        if (name.isEmpty() || name.startsWith("/")) {
            throw new IllegalArgumentException("a name in the archive is a relative path: '" + name + "'");
        }
        write(inode++, name, mode, links, data);
    }

    private void write(final int ino, final String name, final int mode, final int links, final byte[] data)
        throws IOException {
        final byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        final String header = "070701" + hex(ino) + hex(mode) + hex(0) + hex(0) + hex(links) + hex(0)
            + hex(data.length) + hex(0).repeat(4) + hex(nameBytes.length + 1) + hex(0);
        out.write(header.getBytes(StandardCharsets.US_ASCII));
        out.write(nameBytes);
        out.write(0);
        pad(header.length() + nameBytes.length + 1);
        out.write(data);
        pad(data.length);
    }

    private void pad(final int length) throws IOException {
        for (int i = length; i % ALIGNMENT != 0; i++) {
            out.write(0);
        }
    }

    private static String hex(final int value) {
        return String.format("%08X", value);
    }
}
