/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.misuse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The public types of a package and their public methods, found in the folder of the classes. */
final class PublicTypes {
    /** Looking for them takes longer than most calls. */
    private static final ClassValue<List<Method>> METHODS = new ClassValue<>() {
        @Override
        protected List<Method> computeValue(final Class<?> type) {
            return find(type);
        }
    };

    private PublicTypes() {
    }

    /** Of a package, in its module beside this one: that of {@code io.rdma4j.verbs} is {@code verbs}. */
    static Path folder(final String name, final String kind) {
        return Path.of(System.getProperty("basedir"), "..", name.split("\\.")[2], kind, name.replace('.', '/'));
    }

    static List<Class<?>> of(final String name) {
        final Path folder = folder(name, "target/classes");
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
                .<Class<?>>map(file -> load(name + '.' + file.substring(0, file.length() - ".class".length())))
                .filter(PublicTypes::isPublic)
                .sorted(Comparator.comparing(Class::getName)).toList();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Class<?> load(final String name) {
        try {
            return Class.forName(name);
        } catch (final ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isPublic(final Class<?> type) {
        return !type.isAnonymousClass() && Modifier.isPublic(type.getModifiers())
            && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
    }

    /** With those that are inherited from another one of ours; what ends the object comes last. */
    static List<Method> methods(final Class<?> type) {
        return METHODS.get(type);
    }

    static boolean ends(final Method method) {
        return method.getName().equals("close") || method.getName().equals("shutdown");
    }

    private static List<Method> find(final Class<?> type) {
        return Arrays.stream(type.getMethods())
            .filter(method -> method.getDeclaringClass().getName().startsWith("io.rdma4j.") && !method.isSynthetic())
            .filter(method -> !type.isEnum() || !method.getName().startsWith("valueOf"))
            .filter(method -> !method.getName().equals("equals"))
            .sorted(Comparator.comparing(PublicTypes::ends).thenComparing(Method::toString)).toList();
    }
}
