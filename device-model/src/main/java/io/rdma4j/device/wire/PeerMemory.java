/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.state.HeldFile;

import java.io.IOException;

/**
 * The file in which a process of this user shares its memory, to be read: a memfd that nobody can cut off, so that no
 * touch of it is a signal. It grows, and is mapped anew then. For the thread that polls.
 */
final class PeerMemory implements AutoCloseable {
    /** Of {@link #find}: this process has no addresses for it, which the peer cannot help. */
    static final long NO_ROOM = -1;

    private final Fd file;
    private MappedMemory mapping;

    private PeerMemory(final Fd file, final MappedMemory mapping) {
        this.file = file;
        this.mapping = mapping;
    }

    /**
     * Opens what a process shares.
     *
     * @param pid        the process.
     * @param descriptor its number there; the process may have written any.
     * @return what there is now.
     * @throws IOException that says why not, as {@link io.rdma4j.driver.state.SealedMemory#open}.
     */
    static PeerMemory open(final long pid, final int descriptor) throws IOException {
        try (HeldFile held = HeldFile.of(pid, descriptor); Undo undo = new Undo()) {
            if (!held.isSealedMemory() || held.owner() != Integer.toUnsignedLong(Libc.geteuid())) {
                throw new IOException(held.target() + " of process " + pid
                    + " is not memory that this user shares (a sealed memfd)");
            }
            final Fd file = Fd.open(held.path().toString(), LibcConstants.O_RDONLY);
            undo.add(file::close);
            refuseHugePages(file);
            final PeerMemory opened = new PeerMemory(file, map(file));
            undo.forget();
            return opened;
        } catch (final RdmaException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Those cannot be mapped from the second small page on; where their pool is empty, a touch is a signal. */
    private static void refuseHugePages(final Fd file) {
        map(file, Libc.pageSize(), Libc.pageSize()).close();
    }

    private static MappedMemory map(final Fd file) {
        return map(file, 0, Math.min(FileCalls.seekEnd(file.fd()), ShmRing.MOST_SHARED));
    }

    private static MappedMemory map(final Fd file, final long from, final long length) {
        return MappedMemory.map(0, length, LibcConstants.PROT_READ, LibcConstants.MAP_SHARED, file.fd(), from);
    }

    /**
     * Where bytes of it are.
     *
     * @param offset of the first one in the file; anything.
     * @param length how many; anything.
     * @return their address, until this is called again; 0 if the file does not have them, or {@link #NO_ROOM}.
     */
    long find(final long offset, final int length) {
        if (offset < 0 || length <= 0 || offset > ShmRing.MOST_SHARED - length) {
            return 0;
        }
        if (offset > mapping.length() - length && !mapAnew()) {
            return NO_ROOM;
        }
        return offset > mapping.length() - length ? 0 : mapping.address() + offset;
    }

    /** Where there is no room for it, it stays as it is. */
    private boolean mapAnew() {
        try {
            final MappedMemory longer = map(file);
            mapping.close();
            mapping = longer;
            return true;
        } catch (final RdmaException e) {
            return false;
        }
    }

    @Override
    public void close() {
        new Cleanup().run(mapping::close).run(file::close).throwIfFailed();
    }
}
