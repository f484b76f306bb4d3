/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.Datasheet.Entry;
import io.rdma4j.hw.pvrdma.Datasheet.Struct;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds every struct, its layout, its constants and its accessors against the {@link Datasheet}. */
class StructsTest {
    private static final int BASE = 24;
    private static final int GUARD = 0xa5;

    static Stream<Struct> structs() {
        return Datasheet.structs().stream();
    }

    static Stream<Struct> flyweights() throws ReflectiveOperationException {
        final List<Struct> found = new ArrayList<>();
        for (Struct struct : Datasheet.structs()) {
            if (isFlyweight(type(struct.type()))) {
                found.add(struct);
            }
        }
        return found.stream();
    }

    @ParameterizedTest
    @MethodSource("structs")
    void sheetItselfHasNoGapsAndNoOverlaps(Struct struct) {
        int end = 0;
        for (Entry entry : struct.entries()) {
            assertThat(entry.offset()).as(entry.toString()).isEqualTo(end);
            end += Datasheet.sizeOf(entry);
        }
        assertThat(end).isEqualTo(struct.length());
    }

    @ParameterizedTest
    @MethodSource("structs")
    void layoutIsWhatTheSheetSays(Struct struct) throws ReflectiveOperationException {
        final Layout layout = layout(struct);

        assertThat(layout.name()).isEqualTo(struct.name());
        assertThat(layout.length()).isEqualTo(struct.length());
        assertThat(layout.fields().stream().map(StructsTest::line)).containsExactlyElementsOf(lines(struct, "", 0));
    }

    @ParameterizedTest
    @MethodSource("structs")
    void layoutCoversEveryByteOnce(Struct struct) throws ReflectiveOperationException {
        final int[] owners = new int[struct.length()];
        for (Layout.Field field : layout(struct).fields()) {
            for (int i = 0; i < field.size(); i++) {
                owners[field.offset() + i]++;
            }
        }
        assertThat(owners).containsOnly(1);
    }

    @ParameterizedTest
    @MethodSource("structs")
    void constantsAreTheSheetsNumbers(Struct struct) throws ReflectiveOperationException {
        final Class<?> type = type(struct.type());
        for (Entry entry : struct.entries()) {
            if (isFlyweight(type) && entry.hasAccessor() && !entry.isHeader()) {
                final Object field = type.getField(entry.constant()).get(null);
                assertThat(field.getClass().getMethod("offset").invoke(field)).as(entry.name())
                    .isEqualTo(entry.offset());
            } else if (!isFlyweight(type) && entry.hasAccessor()) {
                final String constant = entry.accessor().replaceAll("(?<=[a-z0-9])([A-Z])", "_$1")
                    .toUpperCase(Locale.ROOT) + "_OFFSET";
                assertThat(type.getField(constant).getInt(null)).as(constant).isEqualTo(entry.offset());
            }
        }
        final boolean isHeader = struct.name().endsWith("_wqe_hdr");
        assertThat(isFlyweight(type) ? layout(struct).length()
            : type.getField(isHeader ? "HEADER_LENGTH" : "LENGTH").getInt(null)).isEqualTo(struct.length());
    }

    @ParameterizedTest
    @MethodSource("structs")
    void readsEveryFieldFromItsBytes(Struct struct) throws ReflectiveOperationException {
        final UnsafeBuffer buffer = guarded(pattern(struct.length()));
        for (Entry entry : struct.entries()) {
            if (entry.hasAccessor()) {
                final Object value = get(struct, entry, buffer);
                if (entry.isNested()) {
                    assertThat(((Flyweight<?>) value).offset()).as(entry.name()).isEqualTo(BASE + entry.offset());
                    assertThat(((Flyweight<?>) value).buffer()).isSameAs(buffer);
                } else {
                    assertThat(value).as(entry.name()).isEqualTo(expected(entry));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("structs")
    void writesEveryFieldToItsBytesAndNowhereElse(Struct struct) throws ReflectiveOperationException {
        final UnsafeBuffer buffer = guarded(new byte[struct.length()]);
        final byte[] wanted = new byte[struct.length()];
        for (Entry entry : struct.entries()) {
            if (entry.hasAccessor() && !entry.isNested()) {
                set(struct, entry, buffer);
                final int size = Datasheet.sizeOf(entry);
                System.arraycopy(pattern(struct.length()), entry.offset(), wanted, entry.offset(), size);
                assertThat(bytes(buffer)).as("after " + entry.name()).isEqualTo(bytes(guarded(wanted)));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("flyweights")
    void flyweightKnowsItsLayoutAndPrintsEachField(Struct struct) throws ReflectiveOperationException {
        final Flyweight<?> flyweight = flyweight(struct, guarded(pattern(struct.length())));

        assertThat(flyweight.layout()).isSameAs(layout(struct));
        assertThat(flyweight.toString()).startsWith(struct.name())
            .contains(flyweight.layout().fields().stream().map(Layout.Field::name).toList());
        assertThat(bytes(flyweight.clear().buffer())).isEqualTo(bytes(guarded(new byte[struct.length()])));
    }

    @ParameterizedTest
    @MethodSource("flyweights")
    void everyFieldOfTheClassIsInTheSheet(Struct struct) throws ReflectiveOperationException {
        final List<String> constants = new ArrayList<>(List.of("LAYOUT"));
        struct.entries().stream().filter(e -> e.hasAccessor() && !e.isHeader())
            .forEach(e -> constants.add(e.constant()));
        assertThat(type(struct.type()).getFields()).extracting(Field::getName)
            .containsExactlyInAnyOrderElementsOf(constants);
    }

    @ParameterizedTest
    @MethodSource("structs")
    void everyAccessorOfTheClassIsInTheSheet(Struct struct) throws ReflectiveOperationException {
        // These are either not the struct's own or have tests of their own.
        final Set<String> tested = new TreeSet<>(Set.of(
            "layout", "header", "offset", "buffer", "pfn", "uarPfn", "hashCode", "toString", "getClass",
            "clear", "notify", "notifyAll", "wait", "dgidHigh", "dgidLow", "invalidateRkey", "clearHeader"));
        Datasheet.structs().stream().filter(s -> s.type().equals(struct.type()))
            .forEach(s -> s.entries().forEach(e -> tested.add(e.accessor())));
        for (Method method : type(struct.type()).getMethods()) {
            final boolean isGetter = Modifier.isStatic(method.getModifiers())
                ? Arrays.equals(method.getParameterTypes(), new Class<?>[] {UnsafeBuffer.class, int.class})
                : method.getParameterCount() == 0;
            assertThat(!isGetter || tested.contains(method.getName())).as(method.toString()).isTrue();
        }
    }

    private static List<String> lines(Struct struct, String prefix, int base) {
        final List<String> lines = new ArrayList<>();
        for (Entry entry : struct.entries()) {
            final String name = prefix + entry.name();
            if (entry.isNested()) {
                lines.addAll(lines(Datasheet.struct(entry.kind()), name + ".", base + entry.offset()));
            } else {
                lines.add((base + entry.offset()) + " " + entry.kind() + (entry.isReserved() ? "" : " " + name));
            }
        }
        return lines;
    }

    private static String line(Layout.Field field) {
        return field.offset() + " " + switch (field.kind()) {
            case RESERVED -> "z" + field.size();
            case BYTES -> "b" + field.size() + " " + field.name();
            default -> field.kind().name().toLowerCase(Locale.ROOT) + " " + field.name();
        };
    }

    private static Object expected(Entry entry) {
        final byte[] bytes = Arrays.copyOfRange(pattern(entry.offset() + Datasheet.sizeOf(entry)), entry.offset(),
            entry.offset() + Datasheet.sizeOf(entry));
        if (entry.isBytes()) {
            return bytes;
        }
        long value = 0;
        for (int i = 0; i < bytes.length; i++) {
            final int shift = entry.kind().startsWith("be") ? bytes.length - 1 - i : i;
            value |= (bytes[i] & 0xffL) << 8 * shift;
        }
        return bytes.length == 8 ? (Object) value : (Object) (int) value;
    }

    /** No two bytes alike, all of them with the sign bit, none of them like the guard. */
    private static byte[] pattern(int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (0xff - i % 0x59);
        }
        return bytes;
    }

    private static UnsafeBuffer guarded(byte[] struct) {
        final byte[] all = new byte[BASE + struct.length + BASE];
        Arrays.fill(all, (byte) GUARD);
        System.arraycopy(struct, 0, all, BASE, struct.length);
        return new UnsafeBuffer(all);
    }

    private static List<Byte> bytes(MutableDirectBuffer buffer) {
        final List<Byte> bytes = new ArrayList<>();
        for (int i = 0; i < buffer.capacity(); i++) {
            bytes.add(buffer.getByte(i));
        }
        return bytes;
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName("io.rdma4j.hw.pvrdma." + name);
    }

    private static boolean isFlyweight(Class<?> type) {
        return Flyweight.class.isAssignableFrom(type);
    }

    private static Layout layout(Struct struct) throws ReflectiveOperationException {
        final Field constant = type(struct.type()).getField(struct.constant());
        return (Layout) constant.get(null);
    }

    private static Flyweight<?> flyweight(Struct struct, UnsafeBuffer buffer) throws ReflectiveOperationException {
        return ((Flyweight<?>) type(struct.type()).getConstructor().newInstance()).wrap(buffer, BASE);
    }

    private static Object get(Struct struct, Entry entry, UnsafeBuffer buffer) throws ReflectiveOperationException {
        final Class<?> type = type(struct.type());
        if (isFlyweight(type)) {
            final Flyweight<?> flyweight = flyweight(struct, buffer);
            if (entry.isHeader()) {
                return type.getMethod("header").invoke(flyweight);
            }
            final Object field = type.getField(entry.constant()).get(null);
            return Flyweight.class.getMethod("get", field.getClass()).invoke(flyweight, field);
        }
        return type.getMethod(entry.accessor(), UnsafeBuffer.class, int.class).invoke(null, buffer, BASE);
    }

    private static void set(Struct struct, Entry entry, UnsafeBuffer buffer) throws ReflectiveOperationException {
        final Class<?> type = type(struct.type());
        final Object value = expected(entry);
        final Class<?> valueType = Map.<Class<?>, Class<?>>of(
            Integer.class, int.class, Long.class, long.class, byte[].class, byte[].class).get(value.getClass());
        if (isFlyweight(type)) {
            final Flyweight<?> flyweight = flyweight(struct, buffer);
            final Object field = type.getField(entry.constant()).get(null);
            final Object result = Flyweight.class.getMethod("set", field.getClass(), valueType)
                .invoke(flyweight, field, value);
            assertThat(result == flyweight).as(entry.name() + " returns this").isTrue();
        } else {
            type.getMethod(entry.accessor(), UnsafeBuffer.class, int.class, valueType)
                .invoke(null, buffer, BASE, value);
        }
    }
}
