/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.misuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.Steps;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Timeout;

/**
 * Any public methods of both interfaces, found by looking for them, in any order: on objects that are open, closed, or
 * of other devices, with such objects, with extreme numbers, and with memory that is taken away meanwhile; a few by
 * another thread at the same time. The JVM lives, each call comes back, what is thrown is documented, and closing the
 * devices leaves nothing.
 */
@Timeout(120)
class RandomCallsTest {
    private static final int CALLS = 1_000;
    /** One of so many is the other thread's. */
    private static final int ELSEWHERE = 10;
    /** That wait for it. */
    private static final int MOST_WAITING = 4;
    /** One of so many takes memory away. */
    private static final int VANISHES = 500;
    /** Else there is soon nothing that is open. */
    private static final int CLOSES = 3;
    /** Of what calls returned; what is to be closed is always kept. */
    private static final int MOST_KEPT = 200;
    private static final List<Class<?>> TYPES = Calls.types().toList();

    @Campaign(value = "misuse", usual = 3)
    void onlyWhatIsDocumentedComesOut(final long seed) {
        Steps.run(seed, CALLS, steps -> run(seed, steps));
    }

    private static void run(final long seed, final int... steps) throws Exception {
        final Calls calls = new Calls();
        final List<Object> kept = new ArrayList<>();
        try (Surroundings near = new Surroundings(); Surroundings far = new Surroundings();
             OtherThread other = new OtherThread(kept)) {
            kept.addAll(near.vanishing());
            kept.addAll(far.vanishing());
            for (final int step : steps) {
                final SplittableRandom random = Steps.random(seed, step);
                final Surroundings where = random.nextInt(4) == 0 ? far : near;
                if (random.nextInt(VANISHES) == 0) {
                    where.vanish();
                }
                final FutureTask<Object> call = any(calls, random, kept, where);
                if (random.nextInt(ELSEWHERE) == 0) {
                    other.take(call);
                } else {
                    call.run();
                    keep(kept, call.get());
                }
            }
        }
        assertThat(calls.surprises()).isEmpty();
        closeOthers(kept);
    }

    private static void keep(final List<Object> kept, final Object value) {
        if (value != null && value.getClass().getName().startsWith("io.rdma4j.")
            && (kept.size() < MOST_KEPT || value instanceof AutoCloseable)) {
            kept.add(value);
        }
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

    /** A call that is still to be made; it gives null where there is nothing to call it on. */
    private static FutureTask<Object> any(
        final Calls calls, final SplittableRandom random, final List<Object> kept, final Surroundings where) {
        final Class<?> type = TYPES.get(random.nextInt(TYPES.size()));
        final List<Method> methods = PublicTypes.methods(type);
        if (methods.isEmpty()) {
            return nothing();
        }
        final Method method = methods.get(random.nextInt(methods.size()));
        final boolean isStatic = Modifier.isStatic(method.getModifiers());
        final Object target = isStatic ? null : any(random, kept, type, where.values.of(type));
        if (!isStatic && target == null || PublicTypes.ends(method) && random.nextInt(CLOSES) != 0) {
            return nothing();
        }
        final Parameter[] parameters = method.getParameters();
        final Object[] arguments = new Object[parameters.length];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = any(random, kept, parameters[i].getType(),
                where.values.of(parameters[i].getParameterizedType()));
        }
        return new FutureTask<>(() -> calls.call(target, method, arguments));
    }

    private static FutureTask<Object> nothing() {
        return new FutureTask<>(() -> null);
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

    /** Makes calls while the thread of the test makes others, also on objects that are one thread's. */
    private static final class OtherThread implements AutoCloseable {
        private static final String NAME = "misuse";

        private final ThreadPoolExecutor thread = DaemonThreads.pool(NAME, 1, 1);
        private final Deque<FutureTask<Object>> waiting = new ArrayDeque<>();
        private final List<Object> kept;

        OtherThread(final List<Object> kept) {
            this.kept = kept;
        }

        void take(final FutureTask<Object> call) {
            waiting.add(call);
            thread.execute(call);
            awaitAllBut(MOST_WAITING);
        }

        private void awaitAllBut(final int most) {
            while (waiting.size() > most) {
                try {
                    keep(kept, waiting.remove().get(Patience.millis(), TimeUnit.MILLISECONDS));
                } catch (final InterruptedException | ExecutionException | TimeoutException e) {
                    throw new AssertionError("a call of the other thread, which is at " + where(), e);
                }
            }
        }

        @Override
        public void close() {
            awaitAllBut(0);
            thread.shutdown();
        }

        private static String where() {
            return Thread.getAllStackTraces().entrySet().stream().filter(each -> each.getKey().getName().equals(NAME))
                .map(each -> Arrays.toString(each.getValue())).collect(Collectors.joining());
        }
    }
}
