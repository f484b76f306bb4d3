/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the campaign has found, in each build: a call fails at each of its places in a scenario. */
@Timeout(180)
@Tag("slow")
class FoundTest {
    @TempDir
    static Path folders;

    @BeforeAll
    static void ownFolders() {
        FaultsTest.use(folders);
    }

    @AfterAll
    static void asBefore() {
        FaultsTest.asBefore();
    }

    /**
     * A live view whose memory cannot be replaced at the end kept its descriptor; a ring, or an inbox, that cannot be
     * unmapped kept its own and its peer's; who could not look for a peer said that nobody has the address; an
     * address that was given back, with an error of the file that tells of it, stayed taken.
     */
    @ParameterizedTest
    @CsvSource({"TRAFFIC, mremap, ENOMEM", "TRAFFIC, mmap, ENOMEM", "SHM, munmap, ENOMEM", "SHM, open, EMFILE",
        "SHM, close file, EIO"})
    void atEachPlace(final Scenario scenario, final String call, final String errno) {
        final List<Case> cases = Case.of(scenario).stream()
            .filter(each -> !each.others() && each.call().equals(call)
                && RdmaException.errnoName(each.errno()).equals(errno)).toList();
        assertThat(cases).isNotEmpty();
        cases.forEach(each -> Run.of(each, folders));
    }
}
