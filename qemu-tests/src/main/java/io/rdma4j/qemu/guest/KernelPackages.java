/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which packages hold the distribution's kernel and its modules: found through what the package that always depends on
 * the newest one depends on.
 */
final class KernelPackages {
    private static final Pattern DEPENDS = Pattern.compile("\\s*\\|?(?:Pre)?Depends: (\\S+)");
    /** Packages of one version, in which a number follows: the image, and where Ubuntu keeps its modules. */
    private static final Pattern VERSIONED =
        Pattern.compile("linux-(image|modules|modules-extra)-(unsigned-)?\\d\\S*");

    private KernelPackages() {
    }

    /**
     * Finds the packages to download.
     *
     * @param entryPoints packages that depend on the newest kernel of a kind; the first that exists is taken.
     * @param dependsOf   direct dependencies of a package, empty for one that does not exist.
     * @return the image's package first; empty if the distribution has none of the entry points.
     */
    static List<String> resolve(
        final List<String> entryPoints, final Function<String, List<String>> dependsOf) {
        for (final String entry : entryPoints) {
            final Set<String> found = new LinkedHashSet<>();
            final ArrayDeque<String> open = new ArrayDeque<>(List.of(entry));
            while (!open.isEmpty()) {
                for (final String name : dependsOf.apply(open.remove())) {
                    if (VERSIONED.matcher(name).matches() && found.add(name)) {
                        open.add(name);
                    }
                }
            }
            if (!found.isEmpty()) {
                return found.stream().sorted(KernelPackages::imageFirst).toList();
            }
        }
        return List.of();
    }

    private static int imageFirst(final String a, final String b) {
        return Boolean.compare(b.startsWith("linux-image-"), a.startsWith("linux-image-"));
    }

    /**
     * Reads what {@code apt-cache depends} prints.
     *
     * @param text its output.
     * @return names of packages.
     */
    static List<String> parse(final String text) {
        return text.lines().map(DEPENDS::matcher).filter(Matcher::matches).map(found -> found.group(1)).toList();
    }
}
