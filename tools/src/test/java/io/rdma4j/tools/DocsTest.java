/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages say what is true of the tree: links lead somewhere, pictures can be drawn, tests that are named exist. */
@Tag("sources")
class DocsTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(#[^)]*)?\\)");
    /** A class on a page, and its method to look at. */
    private static final Pattern HOP = Pattern.compile("\\[`(\\w+)`]\\(([^)]+\\.java)\\) `(\\w+)`");
    private static final Pattern NAME = Pattern.compile("`([A-Za-z]\\w*(?:\\.\\w+)?)`");

    static List<Path> pages() throws IOException {
        final List<Path> pages = files("docs", ".md");
        try (Stream<Path> files = Files.list(ROOT)) {
            files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
        }
        return pages;
    }

    static List<Path> pictures() throws IOException {
        return files("docs", ".svg");
    }

    private static List<Path> files(final String folder, final String ending) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(ending))
                .collect(Collectors.toCollection(ArrayList::new));
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadSomewhere(final Path page) throws IOException {
        final Matcher link = LINK.matcher(Files.readString(page));
        while (link.find()) {
            assertThat(page.resolveSibling(link.group(1))).exists();
        }
    }

    @ParameterizedTest
    @MethodSource("pictures")
    void picturesAreWellFormed(final Path picture) {
        assertThatCode(() -> DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(picture.toFile()))
            .doesNotThrowAnyException();
    }

    @Test
    void pagesOfAllFoldersAreLookedAt() throws IOException {
        assertThat(pages()).contains(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md"),
            ROOT.resolve("docs/tools.md"), ROOT.resolve("docs/adr/README.md"),
            ROOT.resolve("docs/internals/endpoints.md"));
    }

    /** README's order of reading is each reader's first look at the code: its classes in order, and their methods. */
    @Test
    void readmeFollowsAMessageThroughTheCode() throws IOException {
        assertThat(hops(ROOT.resolve("README.md"))).containsSubsequence("PingPong run", "QueuePair postSend",
            "SendQueue claim", "Doorbell ring", "Engine ringQp", "CompletionQueue poll", "ProtectionDomain register",
            "PageDirectory buildLarge", "MsgEndpoint write", "QueuePair postSend", "FabricCompletionQueue read");
        assertThat(hops(ROOT.resolve("docs/internals/reading.md"))).hasSizeGreaterThan(40);
    }

    /** "Class method" of each hop; that the class has that method is asserted. */
    private static List<String> hops(final Path page) throws IOException {
        final List<String> hops = new ArrayList<>();
        final Matcher hop = HOP.matcher(Files.readString(page));
        while (hop.find()) {
            assertThat(Files.readString(page.resolveSibling(hop.group(2)))).as(hop.group())
                .containsPattern("\\b" + hop.group(3) + "\\(");
            hops.add(hop.group(1) + " " + hop.group(3));
        }
        return hops;
    }

    @Test
    void testsNamedInTheCoverageTableExist() throws IOException {
        final Map<String, String> sources = sources();
        final String all = String.join("\n", sources.values());
        int names = 0;
        for (final String line : Files.readAllLines(ROOT.resolve("docs/spec-coverage.md"))) {
            final String[] cells = line.split("\\|");
            final Matcher name = NAME.matcher(cells.length > 4 ? cells[4] : "");
            String type = "";
            while (name.find()) {
                final String[] parts = name.group(1).split("\\.");
                final boolean isCase = parts.length > 1 && Character.isLowerCase(parts[0].charAt(0));
                if (isCase && all.contains('"' + name.group(1) + '"')) {
                    names++;
                    continue;
                }
                if (Character.isUpperCase(parts[0].charAt(0))) {
                    type = parts[0];
                    assertThat(sources).as("%s in: %s", type, line).containsKey(type);
                }
                if (parts.length > 1 || !parts[0].equals(type)) {
                    assertThat(sources.getOrDefault(type, "")).as("%s of %s in: %s", name.group(1), type, line)
                        .contains("void " + parts[parts.length - 1] + "(");
                }
                names++;
            }
        }
        assertThat(names).isGreaterThan(10);
    }

    /** The text of each class; of those that have a namesake, of both. */
    private static Map<String, String> sources() throws IOException {
        final Map<String, String> texts = new HashMap<>();
        for (final String module : new String[] {"hw-regs", "queues", "driver", "device-model", "verbs-api",
            "concurrency-tests", "qemu-tests", "tools", "examples"}) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module))) {
                for (final Path file : (Iterable<Path>) files.filter(f -> f.toString().endsWith(".java")
                    && f.toString().contains("/src/"))::iterator) {
                    texts.merge(file.getFileName().toString().replace(".java", ""), Files.readString(file),
                        String::concat);
                }
            }
        }
        return texts;
    }
}
