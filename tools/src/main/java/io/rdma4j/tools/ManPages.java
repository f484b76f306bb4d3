/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Writes a manual page for each command, of what its help says: section 1, in the macros of man(7). The build runs it
 * ({@code man -l tools/target/man/rdma4j-perf.1} shows one), and so does {@code rdma4j install}.
 */
public final class ManPages {
    private static final String SECTION = ".1";

    private ManPages() {
    }

    /**
     * Writes all of them.
     *
     * @param args the folder.
     * @throws IOException if a file cannot be written.
     */
    public static void main(final String[] args) throws IOException {
        final Path folder = Files.createDirectories(Path.of(args[0]));
        for (final Map.Entry<String, String> page : pages(Main.commandLine()).entrySet()) {
            Files.writeString(folder.resolve(page.getKey()), page.getValue());
        }
    }

    /**
     * The pages of a command and of its subcommands.
     *
     * @param command the command.
     * @return sources by names of files.
     */
    static Map<String, String> pages(final CommandLine command) {
        final Map<String, String> pages = new TreeMap<>();
        pages.put(title(command.getCommandSpec()) + SECTION, page(command));
        for (final CommandLine subcommand : command.getSubcommands().values()) {
            if (!subcommand.getCommandSpec().usageMessage().hidden()) {
                pages.putAll(pages(subcommand));
            }
        }
        return pages;
    }

    /**
     * One page.
     *
     * @param command the command.
     * @return its source.
     */
    static String page(final CommandLine command) {
        final CommandSpec spec = command.getCommandSpec();
        final StringBuilder page = new StringBuilder();
        page.append(String.format(".TH \"%s\" \"1\" \"\" \"rdma4j\" \"rdma4j\"%n",
            escape(title(spec).toUpperCase(Locale.ROOT))));
        section(page, "NAME").append(escape(title(spec))).append(" \\- ")
            .append(escape(firstSentence(spec))).append('\n');
        section(page, "SYNOPSIS").append(".nf\n").append(lines(command.getHelp().synopsis(0))).append(".fi\n");
        section(page, "DESCRIPTION").append(lines(String.join("\n", spec.usageMessage().description())));
        arguments(page, spec);
        commands(page, command);
        exitCodes(page, spec);
        examples(page, spec);
        seeAlso(page, spec);
        return page.toString();
    }

    private static String title(final CommandSpec spec) {
        return spec.qualifiedName("-");
    }

    private static StringBuilder section(final StringBuilder page, final String name) {
        return page.append(".SH \"").append(name).append("\"\n");
    }

    private static String firstSentence(final CommandSpec spec) {
        final String text = plain(String.join(" ", spec.usageMessage().description()));
        final int end = text.indexOf(". ");
        return (end < 0 ? text : text.substring(0, end)).replaceFirst("\\.$", "");
    }

    private static void arguments(final StringBuilder page, final CommandSpec spec) {
        final List<PositionalParamSpec> parameters =
            spec.positionalParameters().stream().filter(p -> !p.hidden()).toList();
        if (!parameters.isEmpty()) {
            section(page, "ARGUMENTS");
            parameters.forEach(parameter -> item(page, parameter.paramLabel(), parameter));
        }
        final List<OptionSpec> options = spec.options().stream().filter(o -> !o.hidden()).toList();
        if (!options.isEmpty()) {
            section(page, "OPTIONS");
            options.forEach(option -> item(page, names(option), option));
        }
    }

    private static String names(final OptionSpec option) {
        final String label = option.arity().max() == 0 ? "" : "=" + option.paramLabel();
        return Stream.of(option.names()).collect(Collectors.joining(", ")) + label;
    }

    private static void item(final StringBuilder page, final String name, final ArgSpec argument) {
        item(page, name, String.join("\n", argument.description()));
    }

    private static void item(final StringBuilder page, final String name, final String text) {
        page.append(".TP\n\\fB").append(escape(name)).append("\\fR\n").append(lines(text));
    }

    private static void commands(final StringBuilder page, final CommandLine command) {
        final List<CommandSpec> shown = command.getSubcommands().values().stream()
            .map(CommandLine::getCommandSpec).filter(spec -> !spec.usageMessage().hidden()).distinct().toList();
        if (!shown.isEmpty()) {
            section(page, "COMMANDS");
            shown.forEach(spec -> item(page, spec.name(), firstSentence(spec) + "."));
        }
    }

    private static void exitCodes(final StringBuilder page, final CommandSpec spec) {
        section(page, "EXIT STATUS");
        spec.root().usageMessage().exitCodeList().forEach((code, text) -> item(page, code, text));
    }

    private static void examples(final StringBuilder page, final CommandSpec spec) {
        if (spec.usageMessage().footer().length > 0) {
            section(page, "EXAMPLES").append(".nf\n")
                .append(lines(String.join("\n", spec.usageMessage().footer()))).append(".fi\n");
        }
    }

    private static void seeAlso(final StringBuilder page, final CommandSpec spec) {
        final List<String> pages = new ArrayList<>();
        if (spec.parent() != null) {
            pages.add(title(spec.parent()));
        }
        spec.subcommands().values().forEach(sub -> pages.add(title(sub.getCommandSpec())));
        if (!pages.isEmpty()) {
            section(page, "SEE ALSO").append(pages.stream().distinct()
                .map(name -> "\\fB" + escape(name) + "\\fR(1)").collect(Collectors.joining(", "))).append('\n');
        }
    }

    private static String lines(final String text) {
        return plain(text).lines().map(ManPages::line).collect(Collectors.joining("\n", "", "\n"));
    }

    /** A line that begins with a control character would be taken for a request. */
    private static String line(final String line) {
        final String escaped = escape(line.stripTrailing());
        return escaped.isEmpty() ? ".sp" : escaped.startsWith(".") || escaped.startsWith("'")
            ? "\\&" + escaped : escaped;
    }

    private static String plain(final String text) {
        return Ansi.OFF.string(text.replace("%n", "\n").replace("%%", "%"));
    }

    private static String escape(final String text) {
        return text.replace("\\", "\\e").replace("-", "\\-");
    }
}
