/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.misuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.Steps;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;

/**
 * Any public methods of both interfaces, found by looking for them, in any order: on objects that are open, closed, or
 * of other devices, with such objects and with extreme numbers. The JVM lives, each call comes back, what is thrown is
 * documented, and closing the devices leaves nothing.
 */
@Timeout(120)
class RandomCallsTest {
    private static final int CALLS = 500;
    /** Of what calls returned. */
    private static final int MOST_KEPT = 200;
    private static final List<Class<?>> TYPES = Calls.types().toList();

    @Campaign(value = "misuse", usual = 3)
    void onlyWhatIsDocumentedComesOut(final long seed) {
        Steps.run(seed, CALLS, steps -> run(seed, steps));
    }

    private static void run(final long seed, final int... steps) throws Exception {
        final Calls calls = new Calls();
        final List<Object> kept = new ArrayList<>();
        try (Surroundings near = new Surroundings(); Surroundings far = new Surroundings()) {
            for (final int step : steps) {
                final SplittableRandom random = Steps.random(seed, step);
                final Surroundings where = random.nextInt(4) == 0 ? far : near;
                final Object value = callOne(calls, random, kept, where);
                if (value != null && value.getClass().getName().startsWith("io.rdma4j.") && kept.size() < MOST_KEPT) {
                    kept.add(value);
                }
            }
        }
        assertThat(calls.surprises()).isEmpty();
        closeOthers(kept);
    }

    /** Devices that a call has opened, and what is on them; what is on a device of the surroundings went with it. */
    private static void closeOthers(final List<Object> kept) throws Exception {
        for (int i = kept.size() - 1; i >= 0; i--) {
            if (kept.get(i) instanceof AutoCloseable) {
                try {
                    ((AutoCloseable) kept.get(i)).close();
                } catch (final FabricException stillUsed) {
                    assertThat(stillUsed.errno()).isEqualTo(FiErrno.FI_EBUSY);
                }
            }
        }
    }

    private static Object callOne(
        final Calls calls, final SplittableRandom random, final List<Object> kept, final Surroundings where)
        throws ReflectiveOperationException {
        final Class<?> type = TYPES.get(random.nextInt(TYPES.size()));
        final List<Method> methods = PublicTypes.methods(type);
        if (methods.isEmpty()) {
            return null;
        }
        final Method method = methods.get(random.nextInt(methods.size()));
        final boolean isStatic = Modifier.isStatic(method.getModifiers());
        final Object target = isStatic ? null : any(random, kept, type, where.values.of(type));
        if (!isStatic && target == null) {
            return null;
        }
        final Parameter[] parameters = method.getParameters();
        final Object[] arguments = new Object[parameters.length];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = any(random, kept, parameters[i].getType(),
                where.values.of(parameters[i].getParameterizedType()));
        }
        return calls.call(target, method, arguments);
    }

    /** Mostly what is usual, then anything that is known, or what a call has returned. */
    private static Object any(
        final SplittableRandom random, final List<Object> kept, final Class<?> type, final List<Object> choices) {
        final int way = random.nextInt(8);
        if (way == 0) {
            return choices.get(random.nextInt(choices.size()));
        }
        final List<Object> fitting = way > 3 ? List.of() : kept.stream().filter(type::isInstance).toList();
        return fitting.isEmpty() ? choices.get(0) : fitting.get(random.nextInt(fitting.size()));
    }
}
