/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.state.HeldFile;
import io.rdma4j.driver.state.StateFolder;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Pattern;

/**
 * Writes files for their owner alone: keys and messages may be in them, and root may write in a folder in which
 * everybody does.
 */
public final class OwnFile {
    private static final FileAttribute<?> OWNER_ONLY =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    /** Where names are the kernel's or the administrator's, and links lead where the user's shell said. */
    private static final Pattern SYSTEM = Pattern.compile("/dev|/proc/[0-9]+/fd");
    private static final String LINK = "it is a symbolic link, which is not followed: name the file that it leads to";
    private static final String NO_RIGHT = "no right to write in folder ";
    private static final String FOLDER = "it is a folder";
    private static final long ROOT = 0;

    private OwnFile() {
    }

    /** What is written. */
    @FunctionalInterface
    public interface Content {
        /**
         * Writes it.
         *
         * @param out where to; is closed by the caller.
         * @throws IOException if that fails.
         */
        void write(Writer out) throws IOException;
    }

    /**
     * Writes a file, mode 0600. What was there before is replaced when the new one is complete, and stays if that
     * fails. A symbolic link is refused, but for those in {@code /dev}, such as {@code /dev/stdout}. A pipe or device
     * is written to as it is, if it is in {@code /dev}, or belongs to this user or root.
     *
     * @param file    where to.
     * @param content what.
     * @throws IOException if it cannot be written.
     */
    public static void write(final Path file, final Content content) throws IOException {
        final Path folder = file.toAbsolutePath().normalize().getParent();
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS) || folder == null) {
            replace(file, content);
        } else if (isSystem(folder)) {
            append(file, content);
        } else if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            replace(file, content);
        } else {
            try (HeldFile held = HeldFile.of(file)) {
                require(file, held);
                append(held.path(), content);
            }
        }
    }

    /**
     * Refuses a file that would not be written, as far as it can be told before: then nothing is done for it in vain.
     *
     * @param operation what the file is written for.
     * @param file      where to; null is none, and well.
     * @throws RdmaException what writing it would end with: ENOENT, EACCES or EIO.
     */
    public static void require(final String operation, final Path file) {
        if (file == null) {
            return;
        }
        final Path folder = file.toAbsolutePath().normalize().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw FileFailure.ofAbsent(operation, file).build();
        }
        final String objection = whyNot(file);
        if (objection != null) {
            throw RdmaException.of(operation).object(file).detail("%s", objection)
                .errno(objection.startsWith(NO_RIGHT) ? RdmaException.EACCES : RdmaException.EIO).build();
        }
    }

    /**
     * Why a file would not be written, as far as it can be told before.
     *
     * @param file where to, in a folder that is there.
     * @return what stands against it; null if nothing is known.
     */
    public static String whyNot(final Path file) {
        final Path folder = file.toAbsolutePath().normalize().getParent();
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            return FOLDER;
        }
        try {
            if (folder == null || isSystem(folder)) {
                return null;
            }
            if (isReplaced(file)) {
                return Files.isWritable(folder) ? null : NO_RIGHT + "'" + folder + "'";
            }
            try (HeldFile held = HeldFile.of(file)) {
                require(file, held);
            }
            return null;
        } catch (final IOException e) {
            return FileFailure.reason(e);
        }
    }

    /** Whether a new file takes its place. */
    private static boolean isReplaced(final Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isRegularFile();
        } catch (final NoSuchFileException | AccessDeniedException e) {
            return true;
        }
    }

    private static boolean isSystem(final Path folder) throws IOException {
        return SYSTEM.matcher(folder.toRealPath().toString()).matches();
    }

    private static void require(final Path file, final HeldFile held) throws IOException {
        if (held.isLink()) {
            throw new FileSystemException(file.toString(), null, LINK);
        }
        if (held.isRegular() || held.isFolder()) {
            throw new FileSystemException(file.toString(), null,
                held.isFolder() ? FOLDER : "it was replaced meanwhile");
        }
        if (held.owner() != ROOT && held.owner() != StateFolder.userId()) {
            throw new FileSystemException(file.toString(), null,
                "it is a pipe or device of user " + held.owner() + ", who would read what is written");
        }
    }

    /** A new file takes the name's place, whatever the name leads to by then. */
    private static void replace(final Path file, final Content content) throws IOException {
        final Path whole = file.toAbsolutePath();
        final Path unfinished = Files.createTempFile(whole.getParent(), ".rdma4j-", ".tmp", OWNER_ONLY);
        try {
            try (Writer out = Files.newBufferedWriter(unfinished, StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS)) {
                content.write(out);
            }
            Files.move(unfinished, whole, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    private static void append(final Path file, final Content content) throws IOException {
        try (Writer out = Files.newBufferedWriter(file, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            content.write(out);
        }
    }
}
