/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.misuse;

import static org.assertj.core.api.Assertions.assertThat;


import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Every public constructor and method of both interfaces, found by looking for them: null and extreme numbers for each
 * parameter, and all parameters null or 0. What comes out is a value, the exception of the interface, or another one
 * that the Javadoc of the method names.
 */
@Tag("slow")
class AnyArgumentsTest {
    /** Objects with odd contents that are looked at, of each constructor. */
    private static final int MOST_VARIANTS = 40;

    private final Calls calls = new Calls();

    static Stream<Class<?>> types() {
        return Calls.types();
    }

    @ParameterizedTest
    @MethodSource("types")
    void onlyWhatIsDocumentedComesOut(final Class<?> type) throws Exception {
        try (Surroundings surroundings = new Surroundings()) {
            for (final Constructor<?> constructor : type.getConstructors()) {
                for (final Object odd : construct(surroundings, constructor)) {
                    lookAt(odd);
                }
            }
            for (final Method method : PublicTypes.methods(type)) {
                for (final Object[] arguments : variations(surroundings, method)) {
                    final Object value = calls.call(target(surroundings, method, type), method, arguments);
                    // What belongs to a device of the surroundings is closed with it.
                    if (Modifier.isStatic(method.getModifiers()) && value instanceof AutoCloseable) {
                        ((AutoCloseable) value).close();
                    }
                }
            }
        }
        assertThat(calls.surprises()).isEmpty();
    }

    private List<Object> construct(final Surroundings surroundings, final Constructor<?> constructor)
        throws ReflectiveOperationException {
        final List<Object> made = new ArrayList<>();
        for (final Object[] arguments : variations(surroundings, constructor)) {
            final Object object = calls.call(null, constructor, arguments);
            if (object != null && made.size() < MOST_VARIANTS) {
                made.add(object);
            }
        }
        return made;
    }

    /** Accessors and the text of an object that was made of anything. */
    private void lookAt(final Object object) throws ReflectiveOperationException {
        for (final Method method : PublicTypes.methods(object.getClass())) {
            if (method.getParameterCount() == 0 && !Modifier.isStatic(method.getModifiers())) {
                calls.call(object, method);
            }
        }
    }

    /** Of the usual arguments each is replaced in turn; at last all are null or 0. */
    private static List<Object[]> variations(final Surroundings surroundings, final Executable executable) {
        final Type[] types = executable.getGenericParameterTypes();
        final List<List<Object>> choices =
            Arrays.stream(types).map(surroundings.values::of).toList();
        final Object[] usual = choices.stream().map(choice -> choice.get(0)).toArray();
        final List<Object[]> all = new ArrayList<>();
        all.add(usual);
        for (int i = 0; i < types.length; i++) {
            for (final Object value : choices.get(i)) {
                final Object[] arguments = usual.clone();
                arguments[i] = value;
                all.add(arguments);
            }
        }
        all.add(Arrays.stream(executable.getParameterTypes())
            .map(type -> type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null).toArray());
        return all;
    }

    private static Object target(final Surroundings surroundings, final Method method, final Class<?> type) {
        if (Modifier.isStatic(method.getModifiers())) {
            return null;
        }
        return surroundings.values.of(type).get(0);
    }
}
