/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.MappedMemory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * Memory of another device, or a part of it, that came as a dma-buf: a file descriptor that GPUs, accelerators,
 * {@code vgem} or {@code udmabuf} export. It is mapped into this process, and its pages can be registered from there:
 *
 * <pre>
 *   DmaBuf buffer = DmaBuf.open(fd, offset, length);
 *   RegionOwner owner = buffer::close;               // told when the region is closed
 *   pd.register(buffer.address(), buffer.length(), owner, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
 * </pre>
 *
 * <p>The mapping must live until no region reaches it any more. Who shares one DmaBuf between several regions takes a
 * {@link #hold()} for each: closing the DmaBuf then waits for the last of them.
 *
 * <p>Between devices the memory is coherent, or the exporter takes care of it. A processor that touches it needs
 * {@link #beginAccess} before and {@link #endAccess} afterwards where the exporter caches for it; on x86-64 with memory
 * of vgem and udmabuf both do nothing that could be seen. The emulated device moves bytes by the processor, on the
 * thread that rings the doorbell: what it does is an access by the processor, too.
 *
 * <p>Thread-safe. It is no owner of the memory behind it, which lives as long as any descriptor or mapping does.
 */
public final class DmaBuf implements AutoCloseable {
    private static final Pattern PAGE_FRAMES = Pattern.compile("\\b(pf|io)\\b");
    private static final int EBADF = 9;
    private static final int DMA_BUF_SYNC_START = 0;
    private static final int DMA_BUF_SYNC_END = 1 << 2;

    private final DmaBufCalls calls;
    private final int fd;
    private final DmaBufRange range;
    private final String exporter;
    private final boolean writable;
    private final MappedMemory mapping;
    private boolean closed;
    private int holds;

    private DmaBuf(final DmaBufCalls calls, final int fd, final DmaBufRange range, final String exporter,
            final boolean writable, final MappedMemory mapping) {
        this.calls = calls;
        this.fd = fd;
        this.range = range;
        this.exporter = exporter;
        this.writable = writable;
        this.mapping = mapping;
    }

    /**
     * Opens a dma-buf and maps all of it.
     *
     * @param fd its file descriptor; the caller keeps it, and may close it at once
     * @return the memory
     * @throws RdmaException as {@link #open(int, long, long)}
     */
    public static DmaBuf open(final int fd) {
        return open(new DmaBufLinux(), fd, 0, DmaBufRange.TO_THE_END);
    }

    /**
     * Opens a dma-buf and maps a part of it, for reading and writing if the exporter allows that, else for reading.
     *
     * @param fd     its file descriptor; the caller keeps it, and may close it at once
     * @param offset of the first byte, any alignment: what is before it is mapped, too, for the sake of exporters
     *               that map only from the beginning
     * @param length bytes, at least 1
     * @return the memory
     * @throws RdmaException EBADF if the descriptor is not open; EINVAL if it is no dma-buf, if the range is not within
     *                       it, or if its exporter does not map it; EACCES if it must not be read; ENOMEM or EMFILE if
     *                       this process has too much open; EOPNOTSUPP without /proc or off Linux
     */
    public static DmaBuf open(final int fd, final long offset, final long length) {
        if (length <= 0) {
            throw DmaBufRange.refused(fd, offset, length, "the length must be above 0").build();
        }
        return open(new DmaBufLinux(), fd, offset, length);
    }

    /** What is looked at is the duplicate: the caller's number may mean another file at any moment. */
    static DmaBuf open(final DmaBufCalls calls, final int fd, final long offset, final long length) {
        if (fd < 0) {
            throw DmaBufRange.refused(fd, offset, length, "that is no file descriptor").errno(EBADF).build();
        }
        final int duplicate;
        try {
            duplicate = calls.duplicate(fd);
        } catch (final RdmaException e) {
            throw DmaBufRange.refused(fd, offset, length, e.errno() == EBADF ? "the descriptor is not open"
                : e.getMessage()).errno(e.errno()).cause(e).build();
        }
        try (Undo undo = new Undo()) {
            undo.add(() -> calls.close(duplicate));
            final DmaBuf opened = ofDuplicate(calls, fd, duplicate, offset, length);
            undo.forget();
            return opened;
        }
    }

    private static DmaBuf ofDuplicate(
            final DmaBufCalls calls, final int fd, final int duplicate, final long offset, final long length) {
        final String exporter = calls.exporter(duplicate);
        if (exporter == null) {
            throw DmaBufRange.refused(fd, offset, length, "that is no dma-buf but " + calls.describe(duplicate))
                .hint("pass what exported the memory as a dma-buf, such as DRM_IOCTL_PRIME_HANDLE_TO_FD, "
                    + "cuMemGetHandleForAddressRange or hsa_amd_portable_export_dmabuf").build();
        }
        final DmaBufRange range = DmaBufRange.of(fd, offset, length, calls.size(duplicate));
        final MappedMemory writable = tryMap(calls, duplicate, range, true, exporter);
        return writable != null ? new DmaBuf(calls, duplicate, range, exporter, true, writable)
            : new DmaBuf(calls, duplicate, range, exporter, false, tryMap(calls, duplicate, range, false, exporter));
    }

    /** Null if it must not be written; a file that was exported without O_RDWR refuses with EACCES. */
    private static MappedMemory tryMap(final DmaBufCalls calls, final int duplicate, final DmaBufRange range,
            final boolean write, final String exporter) {
        try {
            return calls.map(duplicate, range.mapLength(), write);
        } catch (final RdmaException e) {
            if (write && (e.errno() == RdmaException.EACCES || e.errno() == RdmaException.EPERM)) {
                return null;
            }
            throw unmapped(range.refused("its exporter, " + exporter + ", does not map it: " + e.getMessage()), e);
        }
    }

    /** Exporters give any number; only what the caller can do something about is kept. */
    private static RdmaException unmapped(final RdmaException.Builder refusal, final RdmaException cause) {
        refusal.cause(cause);
        if (cause.errno() == RdmaException.ENOMEM) {
            return refusal.errno(RdmaException.ENOMEM).build();
        }
        if (cause.errno() == RdmaException.EACCES || cause.errno() == RdmaException.EPERM) {
            return refusal.errno(RdmaException.EACCES).build();
        }
        return refusal.hint("memory that only its device can reach, as that of most GPUs, has no addresses in a "
            + "process; register the descriptor (MrOptions.dmaBuf) on a device with Feature.DMA_BUFS, or copy through "
            + "host memory").build();
    }

    /**
     * Where the first byte is, that at {@link #offset()}.
     *
     * @return an address of this process, valid until this is closed and nobody holds it
     * @throws RdmaException EBADFD after close
     */
    public synchronized long address() {
        requireOpen("use dma-buf");
        return mapping.address() + range.offset();
    }

    /**
     * How much is mapped, from {@link #address()} on.
     *
     * @return bytes
     */
    public long length() {
        return range.length();
    }

    /**
     * Which byte of the dma-buf is the first.
     *
     * @return bytes from its beginning
     */
    public long offset() {
        return range.offset();
    }

    /**
     * How large the dma-buf is.
     *
     * @return bytes, also those that are not mapped here
     */
    public long size() {
        return range.size();
    }

    /**
     * Whether it may be written. If not, it can only be registered without LOCAL_WRITE and what needs that.
     *
     * @return false if it was exported for reading only
     */
    public boolean isWritable() {
        return writable;
    }

    /**
     * Which part of the kernel exported it.
     *
     * @return such as "drm" or "udmabuf"; "unknown" before Linux 5.3
     */
    public String exporter() {
        return exporter;
    }

    /**
     * To be called before a processor touches the bytes: what other devices wrote is visible afterwards. May wait for
     * these devices, as long as the exporter makes it.
     *
     * @param access what is going to be done; the same is given to {@link #endAccess}
     * @throws RdmaException EINVAL for null, EBADFD after close, else as the exporter says
     */
    public void beginAccess(final DmaBufAccess access) {
        sync("begin access to dma-buf", DMA_BUF_SYNC_START, access);
    }

    /**
     * To be called after a processor has touched the bytes: what it wrote is visible to other devices afterwards.
     *
     * @param access as it was given to {@link #beginAccess}
     * @throws RdmaException EINVAL for null, EBADFD after close, else as the exporter says
     */
    public void endAccess(final DmaBufAccess access) {
        sync("end access to dma-buf", DMA_BUF_SYNC_END, access);
    }

    private void sync(final String operation, final int flag, final DmaBufAccess access) {
        if (access == null) {
            throw RdmaException.of(operation).object(this).detail("no access is given").errno(RdmaException.EINVAL)
                .build();
        }
        // The exporter may wait for its device: the descriptor is held meanwhile, and no lock.
        try (Hold busy = hold(operation)) {
            calls.sync(busy.fd(), flag | access.bits());
        }
    }

    /**
     * Keeps the memory mapped, also when this is closed, until the hold is.
     *
     * @return one more hold; close it once the memory is not needed any more
     * @throws RdmaException EBADFD after close
     */
    public Hold hold() {
        return hold("hold dma-buf");
    }

    private synchronized Hold hold(final String operation) {
        requireOpen(operation);
        holds++;
        return new Hold();
    }

    private void requireOpen(final String operation) {
        if (closed) {
            throw RdmaException.of(operation).object(this).detail("it is closed").errno(RdmaException.EBADFD).build();
        }
    }

    /**
     * What it means for a dma-buf that a device or its driver refused to register it.
     *
     * @param refusal what registering threw
     * @return the same errno with the reason, and the refusal as its cause; the refusal itself where no more is known
     * @throws RdmaException EINVAL for null
     */
    public RdmaException explain(final RdmaException refusal) {
        if (refusal == null) {
            throw RdmaException.of("explain").object(this).detail("no refusal is given").errno(RdmaException.EINVAL)
                .build();
        }
        if (refusal.errno() != RdmaException.EFAULT && refusal.errno() != RdmaException.EINVAL) {
            return refusal;
        }
        final RdmaException.Builder failure =
            RdmaException.of("register dma-buf").object(this).errno(refusal.errno()).cause(refusal);
        if (!writable) {
            return failure.detail("it was exported for reading only, and its pages were wanted for writing")
                .hint("export it with O_RDWR (DRM_RDWR), or register it without rights to write").build();
        }
        final String flags = flags();
        if (PAGE_FRAMES.matcher(flags).find()) {
            return failure.detail("its exporter, %s, maps it by page frame numbers (VM_PFNMAP or VM_IO, VmFlags: %s), "
                + "which are no pages that the kernel could pin for a device", exporter, flags)
                .hint("such memory can be registered with emulated:, or copied through host memory; VFIO takes it only "
                    + "if it is a device's own window, and not main memory").build();
        }
        return refusal;
    }

    /** Empty after close: what is mapped there by then may be somebody else's. */
    private synchronized String flags() {
        return mapping.isOpen() ? calls.flags(mapping.address()) : "";
    }

    /**
     * Whether it is open.
     *
     * @return false after {@link #close()}
     */
    public synchronized boolean isOpen() {
        return !closed;
    }

    /**
     * Whether the memory is still mapped: it is after {@link #close()} as long as somebody holds it.
     *
     * @return true if it is mapped
     */
    public synchronized boolean isMapped() {
        return mapping.isOpen();
    }

    /**
     * Unmaps the memory and closes the descriptor, now or when the last {@link Hold} is closed. Whoever touches the
     * memory afterwards crashes the JVM. Harmless when called again.
     */
    @Override
    public void close() {
        final boolean last;
        synchronized (this) {
            last = !closed && holds == 0;
            closed = true;
        }
        if (last) {
            release();
        }
    }

    private void letGo() {
        final boolean last;
        synchronized (this) {
            holds--;
            last = closed && holds == 0;
        }
        if (last) {
            release();
        }
    }

    /** Comes once: nobody can take a hold any more. */
    private void release() {
        try {
            mapping.close();
        } finally {
            calls.close(fd);
        }
    }

    @Override
    public synchronized String toString() {
        return String.format("DmaBuf[%s, exported by %s%s%s]", range, exporter, writable ? "" : ", read-only",
            !closed ? "" : holds > 0 ? ", closed but held" : ", closed");
    }

    /** Keeps a {@link DmaBuf} mapped. Closing it again is harmless. Thread-safe. */
    public final class Hold implements AutoCloseable {
        private final AtomicBoolean open = new AtomicBoolean(true);

        private Hold() {
        }

        private int fd() {
            return fd;
        }

        /** Lets the memory go. */
        @Override
        public void close() {
            if (open.compareAndSet(true, false)) {
                letGo();
            }
        }

        @Override
        public String toString() {
            return "Hold[" + DmaBuf.this + (open.get() ? "]" : ", closed]");
        }
    }
}
