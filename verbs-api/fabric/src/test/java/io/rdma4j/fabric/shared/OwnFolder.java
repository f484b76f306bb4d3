/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rdma4j.fabric.FabricException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests whose shared vectors have a folder of their own; the file of one of them is gone in the end. */
abstract class OwnFolder {
    /** Of this vector. */
    static final String NAME = "peers";

    @TempDir
    Path temporary;
    Path folder;
    /** The file of the vector that is called {@link #NAME}. */
    Path path;

    @BeforeEach
    void ownFolder() {
        folder = temporary.resolve("av");
        path = folder.resolve(SharedFolder.fileName(NAME, Stores.DOMAIN));
        System.setProperty(SharedFolder.PROPERTY, folder.toString());
    }

    @AfterEach
    void asBefore() {
        System.clearProperty(SharedFolder.PROPERTY);
        assertFalse(Files.exists(path), "the vector's file is still there: " + path);
    }

    static int errno(final Runnable work) {
        return assertThrows(FabricException.class, work::run).errno();
    }

    /** Of the vector, which is open. */
    SharedMemory memory() {
        try {
            final SharedFile file = SharedFile.open(new SharedName(NAME, Stores.DOMAIN), null, 0);
            final SharedMemory memory = file.map(false);
            file.release();
            return memory;
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }
}
