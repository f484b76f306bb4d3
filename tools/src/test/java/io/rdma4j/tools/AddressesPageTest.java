/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.RdmaDevices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** docs/addresses.md has each option and each quirk, and no others: what providers say to one that does not exist. */
@Tag("sources")
class AddressesPageTest {
    private static final Pattern LIST = Pattern.compile("\\[([a-z0-9_, -]+)\\]");
    private static final Pattern CODE = Pattern.compile("`([a-z0-9_-]+)`");

    private static Set<String> sayWhatThereIs(final String address) {
        final RdmaException[] refusal = new RdmaException[1];
        assertThatThrownBy(() -> RdmaDevices.open(address).close())
            .isInstanceOfSatisfying(RdmaException.class, e -> refusal[0] = e);
        final List<MatchResult> lists = LIST.matcher(refusal[0].getMessage()).results().toList();
        assertThat(lists).as(refusal[0].getMessage()).isNotEmpty();
        return new TreeSet<>(List.of(lists.get(lists.size() - 1).group(1).split(", ")));
    }

    /** The words in the first cells of tables with this heading, of a section. */
    private static Set<String> firstCells(final String heading, final String... sections) throws IOException {
        final Path page = Path.of("").toAbsolutePath().getParent().resolve("docs/addresses.md");
        final Set<String> cells = new TreeSet<>();
        for (final String section : Files.readString(page).split("\n## ")) {
            if (List.of(sections).stream().anyMatch(section::startsWith)) {
                final String table = section.split("\\| " + heading + " \\|", 2)[1].split("\n\n", 2)[0];
                cells.addAll(table.lines().filter(line -> line.startsWith("| `"))
                    .flatMap(line -> CODE.matcher(line.split("\\|")[1]).results()).map(cell -> cell.group(1))
                    .collect(Collectors.toSet()));
            }
        }
        return cells;
    }

    @Test
    void optionsOfEmulatedDevices() throws IOException {
        assertThat(firstCells("option", "`emulated:NAME`", "`emulated:` alone"))
            .isEqualTo(sayWhatThereIs("emulated:?no-such=1"));
    }

    @Test
    void optionsOfVfioDevices() throws IOException {
        assertThat(firstCells("option", "`emulated:NAME`", "`vfio:` alone"))
            .isEqualTo(sayWhatThereIs("vfio:0000:00:00.0?no-such=1"));
    }

    @Test
    void optionsOfDevicesOfTheKernel() throws IOException {
        assertThat(firstCells("option", "`ibv:NAME`")).isEqualTo(sayWhatThereIs("ibv:?no-such=1"));
    }

    @Test
    void quirks() throws IOException {
        assertThat(firstCells("quirk", "`emulated:` alone")).isEqualTo(sayWhatThereIs("emulated:?quirks=no-such"));
    }
}
