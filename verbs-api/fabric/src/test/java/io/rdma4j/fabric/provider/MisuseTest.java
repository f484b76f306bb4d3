/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.EventReader;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.SharedReceiveOptions;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Every method of fabrics, domains, regions, counters and event queues: after closing, with null, with any number. */
@Timeout(120)
class MisuseTest {
    /** What may be asked of something that is closed. All else is refused with FI_EBADFD. */
    private static final Map<Class<?>, Set<String>> ANSWERS_WHEN_CLOSED = Map.of(
        Fabric.class, Set.of("info", "isClosed"),
        Domain.class, Set.of("info", "isClosed", "cache"),
        MemoryRegion.class, Set.of("domain", "address", "length", "access", "base", "key", "rawKeySize", "context",
            "isEnabled", "isClosed"),
        Counter.class, Set.of("domain", "read", "readError", "isClosed", "fd", "waitObject", "signal", "tryWait"),
        EventQueue.class, Set.of("size", "isClosed", "fd", "waitObject", "signal"));
    /** Who an event is about, and its context; the service of a passive endpoint. */
    private static final Set<String> MAY_BE_NULL = Set.of("write", "openPassiveEndpoint");
    private static final long[] LONGS = {-1, 0, 1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 47, -4096};
    private static final int[] INTS = {-1, 0, 1, Integer.MIN_VALUE, Integer.MAX_VALUE};
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final Map<Class<?>, Object> objects = new LinkedHashMap<>();
    private final Map<Class<?>, Object> arguments = new LinkedHashMap<>();
    private RdmaContext context;

    @BeforeEach
    void open() {
        context = RdmaDevices.open("emulated:fm" + NAMES.incrementAndGet());
        final Fabric fabric = Fabrics.open(Fabrics.getInfo(new Hints().context(context)
            .capabilities(Capability.MSG, Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT)).get(0));
        final Domain domain = fabric.openDomain(fabric.info());
        final MrAttributes attributes = new MrAttributes().buffer(ByteBuffer.allocateDirect(4096))
            .access(MrAccess.REMOTE_WRITE).requestedKey(1);
        put(MemoryRegion.class, domain.register(attributes));
        put(Counter.class, domain.openCounter());
        put(EventQueue.class, fabric.openEventQueue(new EqAttributes().size(1).writable(true)));
        put(Domain.class, domain);
        put(Fabric.class, fabric);
        arguments.put(FabricInfo.class, fabric.info());
        arguments.put(MrAttributes.class, attributes);
        arguments.put(Set.class, EnumSet.of(MrAccess.SEND));
        arguments.put(EndpointOptions.class, new EndpointOptions());
        arguments.put(SharedReceiveOptions.class, new SharedReceiveOptions());
        arguments.put(EventReader.class, (EventReader) entry -> { });
        arguments.put(Duration.class, Duration.ofMillis(1));
        arguments.put(WaitObject.class, WaitObject.YIELD);
        arguments.put(CqAttributes.class, new CqAttributes());
        arguments.put(EqAttributes.class, new EqAttributes());
        arguments.put(AvAttributes.class, new AvAttributes());
        arguments.put(FabricEvent.class, FabricEvent.values()[0]);
        arguments.put(Object.class, "context");
        arguments.put(String.class, "7");
        arguments.put(byte[].class, new byte[64]);
        arguments.put(long[].class, new long[0]);
        arguments.put(int.class, 1);
        arguments.put(long.class, 4096L);
        // Refused in this domain whatever it is, so that null will do.
        arguments.put(Endpoint.class, null);
    }

    private void put(final Class<?> type, final Object object) {
        objects.put(type, object);
        arguments.put(type, object);
    }

    @AfterEach
    void close() {
        context.close();
        assertThat(context.reachableBytes()).isZero();
    }

    static Stream<Arguments> methods() {
        return ANSWERS_WHEN_CLOSED.keySet().stream().sorted(Comparator.comparing(Class::getSimpleName))
            .flatMap(type -> Arrays.stream(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.getName().equals("close"))
                .sorted(Comparator.comparing(Method::toString))
                .map(method -> Arguments.of(type, method)));
    }

    /** What came of a call: a value, or an exception. */
    private record Outcome(Object value, Throwable thrown) {
        static Outcome of(final Method method, final Object target, final Object... values) {
            try {
                return new Outcome(method.invoke(target, values), null);
            } catch (final InvocationTargetException e) {
                return new Outcome(null, e.getCause());
            } catch (final IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }

        boolean isErrno(final int errno) {
            return thrown instanceof FabricException && ((FabricException) thrown).errno() == errno
                || value instanceof Integer && (Integer) value == -errno;
        }

        void giveBack() throws Exception {
            if (value instanceof AutoCloseable && !(value instanceof Domain && ((Domain) value).isClosed())) {
                ((AutoCloseable) value).close();
            }
        }
    }

    private Object[] argumentsOf(final Method method) {
        return Arrays.stream(method.getParameterTypes()).map(type -> {
            assertThat(arguments).as("say what to give %s", method).containsKey(type);
            return arguments.get(type);
        }).toArray();
    }

    @ParameterizedTest
    @MethodSource("methods")
    void afterClosingEachMethodKeepsItsRule(final Class<?> type, final Method method) throws Exception {
        final Object[] values = argumentsOf(method);
        // In the order in which they can be closed.
        for (final Object object : objects.values()) {
            ((AutoCloseable) object).close();
        }
        final Outcome outcome = Outcome.of(method, objects.get(type), values);
        if (ANSWERS_WHEN_CLOSED.get(type).contains(method.getName())) {
            assertThat(outcome.thrown()).isNull();
        } else {
            final boolean refused = outcome.isErrno(FiErrno.FI_EBADFD)
                || Arrays.asList(values).contains(null) && outcome.isErrno(FiErrno.FI_EINVAL);
            assertThat(refused).as("%s: %s", method, outcome).isTrue();
        }
        ((AutoCloseable) objects.get(type)).close();
        assertThat(objects.get(type).toString()).isNotBlank();
    }

    @ParameterizedTest
    @MethodSource("methods")
    void nullIsRefused(final Class<?> type, final Method method) throws Exception {
        for (int i = 0; i < method.getParameterCount(); i++) {
            if (!method.getParameterTypes()[i].isPrimitive()) {
                final Object[] values = argumentsOf(method);
                values[i] = null;
                final Outcome outcome = Outcome.of(method, objects.get(type), values);
                outcome.giveBack();
                assertThat(outcome.isErrno(FiErrno.FI_EINVAL) || outcome.isErrno(FiErrno.FI_ENOCQ)
                    || MAY_BE_NULL.contains(method.getName()) && i > 0)
                    .as("%s, parameter %d: %s", method, i, outcome).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("methods")
    void anyNumberIsHarmless(final Class<?> type, final Method method) throws Exception {
        for (int i = 0; i < method.getParameterCount(); i++) {
            final Class<?> parameter = method.getParameterTypes()[i];
            if (parameter == long.class) {
                for (final long value : LONGS) {
                    call(type, method, i, value);
                }
            } else if (parameter == int.class) {
                for (final int value : INTS) {
                    call(type, method, i, value);
                }
            }
        }
        assertThat(context.isFailed()).as(context.failure()).isFalse();
    }

    private void call(final Class<?> type, final Method method, final int i, final Object value) throws Exception {
        final Object[] values = argumentsOf(method);
        values[i] = value;
        final Outcome outcome = Outcome.of(method, objects.get(type), values);
        outcome.giveBack();
        assertThat(outcome.thrown() == null || outcome.thrown() instanceof FabricException)
            .as("%s as parameter %d: %s", value, i, outcome).isTrue();
    }
}
