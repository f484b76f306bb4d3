/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.misuse;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.testing.CampaignSeeds;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * Calls of both interfaces, and those that threw what is neither their exception nor one that the Javadoc names.
 * Thread-safe.
 */
final class Calls {
    private static final String VERBS = "io.rdma4j.verbs";
    private static final String FABRIC = "io.rdma4j.fabric";
    private static final Documented DOCUMENTED = Documented.read(VERBS, FABRIC);

    private final List<String> surprises = Collections.synchronizedList(new ArrayList<>());

    /** The public types of both. */
    static Stream<Class<?>> types() {
        return Stream.concat(PublicTypes.of(VERBS).stream(), PublicTypes.of(FABRIC).stream());
    }

    List<String> surprises() {
        return surprises;
    }

    /** The value, or null where something was thrown; what nobody would expect is kept. */
    Object call(final Object target, final Executable executable, final Object... arguments)
        throws ReflectiveOperationException {
        CampaignSeeds.count("calls", 1);
        try {
            return executable instanceof Method ? ((Method) executable).invoke(target, arguments)
                : ((Constructor<?>) executable).newInstance(arguments);
        } catch (final InvocationTargetException e) {
            final Throwable thrown = e.getCause();
            if (!isMeant(executable, thrown)) {
                surprises.add(executable + " with " + text(arguments) + ": " + thrown + " at "
                    + Arrays.stream(thrown.getStackTrace()).limit(3).toList());
            }
            return null;
        }
    }

    private static boolean isMeant(final Executable executable, final Throwable thrown) {
        final boolean fabric = executable.getDeclaringClass().getName().startsWith(FABRIC);
        return thrown.getClass() == (fabric ? FabricException.class : RdmaException.class)
            || DOCUMENTED.names(executable, thrown);
    }

    private static String text(final Object... arguments) {
        final String text = Arrays.deepToString(arguments);
        return text.length() < 200 ? text : text.substring(0, 200) + "...";
    }
}
