/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;

class SendRequestTest {
    /** Another value than a new request has. */
    private static Object other(final Class<?> type) {
        if (type == boolean.class) {
            return true;
        }
        if (type == int.class) {
            return 0x5eed;
        }
        if (type == long.class) {
            return 0x5eed_5eedL;
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[type.getEnumConstants().length - 1];
        }
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) ->
            switch (method.getName()) {
                case "toString" -> "a " + type.getSimpleName();
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> 1;
                default -> throw new AssertionError(method.toString());
            });
    }

    /** By reflection, so that a field which is added is not forgotten. */
    @Test
    void aCopyHasEverything() throws ReflectiveOperationException {
        final SendRequest from = new SendRequest(3).addSge(1, 2, 3).addSge(4, 5, 6);
        for (final Field field : SendRequest.class.getDeclaredFields()) {
            field.setAccessible(true);
            if (!Modifier.isFinal(field.getModifiers())) {
                field.set(from, other(field.getType()));
            }
        }
        final SendRequest copy = new SendRequest(2).addSge(7, 8, 9);
        assertThat(copy.set(from)).isSameAs(copy);
        for (final Field field : SendRequest.class.getDeclaredFields()) {
            field.setAccessible(true);
            if (!Modifier.isFinal(field.getModifiers())) {
                assertThat(field.get(copy)).as(field.getName()).isEqualTo(field.get(from));
            }
        }
        assertThat(copy.sges().size()).isEqualTo(2);
        for (int i = 0; i < 2; i++) {
            assertThat(copy.sges().address(i)).isEqualTo(1 + 3 * i);
            assertThat(copy.sges().length(i)).isEqualTo(2 + 3 * i);
            assertThat(copy.sges().lkey(i)).isEqualTo(3 + 3 * i);
        }
    }

    @Test
    void aCopyNeedsRoomForTheElements() {
        final SendRequest two = new SendRequest(2).addSge(1, 2, 3).addSge(4, 5, 6);
        assertThatThrownBy(() -> new SendRequest(1).set(two)).isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("made for 1").hasMessageContaining("not 2");
    }

    @Test
    void hasEitherAPayloadOrElements() {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[8]);
        final SendRequest request = new SendRequest(2).sge(1, 2, 3);
        assertThat(request.isInline()).isFalse();
        request.inline(source, 1, 2);
        assertThat(request.isInline()).isTrue();
        assertThat(request.inlineSource()).isSameAs(source);
        assertThat(request.inlineOffset()).isEqualTo(1);
        assertThat(request.inlineLength()).isEqualTo(2);
        assertThat(request.sges().size()).isZero();

        request.addSge(1, 2, 3);
        assertThat(request.isInline()).isFalse();
        assertThat(request.inlineSource()).as("is not kept from the collector").isNull();
        assertThat(request.inline(source, 0, 8).sge(1, 2, 3).isInline()).isFalse();
        assertThat(request.sges().size()).isEqualTo(1);
        assertThat(request.inline(source, 0, 8).clearSges().isInline()).isFalse();
    }

    @Test
    void elementsCanBeChangedInPlace() {
        final SgeList sges = new SgeList(2);
        sges.add(1, 2, 3);
        sges.set(0, 10, 20, 30);
        assertThat(sges.address(0)).isEqualTo(10);
        assertThat(sges.length(0)).isEqualTo(20);
        assertThat(sges.lkey(0)).isEqualTo(30);
        assertThatThrownBy(() -> sges.set(1, 0, 0, 0)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("element 1 of 1");
        assertThatThrownBy(() -> sges.set(-1, 0, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> sges.set(0, 0, -1, 0)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("-1");
        assertThat(sges.address(0)).as("left as it was").isEqualTo(10);
    }
}
