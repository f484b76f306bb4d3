/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the test classes of a module, in the module's folder and with its class path. Several workers may do so at once,
 * each in a process of its own: a class belongs to the first one that makes a file of its name in the folder of claims.
 * With {@code -Drdma4j.rounds=N} it does so N times; each round has claims of its own. With
 * {@code -Drdma4j.longest.test=SECONDS} a test that takes longer ends the process, with exit code 3.
 *
 * <p>Single-threaded, but for what tests do.
 */
public final class TestWorker {
    /** The outermost class and what is nested in it are one. */
    private static final Pattern NESTED = Pattern.compile("\\$.*");
    private static final String WITHOUT = "!";
    /** How often all is run. */
    private static final String ROUNDS = "rdma4j.rounds";
    /** How long a test may take, in seconds; 0 for as long as its own timeout says. */
    private static final String LONGEST = "rdma4j.longest.test";
    private static final int HANGS = 3;

    private final Launcher launcher = LauncherFactory.create();
    private final Path claims;
    private final TagFilters filters;

    private record TagFilters(List<String> included, List<String> excluded) {
        static TagFilters parse(final String text) {
            final List<String> words = List.of(text.split(","));
            return new TagFilters(
                words.stream().filter(word -> !word.isEmpty() && !word.startsWith(WITHOUT)).toList(),
                words.stream().filter(word -> word.startsWith(WITHOUT)).map(word -> word.substring(1)).toList());
        }

        LauncherDiscoveryRequest request(final List<? extends DiscoverySelector> selectors) {
            final LauncherDiscoveryRequestBuilder builder = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors);
            if (!included.isEmpty()) {
                builder.filters(TagFilter.includeTags(included));
            }
            if (!excluded.isEmpty()) {
                builder.filters(TagFilter.excludeTags(excluded));
            }
            return builder.build();
        }
    }

    private TestWorker(final Path claims, final TagFilters filters) {
        this.claims = claims;
        this.filters = filters;
    }

    /**
     * Entry point. The exit code is 0 whatever the tests say; what they say is in the file.
     *
     * @param args the folder of test classes; the file that gets a line for each test, see {@link ResultLines}; the
     *             folder of claims; tags, separated by commas, {@code !} before one that is left out; and, if only some
     *             are meant, names of classes, with or without their package, or {@code Class#method}.
     * @throws IOException if a file cannot be written.
     */
    public static void main(final String[] args) throws IOException {
        final long longest = TimeUnit.SECONDS.toNanos(Long.getLong(LONGEST, 0));
        final List<TestExecutionListener> guards =
            longest == 0 ? List.of() : List.of(new HangGuard(longest, TestWorker::end));
        work(Integer.getInteger(ROUNDS, 1), guards, args);
        // Threads that a test left behind do not keep it.
        Runtime.getRuntime().exit(0);
    }

    /** Nothing else may be left to happen: the thread of the test is stuck. */
    private static void end(final String why) {
        System.out.println("HANGS " + why);
        System.out.flush();
        Runtime.getRuntime().halt(HANGS);
    }

    static void work(final int rounds, final List<TestExecutionListener> guards, final String... args)
        throws IOException {
        final TestWorker worker = new TestWorker(Path.of(args[2]), TagFilters.parse(args[3]));
        guards.forEach(worker.launcher::registerTestExecutionListeners);
        try (ResultLines results = new ResultLines(Path.of(args[1]))) {
            final List<String> wanted = List.of(args).subList(4, args.length);
            final Set<String> classes = worker.classes(Path.of(args[0]));
            for (int round = 1; round <= rounds; round++) {
                worker.run(classes, wanted, round, results);
            }
        }
    }

    private void run(final Set<String> classes, final List<String> wanted, final int round, final ResultLines results)
        throws IOException {
        for (final String name : classes) {
            if (wanted.isEmpty()) {
                if (claim(round == 1 ? name : name + '@' + round)) {
                    launcher.execute(filters.request(List.of(selectClass(name))), results);
                }
            } else {
                for (final String one : wanted) {
                    runIfMeant(name, one, results);
                }
            }
        }
        results.round(round);
    }

    private void runIfMeant(final String name, final String wanted, final ResultLines results) {
        final int hash = wanted.indexOf('#');
        final String type = hash < 0 ? wanted : wanted.substring(0, hash);
        if (name.equals(type) || name.endsWith('.' + type)) {
            launcher.execute(filters.request(
                hash < 0 ? List.of(selectClass(name)) : methods(name, wanted.substring(hash + 1))), results);
        }
    }

    /** All of that name, whatever they take. */
    private static List<? extends DiscoverySelector> methods(final String type, final String name) {
        try {
            return Stream.of(Class.forName(type).getDeclaredMethods()).filter(method -> method.getName().equals(name))
                .map(method -> selectMethod(method.getDeclaringClass(), method)).toList();
        } catch (final ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean claim(final String name) throws IOException {
        try {
            Files.createFile(claims.resolve(name));
            return true;
        } catch (final FileAlreadyExistsException ignored) {
            return false;
        }
    }

    /** All that have tests with such tags. */
    private Set<String> classes(final Path root) {
        final TestPlan plan = launcher.discover(filters.request(selectClasspathRoots(Set.of(root))));
        final Set<String> names = new TreeSet<>();
        plan.getRoots().forEach(engine -> plan.getDescendants(engine).stream()
            .map(TestIdentifier::getSource).flatMap(source -> source.stream())
            .filter(ClassSource.class::isInstance)
            .forEach(source -> names.add(NESTED.matcher(((ClassSource) source).getClassName()).replaceFirst(""))));
        return names;
    }
}
