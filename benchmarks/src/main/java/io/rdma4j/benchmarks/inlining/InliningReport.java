/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.inlining;

import io.rdma4j.benchmarks.harness.Machine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Follows calls of the application through what was compiled, and tells of it in Markdown. */
final class InliningReport {
    private static final String OURS = "io.rdma4j.";
    private static final String DEVICE = "io.rdma4j.device.";
    /** Bytecodes of methods that are too small to be worth a line. */
    private static final int SMALL = 12;
    /** Calls in a compiled method that is not worth one either. */
    private static final int FEW = 20;

    private final CompilationLog log;
    private final Map<String, CompilationLog.Call> roots = new LinkedHashMap<>();
    private final Map<String, Piece> pieces = new LinkedHashMap<>();

    InliningReport(final CompilationLog log) {
        this.log = log;
    }

    /** A method that was compiled by itself, and what is in it. */
    private static final class Piece {
        private final CompilationLog.Call root;
        private final Set<String> from = new LinkedHashSet<>();
        private final List<CompilationLog.Call> remaining = new ArrayList<>();
        private final List<CompilationLog.Call> guarded = new ArrayList<>();
        private int inlined;
        private int levels;

        Piece(final CompilationLog.Call root) {
            this.root = root;
            count(root, 1);
        }

        private void count(final CompilationLog.Call of, final int level) {
            for (final CompilationLog.Call call : of.calls) {
                if (call.inlined) {
                    inlined++;
                    levels = Math.max(levels, level);
                    if (call.guarded) {
                        guarded.add(call);
                    }
                    count(call, level + 1);
                } else if (!call.isRare()) {
                    remaining.add(call);
                }
            }
        }
    }

    /** Adds a method of the application, and all that it calls. */
    void add(final String method, final String label) {
        final CompilationLog.Call root = log.compiled(method);
        if (root == null) {
            throw new IllegalStateException(method + " was not compiled in time: the machine is too busy");
        }
        roots.put(label, root);
        reach(root, label);
    }

    private void reach(final CompilationLog.Call root, final String label) {
        final Piece piece = pieces.computeIfAbsent(root.name + root.parameters, name -> new Piece(root));
        if (piece.from.add(label)) {
            for (final CompilationLog.Call call : piece.remaining) {
                targets(call).forEach(target -> reach(target, label));
            }
        }
    }

    /** What was compiled of a called method; of one that depends on the object, that of each class that was seen. */
    private List<CompilationLog.Call> targets(final CompilationLog.Call call) {
        final Set<CompilationLog.Call> found = new LinkedHashSet<>();
        found.add(log.compiled(call, call.inClass()));
        for (final String receiver : call.receivers) {
            found.add(log.compiled(call, receiver.substring(0, receiver.indexOf(' '))));
        }
        found.remove(null);
        return List.copyOf(found);
    }

    /** Calls on the path whose target is looked up each time, because the compiler knew too many or none. */
    long dispatched() {
        return pieces.values().stream().flatMap(piece -> piece.remaining.stream()).filter(call -> call.dispatched)
            .count();
    }

    List<String> lines() {
        final List<String> lines = new ArrayList<>();
        summary(lines);
        compiled(lines);
        guarded(lines);
        trees(lines);
        lines.addAll(Machine.describe());
        return lines;
    }

    private void summary(final List<String> lines) {
        lines.add("| call | compiled methods that it runs through | calls inlined in them | calls that remain "
            + "| of these looked up in the object |");
        lines.add("|---|--:|--:|--:|--:|");
        for (final String label : roots.keySet()) {
            final List<Piece> all = pieces.values().stream().filter(piece -> piece.from.contains(label)).toList();
            lines.add(String.format(Locale.ROOT, "| %s | %d | %,d | %d | %d |", label, all.size(),
                all.stream().mapToInt(piece -> piece.inlined).sum(),
                all.stream().mapToInt(piece -> piece.remaining.size()).sum(),
                all.stream().flatMap(piece -> piece.remaining.stream()).filter(call -> call.dispatched).count()));
        }
    }

    private void compiled(final List<String> lines) {
        lines.add("");
        lines.add("| compiled method | bytes of bytecode | of machine code | calls inlined | levels "
            + "| calls that remain, and how often in a run |");
        lines.add("|---|--:|--:|--:|--:|---|");
        int small = 0;
        for (final Piece piece : pieces.values()) {
            if (piece.remaining.isEmpty() && piece.inlined < FEW) {
                small++;
            } else {
                lines.add(String.format(Locale.ROOT, "| %s | %d | %,d | %d | %d | %s |", piece.root.shortName(),
                    piece.root.bytes, piece.root.codeSize, piece.inlined, piece.levels, remaining(piece)));
            }
        }
        lines.add("");
        lines.add(String.format(Locale.ROOT, "And %d small methods that call nothing.", small));
    }

    /** Grouped by the reason why; what is called from several places counts once, with the sum. */
    private static String remaining(final Piece piece) {
        final Map<String, Map<String, Double>> byReason = new TreeMap<>();
        for (final CompilationLog.Call call : piece.remaining) {
            final String text = call.shortName()
                + (call.dispatched ? " looked up, receivers seen: " + receivers(call) : "");
            byReason.computeIfAbsent(call.decision, reason -> new LinkedHashMap<>())
                .merge(text, call.count < 0 ? Double.NaN : call.share, Double::sum);
        }
        final List<String> groups = new ArrayList<>();
        byReason.forEach((reason, calls) -> {
            final List<String> all = new ArrayList<>();
            calls.forEach((call, times) -> all.add(call
                + (times.isNaN() ? " (not counted)" : String.format(Locale.ROOT, " (%.2f)", times))));
            groups.add("*" + reason + ":* " + String.join(", ", all));
        });
        return String.join("; ", groups);
    }

    private void guarded(final List<String> lines) {
        final Map<String, Set<String>> classes = new TreeMap<>();
        for (final Piece piece : pieces.values()) {
            for (final CompilationLog.Call call : piece.guarded) {
                for (final String receiver : call.receivers) {
                    classes.computeIfAbsent(call.name.substring(call.name.lastIndexOf('.') + 1),
                        name -> new TreeSet<>()).add(simple(receiver.substring(0, receiver.indexOf(' '))));
                }
            }
        }
        lines.add("");
        lines.add("| depends on the object, inlined behind a look at its class | receivers that were seen |");
        lines.add("|---|---|");
        classes.forEach((method, receivers) ->
            lines.add("| " + method + " | " + String.join(", ", receivers) + " |"));
    }

    private static String simple(final String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** Their classes, and how many calls of a hundred each took. */
    private static String receivers(final CompilationLog.Call call) {
        final List<String> all = new ArrayList<>();
        for (final String receiver : call.receivers) {
            final String name = receiver.substring(0, receiver.indexOf(' '));
            final double count = Double.parseDouble(receiver.substring(receiver.indexOf(' ') + 1));
            all.add(String.format(Locale.ROOT, "%s %.0f %%", simple(name),
                call.count > 0 ? Math.min(100, 100 * count / call.count) : 0));
        }
        return all.isEmpty() ? "none" : String.join(", ", all);
    }

    private void trees(final List<String> lines) {
        for (final Map.Entry<String, CompilationLog.Call> root : roots.entrySet()) {
            lines.add("");
            lines.add("<details><summary>" + root.getKey() + "</summary>");
            lines.add("");
            lines.add("```");
            branches(lines, root.getValue(), 0, new LinkedHashSet<>());
            lines.add("```");
            lines.add("");
            lines.add("</details>");
        }
    }

    /** The driver's part. Of the device there is only where it begins; its methods are in the tables. */
    private void branches(
        final List<String> lines, final CompilationLog.Call of, final int depth, final Set<String> open) {
        for (final CompilationLog.Call call : of.calls) {
            if (!call.inlined && call.isRare()) {
                continue;
            }
            final boolean told = call.name.startsWith(OURS) && call.bytes > SMALL || !call.inlined;
            if (told) {
                lines.add("  ".repeat(depth) + call.shortName() + " " + call.bytes
                    + (call.inlined ? "" : ": a call, " + call.decision));
            }
            if (call.inlined && !call.name.startsWith(DEVICE)) {
                branches(lines, call, told ? depth + 1 : depth, open);
            } else if (!call.inlined && !call.name.startsWith(DEVICE)) {
                targets(call).stream().filter(target -> open.add(target.name + target.parameters))
                    .forEach(target -> branches(lines, target, depth + 1, open));
            }
        }
    }
}
