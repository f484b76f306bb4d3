/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.dmabuf;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Memory of {@code vgem}, a graphics driver without a device, as a source of dma-bufs: a dumb buffer on its card, made
 * and exported by the requests of {@code drm/drm.h} and {@code drm/drm_mode.h}. A guest that was booted with
 * {@code new GuestContext().modules(VgemBuffer.MODULE)} has the card. Not thread-safe.
 */
public final class VgemBuffer implements AutoCloseable {
    /** The kernel module that has to be loaded. */
    public static final String MODULE = "vgem";

    private static final Path CARDS = Path.of("/dev/dri");
    private static final int NAME_LENGTH = 64;

    /** struct drm_version: three ints, then name, date and description, each a length and a pointer. */
    private static final IoctlRequest DRM_IOCTL_VERSION =
        new IoctlRequest("DRM_IOCTL_VERSION", 0xc040_6400L, 64, false);
    private static final int VERSION_NAME_LEN_OFFSET = 16;
    private static final int VERSION_NAME_OFFSET = 24;

    /** struct drm_mode_create_dumb. */
    private static final IoctlRequest DRM_IOCTL_MODE_CREATE_DUMB =
        new IoctlRequest("DRM_IOCTL_MODE_CREATE_DUMB", 0xc020_64b2L, 32, false);
    private static final int CREATE_HEIGHT_OFFSET = 0;
    private static final int CREATE_WIDTH_OFFSET = 4;
    private static final int CREATE_BPP_OFFSET = 8;
    private static final int CREATE_HANDLE_OFFSET = 16;
    private static final int CREATE_SIZE_OFFSET = 24;

    /** struct drm_mode_destroy_dumb: the handle. */
    private static final IoctlRequest DRM_IOCTL_MODE_DESTROY_DUMB =
        new IoctlRequest("DRM_IOCTL_MODE_DESTROY_DUMB", 0xc004_64b4L, 4, false);

    /** struct drm_prime_handle. */
    private static final IoctlRequest DRM_IOCTL_PRIME_HANDLE_TO_FD =
        new IoctlRequest("DRM_IOCTL_PRIME_HANDLE_TO_FD", 0xc00c_642dL, 12, false);
    private static final int PRIME_HANDLE_OFFSET = 0;
    private static final int PRIME_FLAGS_OFFSET = 4;
    private static final int PRIME_FD_OFFSET = 8;

    private static final int BYTES_PER_PIXEL = 4;

    private final Fd card;
    private final int handle;
    private final long size;

    private VgemBuffer(final Fd card, final int handle, final long size) {
        this.card = card;
        this.handle = handle;
        this.size = size;
    }

    /**
     * Makes a buffer of whole pages, all zero.
     *
     * @param bytes how large; a multiple of 4096, at least 4096
     * @return the buffer; the caller owns it
     * @throws RdmaException ENODEV if no card is vgem's, EINVAL for another size, else as the kernel says
     */
    public static VgemBuffer create(final long bytes) {
        final long page = Libc.pageSize();
        if (bytes <= 0 || bytes % page != 0 || bytes / page > Integer.MAX_VALUE) {
            throw RdmaException.of("create vgem buffer").detail("%d bytes are no whole pages of %d", bytes, page)
                .errno(RdmaException.EINVAL).build();
        }
        final Fd card = openCard();
        boolean complete = false;
        try {
            final UnsafeBuffer request = argument(DRM_IOCTL_MODE_CREATE_DUMB);
            putInt(request, CREATE_HEIGHT_OFFSET, (int) (bytes / page));
            putInt(request, CREATE_WIDTH_OFFSET, (int) page / BYTES_PER_PIXEL);
            putInt(request, CREATE_BPP_OFFSET, BYTES_PER_PIXEL * Byte.SIZE);
            Libc.ioctl(card.fd(), DRM_IOCTL_MODE_CREATE_DUMB, request);
            complete = true;
            return new VgemBuffer(card, getInt(request, CREATE_HANDLE_OFFSET),
                request.getLong(CREATE_SIZE_OFFSET, ByteOrder.nativeOrder()));
        } finally {
            if (!complete) {
                card.close();
            }
        }
    }

    /** Which card is vgem's depends on what else there is. */
    private static Fd openCard() {
        final List<String> others = new ArrayList<>();
        for (final Path card : cards()) {
            final Fd fd = Fd.open(card.toString(), LibcConstants.O_RDWR);
            final String driver = driver(fd);
            if (driver.equals(MODULE)) {
                return fd;
            }
            fd.close();
            others.add(card + " is " + driver + "'s");
        }
        throw RdmaException.of("create vgem buffer").detail("no card in %s is vgem's: %s", CARDS, others)
            .errno(RdmaException.ENODEV).hint("modprobe vgem").build();
    }

    private static List<Path> cards() {
        final List<Path> cards = new ArrayList<>();
        if (Files.isDirectory(CARDS)) {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(CARDS, "card*")) {
                found.forEach(cards::add);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return cards;
    }

    private static String driver(final Fd card) {
        final ByteBuffer name = ByteBuffer.allocateDirect(NAME_LENGTH);
        final UnsafeBuffer request = argument(DRM_IOCTL_VERSION);
        request.putLong(VERSION_NAME_LEN_OFFSET, NAME_LENGTH, ByteOrder.nativeOrder());
        request.putLong(VERSION_NAME_OFFSET, BufferUtil.address(name), ByteOrder.nativeOrder());
        Libc.ioctl(card.fd(), DRM_IOCTL_VERSION, request);
        final byte[] text =
            new byte[(int) Math.min(NAME_LENGTH, request.getLong(VERSION_NAME_LEN_OFFSET, ByteOrder.nativeOrder()))];
        name.get(text);
        return new String(text, StandardCharsets.US_ASCII);
    }

    /**
     * Exports the buffer as a dma-buf. It lives on when this is closed.
     *
     * @param writable whether a mapping of it may be written
     * @return the dma-buf; the caller owns it
     * @throws RdmaException as the kernel says
     */
    public Fd export(final boolean writable) {
        final UnsafeBuffer request = argument(DRM_IOCTL_PRIME_HANDLE_TO_FD);
        putInt(request, PRIME_HANDLE_OFFSET, handle);
        putInt(request, PRIME_FLAGS_OFFSET, LibcConstants.O_CLOEXEC | (writable ? LibcConstants.O_RDWR : 0));
        Libc.ioctl(card.fd(), DRM_IOCTL_PRIME_HANDLE_TO_FD, request);
        return Fd.of(getInt(request, PRIME_FD_OFFSET), "dma-buf of vgem");
    }

    /**
     * The descriptor of the card, which is no dma-buf.
     *
     * @return valid until this is closed
     */
    public int cardFd() {
        return card.fd();
    }

    /**
     * How large it is.
     *
     * @return bytes, whole pages
     */
    public long size() {
        return size;
    }

    /** Gives up the buffer, and closes the card; what was exported stays. Harmless when called again. */
    @Override
    public void close() {
        if (card.isOpen()) {
            try {
                final UnsafeBuffer request = argument(DRM_IOCTL_MODE_DESTROY_DUMB);
                putInt(request, 0, handle);
                Libc.ioctl(card.fd(), DRM_IOCTL_MODE_DESTROY_DUMB, request);
            } finally {
                card.close();
            }
        }
    }

    private static UnsafeBuffer argument(final IoctlRequest request) {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(request.minLength()));
    }

    private static void putInt(final UnsafeBuffer buffer, final int offset, final int value) {
        buffer.putInt(offset, value, ByteOrder.nativeOrder());
    }

    private static int getInt(final UnsafeBuffer buffer, final int offset) {
        return buffer.getInt(offset, ByteOrder.nativeOrder());
    }

    @Override
    public String toString() {
        return "VgemBuffer[" + size + " bytes, handle " + handle + (card.isOpen() ? "]" : ", closed]");
    }
}
