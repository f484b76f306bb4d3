/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

/** docs/json.md has each key that these commands print, and no others. */
class JsonPageTest {
    private static final Pattern CODE = Pattern.compile("`([a-z0-9_.\\[\\]]+)`");

    /** What the first cells of a section's table name. */
    private static Set<String> onThePage(final String section) throws IOException {
        final Path page = Path.of("").toAbsolutePath().getParent().resolve("docs/json.md");
        final String text = Files.readString(page).split("\n## " + section + "\n", 2)[1].split("\n## ", 2)[0];
        return text.lines().filter(line -> line.startsWith("| `"))
            .flatMap(line -> CODE.matcher(line.split("\\|")[1]).results()).map(code -> code.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> printed(final String... lines) {
        final Set<String> keys = new TreeSet<>();
        for (final String line : lines) {
            final Cli.Outcome outcome = Cli.run((line + " --json").split(" "));
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            collect("", outcome.json(), keys);
        }
        return keys;
    }

    private static void collect(final String path, final JsonElement value, final Set<String> keys) {
        if (value.isJsonObject()) {
            value.getAsJsonObject().entrySet().forEach(member -> collect(
                (path.isEmpty() ? "" : path + '.') + member.getKey(), member.getValue(), keys));
        } else if (value.isJsonArray()) {
            value.getAsJsonArray().forEach(element -> collect(path + "[]", element, keys));
        } else {
            keys.add(path);
        }
    }

    @Test
    void pingpong() throws IOException {
        final Set<String> printed = printed("pingpong -n 50");
        printed.add("peer");
        assertThat(onThePage("pingpong")).isEqualTo(printed);
    }

    @Test
    void fiPingpong() throws IOException {
        assertThat(onThePage("fi_pingpong")).isEqualTo(printed("fi_pingpong -I 20 -S 64"));
    }

    /** What both ends print, the one that listens, too. */
    @Test
    void theEndThatListens() throws Exception {
        final Set<String> printed = new TreeSet<>();
        for (final String game : List.of("pingpong", "perf send_lat")) {
            final Listening listening = new Listening(game + " -d emulated:json-there --json --listen=:0");
            final Cli.Outcome near = Cli.run((game + " -n 20 -d emulated:json-here --connect " + listening.address())
                .split(" "));
            assertThat(near.exitCode()).as(near.err() + listening.outcome().err()).isZero();
            collect("", listening.outcome().json(), printed);
        }
        assertThat(onThePage("The end that listens")).isEqualTo(printed);
    }

    @Test
    void perf() throws IOException {
        assertThat(onThePage("perf")).isEqualTo(printed("perf send_lat -n 50 --compare", "perf write_bw -n 50"));
    }
}
