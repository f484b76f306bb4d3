/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Where a class has room between what different threads use, the JVM leaves it there: it fills gaps of a superclass
 * with fields of a subclass, and so may put one of them on the other side. Here, because all modules of the library are
 * on this class path.
 */
class PaddingTest {
    /** Fields that are only room. */
    private static final String ROOM = "[pq]\\d*";
    /** Fewer of those are only to fill a word. */
    private static final int FEWEST = 7;

    /** Read once: that takes seconds. */
    private static final JavaClasses OURS = new ClassFileImporter().importPackages("io.rdma4j");

    /** One field of each size. */
    @SuppressWarnings("unused")
    private static final class Sample extends io.rdma4j.queues.Padded {
        private boolean flag;
        private short number;
        private int count;
        private Object reference;
        private long sequence;
    }

    static Stream<Class<?>> padded() {
        return OURS.stream().filter(type -> type.getAllFields().stream().filter(f -> f.getName().matches(ROOM)).count()
            >= FEWEST).map(JavaClass::reflect);
    }

    private static List<Field> fields(final Class<?> type, final boolean room) {
        return Arrays.stream(type.getDeclaredFields()).filter(f -> !Modifier.isStatic(f.getModifiers()))
            .filter(f -> f.getName().matches(ROOM) == room).toList();
    }

    private static Deque<Class<?>> fromTheTop(final Class<?> type) {
        final Deque<Class<?>> line = new ArrayDeque<>();
        for (Class<?> c = type; c != Object.class; c = c.getSuperclass()) {
            line.push(c);
        }
        return line;
    }

    private static List<Long> offsets(final List<Field> fields) {
        return fields.stream().map(UnsafeApi::objectFieldOffset).sorted().toList();
    }

    private static String layout(final Class<?> type) {
        return fromTheTop(type).stream().flatMap(c -> Arrays.stream(c.getDeclaredFields()))
            .filter(f -> !Modifier.isStatic(f.getModifiers()))
            .map(f -> String.format("%4d %s.%s", UnsafeApi.objectFieldOffset(f), f.getDeclaringClass().getSimpleName(),
                f.getName())).sorted().collect(Collectors.joining("\n"));
    }

    @ParameterizedTest
    @MethodSource("padded")
    void nothingIsPutOnTheOtherSideOfTheRoom(final Class<?> type) {
        final List<Field> group = new ArrayList<>();
        long roomEnd = 0;
        for (final Class<?> level : fromTheTop(type)) {
            final List<Long> room =
                offsets(fields(level, true).stream().filter(f -> f.getType() == long.class).toList());
            if (room.size() >= FEWEST) {
                assertThat(offsets(group)).as("before the room of %s\n%s", level.getSimpleName(), layout(type))
                    .allMatch(offset -> offset < room.get(0));
                group.clear();
                roomEnd = room.get(room.size() - 1);
            }
            group.addAll(fields(level, false));
            final long end = roomEnd;
            assertThat(offsets(group)).as("behind the room, of %s\n%s", level.getSimpleName(), layout(type))
                .allMatch(offset -> offset > end);
        }
    }

    @Test
    void theRoomIsTwoLinesLong() {
        assertThat(offsets(fields(Sample.class, false))).as(layout(Sample.class)).allMatch(offset -> offset >= 128);
    }

    @Test
    void theyAreFound() {
        assertThat(padded().map(Class::getSimpleName)).contains("Sample", "SendQueue", "CompletionQueue", "SpinLock",
            "PvrdmaCq", "CqCounts", "Message");
    }
}
