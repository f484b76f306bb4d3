/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import static io.rdma4j.fabric.shared.Stores.attributes;
import static io.rdma4j.fabric.shared.Stores.insert;
import static io.rdma4j.fabric.shared.Stores.open;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.fabric.av.AvStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

/** What lies in the folder of shared vectors. */
class SharedFilesTest extends OwnFolder {
    @Test
    void isMadeForThisUserAloneAndRemovedByTheLastOne() throws IOException {
        final AvStore one = open(attributes(NAME));
        final AvStore two = open(attributes(NAME));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        try (var files = Files.list(folder)) {
            assertEquals(1, files.count());
        }
        assertEquals(0, AvNames.place(insert(one, 7)));
        assertEquals(1, two.size());
        one.close();
        one.close();
        assertTrue(Files.exists(path));
        assertEquals(0, AvNames.place(two.placeOf(0xfe80_0000_0000_0000L, 21, 7, AvStore.ANY_KEY)));
        two.close();
    }

    @Test
    void halfMadeFilesOfTheDeadAreSweptAway() throws IOException {
        open(attributes(NAME)).close();
        final Path dead = folder.resolve("x@y.av.999999999.tmp");
        // By a process of another container, which makes the same vector and has the number of this one.
        final Path alive = folder.resolve(path.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
        Files.write(dead, new byte[1], StandardOpenOption.CREATE_NEW);
        Files.write(alive, new byte[1], StandardOpenOption.CREATE_NEW);
        open(attributes(NAME)).close();
        assertFalse(Files.exists(dead));
        assertTrue(Files.exists(alive));
    }

    @Test
    void whatIsNotOursIsNotSweptAway() throws IOException {
        open(attributes(NAME)).close();
        final Path report = Files.createFile(folder.resolve("report.999999999.tmp"));
        final Path work = Files.createDirectory(folder.resolve("a.999999999.tmp"));
        final Path like = Files.createDirectory(folder.resolve("x@y.av.999999999.tmp"));
        final Path within = Files.createFile(work.resolve("x"));
        final Path alike = Files.createFile(like.resolve("x"));
        open(attributes(NAME)).close();
        assertTrue(Files.exists(report));
        assertTrue(Files.exists(within));
        assertTrue(Files.exists(alike));
    }

    /** By a process of another container, where nobody has the number of this one. */
    @Test
    void whoseHalfMadeFileWasSweptAwayIsNotFirst() throws IOException {
        final Path half = Files.createFile(temporary.resolve("half"));
        assertTrue(SharedFile.isFirst(temporary.resolve("one"), half));
        assertFalse(SharedFile.isFirst(temporary.resolve("one"), half));
        Files.delete(half);
        assertFalse(SharedFile.isFirst(temporary.resolve("two"), half));
    }

    @Test
    void whereFilesAre() throws IOException {
        assertEquals(folder, SharedFolder.find("a"));
        assertEquals("RDMA4J_AV_DIR", SharedFolder.FOLDER.variable());
        assertEquals("a@vfio%3a0000%2f.av", SharedFolder.fileName("a", "vfio:0000/"));
        final String longest = SharedFolder.fileName("a".repeat(128), "/".repeat(2000));
        assertTrue(longest.length() < 255);
        for (int i = 0; i < 16; i++) {
            assertTrue(SharedFile.halfMade(longest, 4_194_304).length() < 255);
        }
    }
}
