/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import io.rdma4j.tools.text.FileFailure;
import io.rdma4j.tools.text.OwnFile;

import java.io.IOException;
import java.nio.file.Path;

/** Text that goes into a page, and what all pages look like. */
final class Html {
    /** How many colours there are; they differ in lightness too, for eyes that see few colours. */
    static final int COLOURS = 6;

    static final String STYLE = """
        :root { color-scheme: light dark; --back: #ffffff; --text: #1c2330; --soft: #5b6575; --grid: #dfe3ea;
          --c0: #0b62c4; --c1: #d9480f; --c2: #0f7b55; --c3: #8a3ffc; --c4: #b58900; --c5: #c2255c; }
        @media (prefers-color-scheme: dark) { :root { --back: #14181f; --text: #e6e9ef; --soft: #9aa4b2;
          --grid: #2a313c; --c0: #6cb2ff; --c1: #ff9a62; --c2: #5fd3a5; --c3: #c4a1ff; --c4: #f0c94a;
          --c5: #ff8fb3; } }
        body { background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif;
          max-width: 960px; margin: 2em auto; padding: 0 1em; }
        h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
        figure { margin: 1.5em 0; } figcaption { font-weight: 600; }
        svg { width: 100%; height: auto; display: block; } svg text { fill: var(--soft); font-size: 12px; }
        svg .title { font-size: 13px; } .grid { stroke: var(--grid); fill: none; }
        .line { fill: none; stroke-width: 2.2; } .dashed { stroke-dasharray: 7 4; }
        .dot { stroke: none; } .dot.hidden { opacity: 0; } .dot:hover { opacity: 1; }
        .legend { list-style: none; padding: 0; margin: .3em 0; display: flex; flex-wrap: wrap; gap: .2em 1.4em; }
        .legend li { display: flex; align-items: center; gap: .5em; } .key { width: 28px; height: 10px; }
        path.c0 { stroke: var(--c0); } path.c1 { stroke: var(--c1); } path.c2 { stroke: var(--c2); }
        path.c3 { stroke: var(--c3); } path.c4 { stroke: var(--c4); } path.c5 { stroke: var(--c5); }
        circle.c0 { fill: var(--c0); } circle.c1 { fill: var(--c1); } circle.c2 { fill: var(--c2); }
        circle.c3 { fill: var(--c3); } circle.c4 { fill: var(--c4); } circle.c5 { fill: var(--c5); }
        .scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th, td { padding: .25em .8em; border-bottom: 1px solid var(--grid); text-align: right; white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; } p.soft, dd { color: var(--soft); }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .1em 1em; } dt { font-weight: 600; }
        dd { margin: 0; }
        """;

    private Html() {
    }

    /** A page that refers to nothing outside of itself. */
    static String page(final String title, final CharSequence body) {
        return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
            + "<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
            + escape(title) + "</title>\n<style>\n" + STYLE + "</style>\n</head>\n<body>\n<h1>" + escape(title)
            + "</h1>\n" + body + "</body>\n</html>\n";
    }

    /** ENOENT, EACCES or EIO if the file cannot be written. */
    static void write(final Path file, final String page) {
        try {
            OwnFile.write(file, out -> out.write(page));
        } catch (final IOException e) {
            throw FileFailure.of("plot", file, e).build();
        }
    }

    /** Text that is no markup, whatever is in it. */
    static String escape(final String text) {
        final StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            final char c = text.charAt(i);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.append(c < ' ' ? ' ' : c);
            }
        }
        return out.toString();
    }
}
