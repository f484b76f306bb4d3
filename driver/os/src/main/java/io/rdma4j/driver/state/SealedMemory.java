/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.state;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;

import java.io.IOException;

/**
 * Memory that processes of one user share, readable and writable: a memfd, sealed so that nobody takes pages away under
 * another one, which would end that process. Others open it by the process that made it and the number of its
 * descriptor there.
 *
 * <p>The first page of the file is not used and takes no memory: mappings begin behind it. A memfd of huge pages cannot
 * be mapped so, which is what it is for: where the pool of those is empty, a touch is a signal, and whoever made the
 * file can take its pages away by holes.
 */
public final class SealedMemory implements AutoCloseable {
    private static final int SEALS = LibcConstants.F_SEAL_SHRINK | LibcConstants.F_SEAL_SEAL;
    private static final int READ_WRITE = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;

    private final MappedMemory mapping;
    private final Fd file;

    private SealedMemory(final MappedMemory mapping, final Fd file) {
        this.mapping = mapping;
        this.file = file;
    }

    /**
     * Makes memory of zeros.
     *
     * @param name   what the kernel calls it.
     * @param length bytes, whole pages.
     * @return memory with all its pages there: a lack of room shows here, and not at a touch.
     * @throws RdmaException ENOMEM, EMFILE.
     */
    public static SealedMemory create(final String name, final long length) {
        final long page = Libc.pageSize();
        try (Undo undo = new Undo()) {
            final Fd file = Fd.of(Libc.memfdCreate(name, LibcConstants.MFD_ALLOW_SEALING), name);
            undo.add(file::close);
            Libc.ftruncate(file.fd(), page + length);
            Libc.fallocate(file.fd(), page, length);
            FileCalls.addSeals(file.fd(), SEALS);
            final SealedMemory made = new SealedMemory(map(file, length), file);
            undo.forget();
            return made;
        }
    }

    /**
     * Opens memory that a process made.
     *
     * @param pid        the process.
     * @param descriptor its number there; the process may have written any.
     * @param least      bytes that are needed.
     * @param most       bytes that are mapped at most.
     * @return all of it, without a descriptor.
     * @throws IOException that says why not: the process is gone or may not be looked into, or has something else under
     *                     that number than sealed memory of this user, of a length between these.
     */
    public static SealedMemory open(final long pid, final int descriptor, final long least, final long most)
        throws IOException {
        try (HeldFile held = HeldFile.of(pid, descriptor)) {
            if (!held.isSealedMemory() || held.owner() != Integer.toUnsignedLong(Libc.geteuid())) {
                throw new IOException(held.target() + " of process " + pid
                    + " is not memory that this user shares (a sealed memfd)");
            }
            try (Fd file = Fd.open(held.path().toString(), LibcConstants.O_RDWR)) {
                final long length = FileCalls.seekEnd(file.fd()) - Libc.pageSize();
                if (length < least || length > most) {
                    throw new IOException(String.format("%s of process %d has %d bytes to share, not %d to %d",
                        held.target(), pid, length, least, most));
                }
                return new SealedMemory(map(file, length), null);
            } catch (final RdmaException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
    }

    private static MappedMemory map(final Fd file, final long length) {
        return MappedMemory.map(0, length, READ_WRITE, LibcConstants.MAP_SHARED, file.fd(), Libc.pageSize());
    }

    /**
     * Where it is in this process.
     *
     * @return the address of its first byte.
     * @throws RdmaException EBADFD after close.
     */
    public long address() {
        return mapping.address();
    }

    /**
     * How large it is.
     *
     * @return bytes.
     */
    public long length() {
        return mapping.length();
    }

    /**
     * By which others open it, with the number of this process.
     *
     * @return the descriptor of what was made here.
     * @throws RdmaException EBADFD after close; EINVAL for what was opened.
     */
    public int descriptor() {
        if (file == null) {
            throw RdmaException.of("share memory").detail("it is another process' own").errno(RdmaException.EINVAL)
                .build();
        }
        return file.fd();
    }

    /** Unmaps it. The memory is given back when nobody has it open or mapped any more. */
    @Override
    public void close() {
        final Cleanup cleanup = new Cleanup().run(mapping::close);
        if (file != null) {
            cleanup.run(file::close);
        }
        cleanup.throwIfFailed();
    }
}
