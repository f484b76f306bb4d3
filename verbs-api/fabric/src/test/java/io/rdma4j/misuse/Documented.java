/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.misuse;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.ThrowsTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Executable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The exceptions that the Javadoc of public methods names; from the sources; overloads of one arity share them. */
final class Documented extends TreePathScanner<Void, DocTrees> {
    private final Map<String, Set<String>> byMethod = new HashMap<>();
    private final Deque<String> classes = new ArrayDeque<>();

    static Documented read(final String... packages) {
        final Documented documented = new Documented();
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            for (final String name : packages) {
                final JavacTask task = (JavacTask) compiler.getTask(null, files, null, List.of("-proc:none"), null,
                    files.getJavaFileObjectsFromFiles(sources(name)));
                final DocTrees trees = DocTrees.instance(task);
                for (final CompilationUnitTree unit : task.parse()) {
                    documented.scan(unit, trees);
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return documented;
    }

    private static List<File> sources(final String name) throws IOException {
        final Path folder = PublicTypes.folder(name, "src/main/java");
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(".java")).map(Path::toFile).toList();
        }
    }

    @Override
    public Void visitClass(final ClassTree tree, final DocTrees trees) {
        classes.addLast(tree.getSimpleName().toString());
        super.visitClass(tree, trees);
        classes.removeLast();
        return null;
    }

    @Override
    public Void visitMethod(final MethodTree tree, final DocTrees trees) {
        final DocCommentTree comment = trees.getDocCommentTree(getCurrentPath());
        if (comment != null) {
            final String unit = getCurrentPath().getCompilationUnit().getPackageName().toString();
            final Set<String> thrown = byMethod.computeIfAbsent(
                key(unit + '.' + String.join("$", classes), tree.getName().toString(), tree.getParameters().size()),
                name -> new HashSet<>());
            for (final DocTree tag : comment.getBlockTags()) {
                if (tag instanceof ThrowsTree) {
                    thrown.add(((ThrowsTree) tag).getExceptionName().getSignature());
                }
            }
        }
        return null;
    }

    private static String key(final String type, final String method, final int parameters) {
        return type + '#' + method + '/' + parameters;
    }

    /** Whether the Javadoc names the exception, or one that it is a kind of. */
    boolean names(final Executable executable, final Throwable thrown) {
        final String name = executable instanceof java.lang.reflect.Method ? executable.getName() : "<init>";
        final Set<String> named = byMethod.getOrDefault(
            key(executable.getDeclaringClass().getName(), name, executable.getParameterCount()), Set.of());
        for (Class<?> type = thrown.getClass(); type != RuntimeException.class && type != Throwable.class;
            type = type.getSuperclass()) {
            if (named.contains(type.getSimpleName())) {
                return true;
            }
        }
        return false;
    }
}
