/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.driver.state.HeldFile;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.function.Supplier;

/**
 * Opens memory of which a process tells the number of a descriptor. The process wrote the number, and may hold what it
 * has no right to read, such as a place in the file system, or what somebody else gave it. So only a memfd is opened
 * that nobody can cut off any more, of the user who runs the process and wrote the file.
 */
final class PublishedMemory {
    private PublishedMemory() {
    }

    /**
     * Whose memory it is, at this moment.
     *
     * @param pid       the process.
     * @param user      its effective user.
     * @param objection why nothing of it is read, one clause; null if it is.
     */
    record Whose(long pid, long user, String objection) {
        /** By the head of a file: of another process by now, or not of the user who wrote it. */
        static Whose of(final LiveImage image) {
            final LiveHeader now = LiveHeader.read(image);
            final long user = LiveProcess.user(now.pid());
            final String objection = now.status() != LiveViews.Status.LIVE ? "process " + now.pid() + " has ended"
                : user != image.owner() ? "process " + now.pid() + " is of user " + user + ", and this file of user "
                    + image.owner() : null;
            return new Whose(now.pid(), user, objection);
        }
    }

    /**
     * Opens it.
     *
     * @param whose      asked before and after it is held: the process may end meanwhile, and its number be another's.
     * @param descriptor its number in the process.
     * @throws IOException that says why it is not read; NoSuchFileException if the process does not have it any more,
     *                     AccessDeniedException without the right to look into the process.
     */
    static LiveImage open(final Supplier<Whose> whose, final int descriptor) throws IOException {
        final Whose before = whose.get();
        requireNone(before.objection());
        try (HeldFile held = HeldFile.of(before.pid(), descriptor)) {
            final Whose now = whose.get();
            requireNone(now.objection());
            requireNone(held.isSealedMemory() ? null
                : held.target() + " is not memory that process " + now.pid() + " shares (a sealed memfd)");
            requireNone(held.owner() == now.user() ? null : held.target() + " is of user " + held.owner()
                + ", and process " + now.pid() + " of user " + now.user());
            return new LiveImage.OfFile(held, held);
        }
    }

    private static void requireNone(final String objection) throws IOException {
        if (objection != null) {
            throw new IOException(objection);
        }
    }

    /**
     * What a device publishes, behind its file in the folder.
     *
     * @param file of the folder.
     * @return the file itself if it has all, or leads to nothing that may be read.
     * @throws IOException as {@link #open}; also if something else is there than what this process publishes.
     */
    static LiveImage behind(final LiveImage file) throws IOException {
        final LiveHeader head = LiveHeader.read(file);
        if (head.descriptor() < 0 || Whose.of(file).objection() != null) {
            return file;
        }
        final LiveImage memory;
        try {
            memory = open(() -> Whose.of(file), head.descriptor());
        } catch (final IOException e) {
            if (e instanceof NoSuchFileException || Whose.of(file).objection() != null) {
                return file; // Its process ended, or closed the device, since the head was read.
            }
            throw e;
        }
        final LiveHeader inside = LiveHeader.read(memory);
        if (inside.layout() == null || inside.pid() != head.pid() || inside.start() != head.start()) {
            memory.close();
            throw new IOException("descriptor " + head.descriptor() + " of process " + head.pid()
                + " is nothing that it publishes");
        }
        return memory;
    }
}
