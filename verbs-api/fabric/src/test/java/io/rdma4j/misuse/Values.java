/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.misuse;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What to give for a parameter of some type: first what is usual, then what is not. */
final class Values {
    private static final Map<Class<?>, List<Object>> KNOWN = Map.ofEntries(
        Map.entry(boolean.class, List.of(false, true)),
        Map.entry(byte.class, List.of((byte) 1, Byte.MIN_VALUE)),
        Map.entry(int.class, List.of(1, 0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 28)),
        Map.entry(long.class, List.of(4096L, 0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 47, -4096L)),
        Map.entry(String.class, orNull("emulated:x", "", ":", "?", "%s%n", "::::::", "fe80::1::2", "7",
            "emulated:x?timeout=", "x".repeat(70_000))),
        Map.entry(Object.class, orNull("object")),
        Map.entry(Throwable.class, orNull(new IllegalArgumentException("given by the test"))),
        Map.entry(AutoCloseable.class, orNull((AutoCloseable) () -> { })),
        Map.entry(Duration.class, orNull(Duration.ofMillis(1), Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE))),
        Map.entry(InetSocketAddress.class,
            orNull(InetSocketAddress.createUnresolved("nobody.invalid", 1), new InetSocketAddress("127.0.0.1", 0))),
        Map.entry(ByteBuffer.class, orNull(ByteBuffer.allocateDirect(4096), ByteBuffer.allocateDirect(0),
            ByteBuffer.allocate(8))),
        Map.entry(DirectBuffer.class, orNull(new UnsafeBuffer(ByteBuffer.allocateDirect(4096)),
            new UnsafeBuffer(new byte[0]), new UnsafeBuffer(new byte[8]))),
        Map.entry(MutableDirectBuffer.class, orNull(new UnsafeBuffer(ByteBuffer.allocateDirect(4096)),
            new UnsafeBuffer(new byte[0]), new UnsafeBuffer(new byte[8]))),
        Map.entry(IdleStrategy.class, orNull(NoOpIdleStrategy.INSTANCE)));

    private final Map<Class<?>, List<Object>> known = new HashMap<>(KNOWN);

    void add(final Class<?> type, final Object value) {
        known.put(type, orNull(value));
    }

    /** Comes before what else there is of that type. */
    void usual(final Class<?> type, final Object value) {
        final List<Object> all = new ArrayList<>(List.of(value));
        all.addAll(known.get(type));
        known.put(type, all);
    }

    /** Comes behind what else there is of that type. */
    void unusual(final Class<?> type, final Object value) {
        final List<Object> all = new ArrayList<>(known.get(type));
        all.add(value);
        known.put(type, all);
    }

    boolean has(final Class<?> type) {
        return known.containsKey(type);
    }

    private static List<Object> orNull(final Object... values) {
        final List<Object> list = new ArrayList<>(Arrays.asList(values));
        list.add(null);
        return list;
    }

    List<Object> of(final Type type) {
        final Class<?> raw = (Class<?>) (type instanceof ParameterizedType ? ((ParameterizedType) type).getRawType()
            : type instanceof Class<?> ? type : Object.class);
        if (known.containsKey(raw)) {
            return known.get(raw);
        } else if (raw.isEnum()) {
            return orNull(raw.getEnumConstants()[0]);
        } else if (raw.isArray()) {
            return arrays(raw.getComponentType());
        } else if (List.class == raw || Set.class == raw || Map.class == raw) {
            return collections(raw, ((ParameterizedType) type).getActualTypeArguments());
        } else if (raw.isInterface() && isCallback(raw)) {
            return orNull(callback(raw));
        }
        return orNull(construct(raw));
    }

    /** A new one each time, as some are changed by their methods. */
    private Object construct(final Class<?> type) {
        for (final Constructor<?> constructor : type.getConstructors()) {
            try {
                return constructor.newInstance(
                    Arrays.stream(constructor.getGenericParameterTypes()).map(each -> of(each).get(0)).toArray());
            } catch (final ReflectiveOperationException e) {
                throw new AssertionError(constructor + " with usual arguments", e);
            }
        }
        throw new AssertionError("say in Surroundings what to give for " + type);
    }

    private List<Object> arrays(final Class<?> component) {
        final Object usual = Array.newInstance(component, 1);
        Array.set(usual, 0, of(component).get(0));
        return orNull(usual, Array.newInstance(component, 0), Array.newInstance(component, 3));
    }

    private List<Object> collections(final Class<?> raw, final Type... elements) {
        final Object usual = of(elements[0]).get(0);
        if (raw == List.class) {
            return orNull(List.of(usual), List.of(), Collections.singletonList(null));
        } else if (raw == Set.class) {
            return orNull(Set.of(usual), Set.of(), Collections.singleton(null));
        }
        final Object value = of(elements[1]).get(0);
        return orNull(Map.of(usual, value), Map.of(), Collections.singletonMap(null, value),
            Collections.singletonMap(usual, null));
    }

    private static boolean isCallback(final Class<?> type) {
        return Arrays.stream(type.getMethods()).filter(method -> Modifier.isAbstract(method.getModifiers())).count()
            == 1;
    }

    private static Object callback(final Class<?> type) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) ->
            switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> proxy == arguments[0];
                case "toString" -> "a callback";
                default -> method.getReturnType().isPrimitive() && method.getReturnType() != void.class
                    ? Array.get(Array.newInstance(method.getReturnType(), 1), 0) : null;
            });
    }
}
