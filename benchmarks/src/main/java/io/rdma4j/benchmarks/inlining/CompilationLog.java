/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.inlining;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What HotSpot's second compiler decided for each call, as {@code -XX:+LogCompilation} writes it down. That file keeps
 * apart what {@code -XX:+PrintInlining} mixes, the compiler's threads, and names the receivers with their counts.
 */
final class CompilationLog {
    private static final Pattern ATTRIBUTE = Pattern.compile("([a-z_0-9]+)='([^']*)'");
    /** Lines of a kind that is of no use here, and there are many. */
    private static final String[] READ = {"<task ", "<type ", "<klass ", "<method ", "<parse ", "</parse>", "<bc ",
        "<call ", "<inline_success ", "<inline_fail ", "<intrinsic ", "<task_done ", "</task>"};

    /** Less than once in so many runs does not count as part of the path. */
    private static final double RARE = 0.01;
    private static final Pattern COLD =
        Pattern.compile("never executed|not reached|executed <|cold|low call|Throwable|unloaded");

    private final Map<String, Call> compiled = new HashMap<>();
    private final Map<String, String> names = new HashMap<>();
    private final Map<String, Map<String, String>> methods = new HashMap<>();
    private final Deque<Call> open = new ArrayDeque<>();
    private Map<String, String> task;
    private Call root;
    private double rootRuns;
    private Call last;
    private int bci;

    /** A call and what became of it, with the calls in it if it was inlined. */
    static final class Call {
        /** Class and method. */
        final String name;
        /** What tells it from others of that name. */
        final String parameters;
        final int bytes;
        final int bci;
        /** How often it was seen while there was still a profile taken; negative if nobody counted. */
        final long count;
        /** How often it happens each time that the compiled method runs, as far as the compiler knows. */
        double share;
        final List<Call> calls = new ArrayList<>();
        final List<String> receivers = new ArrayList<>();
        String decision = "";
        boolean inlined;
        /** What is called depends on the object. */
        boolean dispatched;
        /** So did this, and the compiler asks for the class of the object first. */
        boolean guarded;
        int codeSize;
        /** Whose meaning is known only with the call behind it: of an interface, or through a method handle. */
        private boolean preliminary;
        private boolean parsed;

        private Call(
            final String name, final String parameters, final int bytes, final int bci, final long count) {
            this.name = name;
            this.parameters = parameters;
            this.bytes = bytes;
            this.bci = bci;
            this.count = count;
        }

        /** Whether the compiler had a reason to think that it does not happen. */
        boolean isRare() {
            return count == 0 || count > 0 && share < RARE || COLD.matcher(decision).find();
        }

        /** Class and method without the package. */
        String shortName() {
            return name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1);
        }

        String inClass() {
            return name.substring(0, name.lastIndexOf('.'));
        }
    }

    static CompilationLog read(final Path file) throws IOException {
        final CompilationLog log = new CompilationLog();
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                for (final String begin : READ) {
                    if (line.startsWith(begin)) {
                        log.take(begin, line);
                        break;
                    }
                }
            }
        }
        return log;
    }

    /** The last compilation of a method, {@code package.Class.method}, null if there was none. */
    Call compiled(final String name) {
        return compiled.values().stream().filter(call -> call.name.equals(name)).findFirst().orElse(null);
    }

    /** The last compilation of the method that a call is of, in this class; null if there was none. */
    Call compiled(final Call call, final String inClass) {
        return compiled.get(inClass + call.name.substring(call.name.lastIndexOf('.')) + call.parameters);
    }

    private static Map<String, String> attributes(final String line) {
        final Map<String, String> all = new HashMap<>();
        final Matcher matcher = ATTRIBUTE.matcher(line);
        while (matcher.find()) {
            all.put(matcher.group(1), matcher.group(2).replace("&lt;", "<").replace("&gt;", ">"));
        }
        return all;
    }

    private static long number(final Map<String, String> of, final String key) {
        return (long) Double.parseDouble(of.getOrDefault(key, "0"));
    }

    private void take(final String kind, final String line) {
        if (kind.equals("<task ")) {
            begin(attributes(line));
        } else if (task == null) {
            return;
        }
        switch (kind) {
            case "<type ", "<klass " -> name(attributes(line));
            case "<method " -> {
                final Map<String, String> method = attributes(line);
                methods.put(method.get("id"), method);
            }
            case "<bc " -> bci = (int) number(attributes(line), "bci");
            case "<call " -> call(attributes(line));
            case "<parse " -> parse(attributes(line));
            case "</parse>" -> open.poll();
            case "<inline_success ", "<inline_fail ", "<intrinsic " -> decide(kind, attributes(line));
            case "<task_done " -> done(attributes(line));
            default -> {
                // The rest says nothing about calls.
            }
        }
    }

    /** Compilations by the first compiler, and those of loops only, are passed over. */
    private void begin(final Map<String, String> of) {
        task = of.containsKey("level") || of.containsKey("compile_kind") ? null : of;
        names.clear();
        methods.clear();
        open.clear();
        root = null;
        rootRuns = 0;
        last = null;
    }

    private void name(final Map<String, String> of) {
        names.put(of.get("id"), of.get("name"));
    }

    private Call node(final Map<String, String> of) {
        final Map<String, String> method = methods.getOrDefault(of.get("method"), Map.of());
        return new Call(names.get(method.get("holder")) + "." + method.get("name"), parameters(method),
            (int) number(method, "bytes"), bci, number(of, "count"));
    }

    private String parameters(final Map<String, String> method) {
        final StringBuilder all = new StringBuilder("(");
        for (final String id : method.getOrDefault("arguments", "").split(" ")) {
            all.append(names.getOrDefault(id, "")).append(' ');
        }
        return all.append(')').toString();
    }

    private void call(final Map<String, String> of) {
        final Call node = node(of);
        node.share = rootRuns == 0 ? 0
            : node.count * Double.parseDouble(of.getOrDefault("prof_factor", "1")) / rootRuns;
        node.dispatched = of.containsKey("virtual");
        node.preliminary = node.dispatched || of.containsKey("method_handle_intrinsic");
        for (final String receiver : new String[] {"receiver", "receiver2"}) {
            if (of.containsKey(receiver)) {
                node.receivers.add(names.get(of.get(receiver)) + " " + of.get(receiver + "_count"));
            }
        }
        if (last != null && last.preliminary && last.decision.isEmpty() && last.bci == node.bci) {
            node.receivers.addAll(last.receivers);
            node.guarded = last.dispatched;
            parent().remove(last);
        }
        parent().add(node);
        last = node;
    }

    private List<Call> parent() {
        return open.isEmpty() ? new ArrayList<>() : open.peek().calls;
    }

    private void decide(final String kind, final Map<String, String> of) {
        if (last == null) {
            return;
        }
        last.inlined = !kind.equals("<inline_fail ");
        last.decision = kind.equals("<intrinsic ") ? "intrinsic" : of.get("reason");
        last.parsed = kind.equals("<intrinsic ");
    }

    private void parse(final Map<String, String> of) {
        final Call node = node(of);
        Call found = node;
        if (open.isEmpty()) {
            root = root == null ? node : root;
            rootRuns = rootRuns == 0 ? Double.parseDouble(of.getOrDefault("uses", "0")) : rootRuns;
        } else {
            for (final Call call : open.peek().calls) {
                if (call.inlined && !call.parsed && call.name.equals(node.name)) {
                    found = call;
                }
            }
        }
        found.parsed = true;
        open.push(found);
        last = null;
    }

    private void done(final Map<String, String> of) {
        if (root != null && "1".equals(of.get("success"))) {
            root.codeSize = (int) number(of, "nmsize");
            compiled.put(root.name + root.parameters, root);
        }
        task = null;
    }
}
