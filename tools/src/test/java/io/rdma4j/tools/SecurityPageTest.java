/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** docs/security.md lists what there is: native functions, libraries and their versions, tests. */
@Tag("sources")
class SecurityPageTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final List<String> BOUND = List.of("driver/os/src/main/java/io/rdma4j/driver/libc/Calls.java",
        "driver/os/src/main/java/io/rdma4j/driver/libc/VmCalls.java",
        "verbs-api/ibverbs/src/main/java/io/rdma4j/verbs/ibv/lib/Exports.java",
        "verbs-api/ibverbs/src/main/java/io/rdma4j/verbs/ibv/lib/JnaDataCalls.java");
    private static final Pattern NATIVE = Pattern.compile("\\bnative (?:int|long|void) (\\w+)\\(");
    private static final Pattern LOCAL_BUFFER =
        Pattern.compile("^ {8,}(?:final )?\\w*Buffer (\\w+) =[^;]*;", Pattern.MULTILINE);
    private static final String END_OF_METHOD = "\n    }\n";
    private static final Pattern VARIABLE = Pattern.compile(
        "\"((?:RDMA4J|XDG)_[A-Z_]+|FI_MR_[A-Z_]*CACHE[A-Z_]*|FI_HMEM_[A-Z0-9_]+)\"|getenv\\(\"(\\w+)\"\\)");
    private static final Pattern NOT_PUBLISHED =
        Pattern.compile("^(benchmarks|qemu-tests|examples|concurrency-tests|test-support)/");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    private static final Pattern ROW = Pattern.compile("\\| `([\\w.-]+:[\\w.-]+)` \\| (\\S+) \\|");
    private static final Pattern COORDINATES = Pattern.compile(
        "<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*<version>([^<]+)</version>");
    private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern VALUE = Pattern.compile("<([\\w.-]+)>([^<]*)</\\1>");
    /** Plugins of the build itself; the page names their groups. */
    private static final Set<String> PLUGINS = Set.of("org.apache.maven.plugins", "org.codehaus.mojo",
        "org.cyclonedx", "org.sonatype.central");

    private static final List<Path> FOLDERS = new ArrayList<>();
    private static String page;

    @BeforeAll
    static void reads() throws IOException {
        addFolders(ROOT);
        page = Files.readString(ROOT.resolve("docs/security.md"));
    }

    private static Stream<String> found(final Pattern pattern, final String text) {
        return pattern.matcher(text).results().map(result -> result.group(1));
    }

    private static void addFolders(final Path folder) throws IOException {
        FOLDERS.add(folder);
        for (final String module : found(MODULE, Files.readString(folder.resolve("pom.xml"))).toList()) {
            addFolders(folder.resolve(module));
        }
    }

    /** Java sources of all modules, by their paths from the root; nothing of what is being built. */
    private static List<String> sources(final String kind) throws IOException {
        final List<String> sources = new ArrayList<>();
        for (final Path folder : FOLDERS) {
            if (Files.isDirectory(folder.resolve(kind))) {
                try (Stream<Path> files = Files.walk(folder.resolve(kind))) {
                    files.filter(file -> file.toString().endsWith(".java"))
                        .forEach(file -> sources.add(ROOT.relativize(file).toString()));
                }
            }
        }
        return sources;
    }

    @Test
    void eachNativeFunctionIsListed() throws IOException {
        final Set<String> bound = new TreeSet<>();
        for (final String file : BOUND) {
            found(NATIVE, Files.readString(ROOT.resolve(file))).forEach(bound::add);
        }
        assertThat(bound).contains("mmap", "process_vm_writev", "ibv_reg_mr", "poll_cq");
        assertThat(found(NAME, page.substring(page.indexOf("## Native calls"))).toList()).containsAll(bound);
    }

    @Test
    void nobodyElseBindsNativeFunctions() throws IOException {
        final Set<String> others = new TreeSet<>();
        for (final String file : sources("src/main/java")) {
            if (!BOUND.contains(file) && !file.startsWith("benchmarks/")
                && NATIVE.matcher(Files.readString(ROOT.resolve(file))).find()) {
                others.add(file);
            }
        }
        assertThat(others).isEmpty();
    }

    /** Those whose names are made of a property's are not seen here. */
    @Test
    void eachVariableOfTheEnvironmentIsListed() throws IOException {
        final Set<String> read = new TreeSet<>();
        for (final String file : sources("src/main/java")) {
            if (!NOT_PUBLISHED.matcher(file).find()) {
                VARIABLE.matcher(Files.readString(ROOT.resolve(file))).results()
                    .forEach(result -> read.add(result.group(1) == null ? result.group(2) : result.group(1)));
            }
        }
        assertThat(read).contains("RDMA4J_TRACE", "FI_MR_CACHE_MONITOR", "GLIBC_TUNABLES");
        assertThat(found(NAME, page).toList()).containsAll(read);
    }

    /** Whether a buffer is not mentioned any more after its address was taken: it may be collected under the call. */
    private static boolean isForgotten(final String name, final String rest) {
        final String address = name + ".addressOffset()";
        final int taken = rest.lastIndexOf(address);
        return taken >= 0
            && !Pattern.compile("\\b" + name + "\\b").matcher(rest.substring(taken + address.length())).find();
    }

    @Test
    void memoryThatACallUsesIsReadOrKeptBehindIt() throws IOException {
        final List<String> forgotten = new ArrayList<>();
        int seen = 0;
        for (final String file : sources("src/main/java")) {
            final String text = Files.readString(ROOT.resolve(file));
            for (final MatchResult local : LOCAL_BUFFER.matcher(text).results().toList()) {
                seen++;
                final String rest = text.substring(local.end(), text.indexOf(END_OF_METHOD, local.end()));
                if (isForgotten(local.group(1), rest)) {
                    forgotten.add(file + ": " + local.group(1));
                }
            }
        }
        assertThat(seen).isGreaterThan(100);
        assertThat(forgotten).isEmpty();
    }

    /** Version of each library that a pom names with one. */
    private static Map<String, String> libraries() throws IOException {
        final Map<String, String> properties = new TreeMap<>();
        for (final Path folder : FOLDERS) {
            VALUE.matcher(Files.readString(folder.resolve("pom.xml"))).results()
                .forEach(value -> properties.putIfAbsent(value.group(1), value.group(2)));
        }
        final Map<String, String> libraries = new TreeMap<>();
        for (final Path folder : FOLDERS) {
            COORDINATES.matcher(Files.readString(folder.resolve("pom.xml"))).results()
                .filter(each -> !each.group(1).startsWith("io.rdma4j") && !PLUGINS.contains(each.group(1)))
                .forEach(each -> libraries.put(each.group(1) + ":" + each.group(2), version(each, properties)));
        }
        return libraries;
    }

    private static String version(final MatchResult coordinates, final Map<String, String> properties) {
        return PROPERTY.matcher(coordinates.group(3)).replaceAll(
            property -> Matcher.quoteReplacement(properties.getOrDefault(property.group(1), property.group())));
    }

    @Test
    void eachLibraryIsListedWithItsVersion() throws IOException {
        final Map<String, String> listed = ROW.matcher(page).results()
            .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2), (one, other) -> one, TreeMap::new));
        assertThat(listed).isEqualTo(libraries()).containsKeys("org.agrona:agrona", "io.aeron:aeron-driver");
        assertThat(page).contains(PLUGINS);
    }

    @Test
    void testsThatItNamesExist() throws IOException {
        final Set<String> tests = sources("src/test/java").stream()
            .map(file -> file.substring(file.lastIndexOf('/') + 1).replace(".java", "")).collect(Collectors.toSet());
        assertThat(tests).containsAll(found(NAME, page).filter(name -> name.endsWith("Test")).toList())
            .contains("SecurityPageTest");
    }

    @Test
    void bothPagesSayWhereWeaknessesAreTold() throws IOException {
        final String way = "Report a vulnerability";
        assertThat(page).contains(way, "SECURITY.md");
        assertThat(Files.readString(ROOT.resolve("SECURITY.md"))).contains(way, "docs/security.md");
    }
}
