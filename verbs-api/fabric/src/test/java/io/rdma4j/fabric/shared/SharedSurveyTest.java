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
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.SharedVector;
import io.rdma4j.fabric.av.AvStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is told of the vectors of a user from outside. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SharedSurveyTest extends OwnFolder {
    /** Whoever set the variable knows no property, and no class of Java. */
    @Test
    void aFolderThatIsEverybodysIsToldInWords() throws IOException {
        Files.createDirectory(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        final String told = assertThrows(FabricException.class, () -> SharedSurvey.read(null)).getMessage();
        assertTrue(told.contains(folder + ": it belongs to user"), told);
        assertTrue(told.contains("has mode 0777: others may write there (FI_EACCES); "
            + "RDMA4J_AV_DIR or -Drdma4j.av.dir says where they are"), told);
        assertFalse(told.contains("Exception"), told);
    }

    @Test
    void aVectorThatWasClosedBehindTheListIsLeftOut() throws IOException {
        try (AvStore store = open(attributes(NAME))) {
            insert(store, 1);
            final Path gone = folder.resolve(SharedFolder.fileName(NAME, "gone"));
            final Path wrong = Files.createFile(folder.resolve(SharedFolder.fileName(NAME, "wrong")));
            for (final String name : new String[] {null, NAME}) {
                final List<SharedVector> found = SharedSurvey.read(List.of(gone, path, wrong), name);
                assertEquals(2, found.size(), found.toString());
                assertNull(found.get(0).problem());
                assertEquals(1, found.get(0).size());
                assertNotNull(found.get(1).problem());
            }
        }
    }
}
