/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.state;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The folder for what processes of one user leave each other: the one that the system property or the environment
 * variable names, else one that nobody else can write to and that is empty again after a reboot.
 */
public final class StateFolder {
    /** The system property that names it. */
    public static final String PROPERTY = "rdma4j.state.dir";
    /** The environment variable that names it where the property does not. */
    public static final String VARIABLE = "RDMA4J_STATE_DIR";

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final long ROOT = 0;
    private static final Set<PosixFilePermission> OTHERS_WRITE =
        Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private StateFolder() {
    }

    /**
     * Where the folder of this process is, or will be.
     *
     * @return a path; it need not exist.
     * @throws IOException if it cannot be told who the user is.
     * @throws java.nio.file.InvalidPathException if what names it is no path.
     */
    public static Path find() throws IOException {
        return find(System::getProperty, System::getenv, userId());
    }

    /**
     * Where the folder of a process is.
     *
     * @param property    its system properties; null for those that are not set.
     * @param environment its environment; null for variables that are not set.
     * @param userId      its effective user.
     * @return a path; it need not exist.
     * @throws java.nio.file.InvalidPathException if what names it is no path.
     */
    public static Path find(
        final UnaryOperator<String> property, final UnaryOperator<String> environment, final long userId) {
        for (final String chosen : new String[] {property.apply(PROPERTY), environment.apply(VARIABLE)}) {
            if (chosen != null && !chosen.isBlank()) {
                return Path.of(chosen);
            }
        }
        if (userId == ROOT) {
            return Path.of("/run/rdma4j");
        }
        final String runtime = environment.apply("XDG_RUNTIME_DIR");
        return runtime != null && !runtime.isBlank() ? Path.of(runtime, "rdma4j")
            : Path.of("/dev/shm/rdma4j-" + userId);
    }

    /**
     * The user of this process: the effective one, by which the kernel judges access to files.
     *
     * @return its number.
     * @throws IOException if it cannot be told.
     */
    public static long userId() throws IOException {
        for (final String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("Uid:")) {
                return Long.parseLong(line.split("\\s+")[2]);
            }
        }
        throw new IOException(STATUS + " has no line Uid:");
    }

    /**
     * Makes the folder, readable for this user alone, or checks the one that is there: in a folder that others write
     * to, what is found may be theirs.
     *
     * @param folder where.
     * @return its real path.
     * @throws IOException if it cannot be made or cannot be trusted; the message says which folder and why.
     */
    public static Path prepare(final Path folder) throws IOException {
        if (!Files.exists(folder)) {
            Files.createDirectories(folder,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        final Path real = folder.toRealPath();
        final Map<String, Object> found = Files.readAttributes(real, "unix:uid,permissions,isDirectory",
            LinkOption.NOFOLLOW_LINKS);
        final long owner = ((Number) found.get("uid")).longValue();
        final Set<?> permissions = (Set<?>) found.get("permissions");
        if (!Boolean.TRUE.equals(found.get("isDirectory"))) {
            throw new IOException(folder + " is no folder");
        }
        if (owner != ROOT && owner != userId() || OTHERS_WRITE.stream().anyMatch(permissions::contains)) {
            throw new IOException(String.format("%s belongs to user %d and has mode %s: others may write there", folder,
                owner, permissions.stream().map(Object::toString).sorted().toList()));
        }
        if (!Files.isWritable(real)) {
            throw new IOException("no right to write to " + folder);
        }
        return real;
    }
}
