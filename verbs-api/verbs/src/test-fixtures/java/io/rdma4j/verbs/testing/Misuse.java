/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SharedReceiveQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Every method of every public type, called as it should not be: after closing, while another thread closes, with null,
 * with numbers out of range, with what belongs to another device. A method that is new is covered as soon as it is
 * there; it is expected to refuse unless it is listed as an accessor.
 */
public abstract class Misuse {
    /** What may be asked of something that is closed. All else must be refused, with EBADFD or CLOSED. */
    private static final Map<Class<?>, Set<String>> ANSWERS_WHEN_CLOSED = Map.ofEntries(
        Map.entry(RdmaContext.class, Set.of("address", "attributes", "supports", "whyNot", "peculiarities",
            "reachesAnyMemory", "isFailed", "failure", "reachableBytes", "counters", "dump", "isClosed",
            "pollAsyncEvent", "awaitAsyncEvent")),
        Map.entry(ProtectionDomain.class, Set.of("context", "isClosed")),
        Map.entry(MemoryRegion.class, Set.of("pd", "address", "iova", "length", "access", "lkey", "hasRkey", "rkey",
            "isClosed")),
        Map.entry(PinnedMemory.class, Set.of("address", "length", "buffer", "isClosed")),
        Map.entry(CompletionChannel.class, Set.of("context", "isClosed", "wakeUp")),
        Map.entry(CompletionQueue.class, Set.of("context", "channel", "capacity", "dropped", "isClosed")),
        Map.entry(SharedReceiveQueue.class, Set.of("pd", "maxWr", "maxSge", "isClosed")),
        Map.entry(QueuePair.class, Set.of("pd", "type", "qpNumber", "state", "localAddress", "sendCq", "receiveCq",
            "srq", "maxSendWr", "maxReceiveWr", "maxSendSge", "maxReceiveSge", "maxInline", "failure", "isClosed")),
        Map.entry(AddressHandle.class, Set.of("pd", "attributes", "isClosed")),
        Map.entry(MemoryWindow.class, Set.of("pd", "type", "rkey", "nextRkey", "isClosed")),
        Map.entry(FastRegion.class, Set.of("pd", "maxPages", "lkey", "rkey", "nextKey", "isClosed")),
        // Its memory is the driver's own, and outlives the queue.
        Map.entry(SendTemplate.class, Set.of("queuePair", "size", "wrId", "address", "length", "lkey", "remote",
            "immData", "invalidate", "newKey", "operands", "inline")));
    private static final int[] INTS = {-1, 0, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x1000_0000};
    private static final long[] LONGS = {-1, 0, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 47, -4096};

    /**
     * Opens one more device, which is closed when the test ends.
     *
     * @return an open device.
     */
    protected abstract RdmaContext open();

    static Stream<Class<?>> types() {
        return ANSWERS_WHEN_CLOSED.keySet().stream().sorted(Comparator.comparing(Class::getSimpleName));
    }

    /** Those to which something can be given. */
    static Stream<Arguments> methods() {
        return types().flatMap(type -> methodsOf(type).filter(method -> method.getParameterCount() > 0)
            .map(method -> Arguments.of(type, method)));
    }

    private static Stream<Method> methodsOf(final Class<?> type) {
        return Arrays.stream(type.getMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.getName().equals("close"))
            .sorted(Comparator.comparing(Method::toString));
    }

    /** What came of a call: a value, or an exception. */
    private record Outcome(Object value, Throwable thrown) {
        static Outcome of(final Method method, final Object target, final Object... arguments) {
            try {
                return new Outcome(method.invoke(target, arguments), null);
            } catch (final InvocationTargetException e) {
                return new Outcome(null, e.getCause());
            } catch (final IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }

        boolean isCode(final int code) {
            return thrown == null && value instanceof Integer && (Integer) value == code;
        }

        boolean isErrno(final int errno) {
            return thrown instanceof RdmaException && ((RdmaException) thrown).errno() == errno;
        }

        /** What the argument is to blame for. */
        boolean isInvalid() {
            return isErrno(RdmaException.EINVAL) || isCode(ReturnCode.INVALID_REQUEST)
                || thrown != null && thrown.getClass() == IllegalArgumentException.class;
        }

        void giveBack() throws Exception {
            if (value instanceof AutoCloseable) {
                ((AutoCloseable) value).close();
            }
        }

        @Override
        public String toString() {
            if (thrown == null) {
                return "returned " + value;
            }
            return "threw " + thrown + (thrown.getStackTrace().length > 0 ? " at " + thrown.getStackTrace()[0] : "");
        }
    }

    private Ladder ladder() {
        return new Ladder(open());
    }

    private Ladder ladderWith(final Class<?> type) {
        final Ladder ladder = ladder();
        assumeTrue(ladder.get(type) != null, () -> type.getSimpleName() + ": the device makes none");
        return ladder;
    }

    /** Others that use the object are gone by then, so that it can be closed. */
    private static void close(final Ladder ladder, final Class<?> type) throws Exception {
        if (type == MemoryRegion.class) {
            ((MemoryWindow) ladder.get(MemoryWindow.class)).close();
        }
        ladder.close(type);
    }

    /** One object for all methods: what is closed is not changed by any. */
    @ParameterizedTest
    @MethodSource("types")
    void afterClosingEachMethodKeepsItsRule(final Class<?> type) throws Exception {
        final Ladder ladder = ladderWith(type);
        final List<Object[]> arguments = methodsOf(type).map(ladder::arguments).toList();
        close(ladder, type);
        assertAllRefusedAsClosed(ladder, type, arguments);
    }

    /** The same, where all is closed together with the device. */
    @ParameterizedTest
    @MethodSource("types")
    void afterClosingTheDeviceEachMethodKeepsItsRule(final Class<?> type) {
        final Ladder ladder = ladderWith(type);
        final List<Object[]> arguments = methodsOf(type).map(ladder::arguments).toList();
        ladder.context.close();
        assertAllRefusedAsClosed(ladder, type, arguments);
    }

    private static void assertAllRefusedAsClosed(
        final Ladder ladder, final Class<?> type, final List<Object[]> arguments) {
        final List<Method> methods = methodsOf(type).toList();
        assertThat(methods).isNotEmpty();
        for (int i = 0; i < methods.size(); i++) {
            final Method method = methods.get(i);
            assertRefusedAsClosed(type, method, Outcome.of(method, ladder.get(type), arguments.get(i)));
        }
    }

    private static void assertRefusedAsClosed(final Class<?> type, final Method method, final Outcome outcome) {
        if (ANSWERS_WHEN_CLOSED.get(type).contains(method.getName())) {
            assertThat(outcome.thrown() == null || outcome.isInvalid() || outcome.isErrno(RdmaException.EBADFD))
                .as("%s: %s", method, outcome).isTrue();
        } else {
            assertThat(outcome.isErrno(RdmaException.EBADFD) || outcome.isCode(ReturnCode.CLOSED))
                .as("%s: %s", method, outcome).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("types")
    void closingTwiceIsHarmless(final Class<?> type) throws Exception {
        final Ladder ladder = ladderWith(type);
        close(ladder, type);
        ladder.close(type);
        ladder.context.close();
        ladder.close(type);
        if (type != SendTemplate.class) {
            assertThat(type.getMethod("isClosed").invoke(ladder.get(type))).isEqualTo(true);
        }
        assertThat(ladder.get(type).toString()).isNotBlank();
    }

    @ParameterizedTest
    @MethodSource("methods")
    void nullIsRefusedByEachMethodForEachParameter(final Class<?> type, final Method method) throws Exception {
        final Ladder ladder = ladderWith(type);
        for (int i = 0; i < method.getParameterCount(); i++) {
            final Class<?> parameter = method.getParameterTypes()[i];
            if (parameter.isPrimitive() || parameter == Object.class) {
                continue;
            }
            final Object[] arguments = ladder.arguments(method);
            arguments[i] = null;
            assertInvalid(Outcome.of(method, ladder.get(type), arguments), "null as parameter " + i);
            if (parameter.isArray()) {
                arguments[i] = java.lang.reflect.Array.newInstance(parameter.getComponentType(), 1);
                assertInvalid(Outcome.of(method, ladder.get(type), arguments), "null in parameter " + i);
            }
        }
        assertThat(ladder.context.isFailed()).as(ladder.context.failure()).isFalse();
    }

    private static void assertInvalid(final Outcome outcome, final String what) throws Exception {
        outcome.giveBack();
        assertThat(outcome.isInvalid()).as("%s: %s", what, outcome).isTrue();
    }

    @ParameterizedTest
    @MethodSource("methods")
    void numbersOutOfRangeAreRefusedOrHarmless(final Class<?> type, final Method method) throws Exception {
        final Ladder ladder = ladderWith(type);
        for (int i = 0; i < method.getParameterCount(); i++) {
            final Class<?> parameter = method.getParameterTypes()[i];
            final List<Object> values = new ArrayList<>();
            if (parameter == int.class) {
                Arrays.stream(INTS).forEach(values::add);
            } else if (parameter == long.class) {
                Arrays.stream(LONGS).forEach(values::add);
            }
            for (final Object value : values) {
                final Object[] arguments = ladder.arguments(method);
                arguments[i] = value;
                final Outcome outcome = Outcome.of(method, ladder.get(type), arguments);
                outcome.giveBack();
                assertThat(outcome.thrown()).as("%s as parameter %d: %s", value, i, outcome).satisfiesAnyOf(
                    thrown -> assertThat(thrown).isNull(),
                    thrown -> assertThat(thrown).isInstanceOf(RdmaException.class),
                    thrown -> assertThat(thrown.getClass()).isEqualTo(IllegalArgumentException.class),
                    thrown -> assertThat(thrown.getClass()).isEqualTo(IndexOutOfBoundsException.class));
            }
        }
        assertThat(ladder.context.isFailed()).as(ladder.context.failure()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("methods")
    void whatBelongsToAnotherDeviceIsRefused(final Class<?> type, final Method method) throws Exception {
        if (Arrays.stream(method.getParameterTypes()).noneMatch(Misuse::isOfADevice)) {
            return;
        }
        final Ladder ladder = ladderWith(type);
        final Ladder other = ladder();
        for (int i = 0; i < method.getParameterCount(); i++) {
            final Object foreign = Ladder.foreign(method.getParameterTypes()[i], other);
            if (foreign != null) {
                final Object[] arguments = ladder.arguments(method);
                arguments[i] = foreign;
                final Outcome outcome = Outcome.of(method, ladder.get(type), arguments);
                outcome.giveBack();
                assertThat(outcome.isErrno(RdmaException.EINVAL) || outcome.isCode(ReturnCode.FOREIGN_OBJECT))
                    .as("parameter %d: %s", i, outcome).isTrue();
            }
        }
    }

    private static boolean isOfADevice(final Class<?> type) {
        return ANSWERS_WHEN_CLOSED.containsKey(type);
    }

    /** Another thread calls everything in turn, as the rules allow, until it finds the object closed. */
    @ParameterizedTest
    @MethodSource("types")
    void closingFromAnotherThreadDisturbsNobody(final Class<?> type) throws Exception {
        for (int round = 0; round < 3; round++) {
            final Ladder ladder = ladderWith(type);
            final CountDownLatch warm = new CountDownLatch(2);
            final FutureTask<Void> user = new FutureTask<>(() -> useUntilClosed(ladder, type, warm));
            start(user);
            assertThat(warm.await(30, TimeUnit.SECONDS) || user.isDone()).isTrue();
            if (round % 2 == 0) {
                closeWhenPossible(ladder, type);
            }
            ladder.context.close();
            user.get(30, TimeUnit.SECONDS);
        }
    }

    private static void start(final FutureTask<Void> task) {
        final Thread thread = new Thread(task, "user");
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeWhenPossible(final Ladder ladder, final Class<?> type) throws Exception {
        try {
            close(ladder, type);
        } catch (final RdmaException e) {
            // What the other thread made of it may use it.
            assertThat(e.errno()).as(e.getMessage()).isEqualTo(RdmaException.EBUSY);
        }
    }

    private static Void useUntilClosed(final Ladder ladder, final Class<?> type, final CountDownLatch warm)
        throws Exception {
        final List<Method> methods = methodsOf(type).toList();
        final List<Object[]> arguments = methods.stream().map(ladder::arguments).toList();
        for (int round = 0; !ladder.context.isClosed(); round++) {
            for (int i = 0; i < methods.size(); i++) {
                final Outcome outcome = Outcome.of(methods.get(i), ladder.get(type), arguments.get(i));
                if (outcome.thrown() != null && !(outcome.thrown() instanceof RdmaException)
                    && outcome.thrown().getClass() != IllegalArgumentException.class) {
                    fail(methods.get(i) + ": " + outcome, outcome.thrown());
                }
                giveBack(outcome);
            }
            warm.countDown();
        }
        warm.countDown();
        warm.countDown();
        return null;
    }

    /** Some accessors give out the object itself, or what it belongs to. */
    private static void giveBack(final Outcome outcome) throws Exception {
        if (outcome.value() instanceof io.rdma4j.verbs.AsyncEventSubscription
            || outcome.value() instanceof MemoryRegion) {
            outcome.giveBack();
        }
    }
}
