/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A file below {@code /dev}, and who may use it.
 *
 * @param path     where it is.
 * @param exists   whether it is there.
 * @param owner    name or number of its owner; null if unknown.
 * @param group    name or number of its group; null if unknown.
 * @param mode     permissions as {@code ls} writes them, such as {@code rw-------}; null if unknown.
 * @param isUsable whether this user may read and write it.
 */
public record DeviceFile(Path path, boolean exists, String owner, String group, String mode, boolean isUsable) {
    static DeviceFile of(final Path path) {
        final boolean isUsable = Files.isReadable(path) && Files.isWritable(path);
        try {
            final PosixFileAttributes attributes = Files.readAttributes(path, PosixFileAttributes.class);
            return new DeviceFile(path, true, attributes.owner().getName(), attributes.group().getName(),
                PosixFilePermissions.toString(attributes.permissions()), isUsable);
        } catch (final IOException | UnsupportedOperationException e) {
            return new DeviceFile(path, Files.exists(path), null, null, null, isUsable);
        }
    }
}
