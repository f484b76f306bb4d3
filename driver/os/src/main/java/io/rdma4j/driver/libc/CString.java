/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import io.rdma4j.RdmaException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/** Text for C: off-heap, in the encoding that this JVM uses for the names of files, and ended by a NUL. */
final class CString {
    private static final Charset FILE_NAMES = fileNames();

    private CString() {
    }

    static UnsafeBuffer of(final String call, final String text) {
        if (text == null || text.isEmpty()) {
            throw Checks.invalid(call, "no name");
        }
        Checks.that(text.indexOf('\0') < 0, call, "the name has a NUL in it: '%s'", text.replace('\0', '?'));
        final ByteBuffer encoded = encode(call, text);
        final ByteBuffer withNul = ByteBuffer.allocateDirect(encoded.remaining() + 1);
        withNul.put(encoded); // A new buffer is zero: so is the last byte.
        return new UnsafeBuffer(withNul);
    }

    /** A character that the encoding lacks must not become a question mark, and so another file's name. */
    private static ByteBuffer encode(final String call, final String text) {
        try {
            return FILE_NAMES.newEncoder().encode(CharBuffer.wrap(text));
        } catch (final CharacterCodingException e) {
            throw RdmaException.of(call).object(text).detail("the name cannot be written in %s", FILE_NAMES)
                .errno(RdmaException.EINVAL).hint("set LANG to a UTF-8 locale").cause(e).build();
        }
    }

    private static Charset fileNames() {
        final String name = System.getProperty("sun.jnu.encoding", "UTF-8");
        return Charset.isSupported(name) ? Charset.forName(name) : StandardCharsets.UTF_8;
    }
}
