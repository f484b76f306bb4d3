/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** JSON as the commands print it: names in snake_case that stay as they are, GUIDs and GIDs as text. */
public final class Json {
    private static final int DECIMALS = 3;
    private static final int DIGITS = 6;

    private Json() {
    }

    /**
     * Prints one value.
     *
     * @param out   where to.
     * @param value what.
     */
    public static void print(final PrintWriter out, final JsonElement value) {
        out.println(new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().serializeNulls().create()
            .toJson(value));
    }

    /**
     * Why a text is no JSON.
     *
     * @param thrown what Gson threw. Its innermost message has line, column and path; a second line, which points to
     *               Gson's manual, is left out.
     * @return half a sentence.
     * @throws Error that Gson wrapped, such as a lack of memory: the text may be JSON.
     */
    public static String whyNone(final Throwable thrown) {
        Throwable innermost = thrown;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        if (innermost instanceof Error) {
            throw (Error) innermost;
        }
        return "it is no JSON: " + String.valueOf(innermost.getMessage()).lines().findFirst().orElse("")
            .replaceFirst("^Use JsonReader.* malformed JSON", "malformed");
    }

    /**
     * A measured number, without digits that mean nothing.
     *
     * @param value any finite number.
     * @return the number with six digits, or with as many as three decimals take.
     */
    public static BigDecimal rounded(final double value) {
        final BigDecimal exact = BigDecimal.valueOf(value);
        final int beforePoint = exact.signum() == 0 ? DIGITS : exact.precision() - exact.scale();
        return exact.setScale(Math.max(DECIMALS, DIGITS - beforePoint), RoundingMode.HALF_UP);
    }
}
