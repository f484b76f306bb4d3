/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.fabric.FiErrno;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * Where files of shared vectors are: {@code rdma4j.av.dir}, {@code RDMA4J_AV_DIR}, else
 * {@code /dev/shm/rdma4j-av-UID}, else {@code $XDG_RUNTIME_DIR/rdma4j-av}. The user's own, for nobody else; see
 * {@link StateFolder}.
 */
final class SharedFolder {
    static final String PROPERTY = "rdma4j.av.dir";
    static final StateFolder FOLDER = new StateFolder("rdma4j-av", PROPERTY, true, Path.of("/dev/shm"));
    /** What to look at where files of vectors cannot be reached. */
    static final String WHERE = FOLDER.variable() + " or -D" + PROPERTY + " says where they are";
    private static final int MAX_DOMAIN = 96;

    private SharedFolder() {
    }

    /** Where a file is, or else would be. */
    static Path find(final String fileName) throws IOException {
        return FOLDER.folderOf(fileName);
    }

    /** A link may lead elsewhere, and what others can read or write is not for them. */
    static void checkMine(final Path path) throws IOException {
        final Map<String, Object> found = Files.readAttributes(path,
            "unix:uid,permissions,isRegularFile,isSymbolicLink", LinkOption.NOFOLLOW_LINKS);
        final long owner = ((Number) found.get("uid")).longValue();
        final Set<?> permissions = (Set<?>) found.get("permissions");
        if (!Boolean.TRUE.equals(found.get("isRegularFile"))) {
            throw Troubles.of(FiErrno.FI_EACCES, "remove it; " + WHERE, "%s is no plain file%s", path,
                Boolean.TRUE.equals(found.get("isSymbolicLink")) ? ", but a symbolic link" : "");
        }
        final long user = StateFolder.userId();
        if (owner != user || permissions.stream().anyMatch(one -> !one.toString().startsWith("OWNER"))) {
            throw Troubles.of(FiErrno.FI_EACCES, "vectors are shared by processes of one user",
                "%s belongs to user %d and has mode %s; this is user %d", path, owner,
                permissions.stream().map(Object::toString).sorted().toList(), user);
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
