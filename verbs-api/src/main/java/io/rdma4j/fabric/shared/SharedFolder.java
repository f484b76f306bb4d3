/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.fabric.FiErrno;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Where files of shared vectors are: {@code rdma4j.av.dir}, {@code RDMA4J_AV_DIR}, else
 * {@code /dev/shm/rdma4j-av-UID}, else {@code $XDG_RUNTIME_DIR/rdma4j-av}. The user's own, for nobody else.
 */
final class SharedFolder {
    static final String PROPERTY = "rdma4j.av.dir";
    static final String VARIABLE = "RDMA4J_AV_DIR";
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int MAX_DOMAIN = 96;

    private SharedFolder() {
    }

    /** Not made by this. */
    static Path find() throws IOException {
        return find(System::getProperty, System::getenv, MEMORY);
    }

    static Path find(final UnaryOperator<String> property, final UnaryOperator<String> environment, final Path memory)
        throws IOException {
        for (final String chosen : new String[] {property.apply(PROPERTY), environment.apply(VARIABLE)}) {
            if (chosen != null && !chosen.isBlank()) {
                return Path.of(chosen).toAbsolutePath();
            }
        }
        if (Files.isDirectory(memory) && Files.isWritable(memory)) {
            return memory.resolve("rdma4j-av-" + userId());
        }
        final String runtime = environment.apply("XDG_RUNTIME_DIR");
        if (runtime == null || runtime.isBlank()) {
            throw new IOException("neither is " + memory + " a folder to write to, nor is XDG_RUNTIME_DIR set");
        }
        return Path.of(runtime, "rdma4j-av");
    }

    /** The effective one, by which the kernel judges access to files. */
    static long userId() throws IOException {
        for (final String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("Uid:")) {
                return Long.parseLong(line.split("\\s+")[2]);
            }
        }
        throw new IOException(STATUS + " has no line Uid:");
    }

    static void make(final Path folder) throws IOException {
        try {
            Files.createDirectory(folder,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (final FileAlreadyExistsException e) {
            // It is looked at next, whoever made it.
            checkMine(folder, true);
        }
        checkMine(folder, true);
    }

    /** In a folder that others write to files may be theirs; so may a link that leads elsewhere. */
    static void checkMine(final Path path, final boolean isFolder) throws IOException {
        final Map<String, Object> found = Files.readAttributes(path,
            "unix:uid,permissions,isDirectory,isRegularFile,isSymbolicLink", LinkOption.NOFOLLOW_LINKS);
        final Object wanted = found.get(isFolder ? "isDirectory" : "isRegularFile");
        final long owner = ((Number) found.get("uid")).longValue();
        final Set<?> permissions = (Set<?>) found.get("permissions");
        if (!Boolean.TRUE.equals(wanted)) {
            throw Troubles.of(FiErrno.FI_EACCES, "remove it, or set " + PROPERTY, "%s is no %s%s", path,
                isFolder ? "folder" : "plain file", Boolean.TRUE.equals(found.get("isSymbolicLink"))
                    ? ", but a symbolic link" : "");
        }
        final boolean open = isFolder
            ? permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)
            : permissions.stream().anyMatch(one -> !one.toString().startsWith("OWNER"));
        if (owner != userId() || open) {
            throw Troubles.of(FiErrno.FI_EACCES, "vectors are shared by processes of one user",
                "%s belongs to user %d and has mode %s; this is user %d", path, owner,
                permissions.stream().map(Object::toString).sorted().toList(), userId());
        }
    }

    /** Each vector of each domain has its own file; '@' is in no name. */
    static String fileName(final String name, final String domain) {
        final StringBuilder text = new StringBuilder(name).append('@');
        for (final byte one : domain.getBytes(StandardCharsets.UTF_8)) {
            final char c = (char) (one & 0xff);
            if (c < 0x80 && (Character.isLetterOrDigit(c) || c == '-' || c == '_')) {
                text.append(c);
            } else {
                text.append(String.format("%%%02x", (int) c));
            }
        }
        final int end = name.length() + 1 + MAX_DOMAIN;
        return text.length() <= end ? text + ".av"
            : text.substring(0, end - Integer.BYTES * 2) + String.format("%08x", domain.hashCode()) + ".av";
    }
}
