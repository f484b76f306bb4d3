/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TableTest {
    private final StringWriter text = new StringWriter();

    private String printed(final Table table) {
        final PrintWriter out = new PrintWriter(text);
        table.print(out);
        out.flush();
        return text.toString();
    }

    @Test
    void wordsAreAlignedAtTheLeftWithoutTrailingBlanks() {
        assertThat(printed(Table.ofText("A", "LONG").row("longer", "x").row("y", "")))
            .isEqualTo("A       LONG\nlonger  x\ny\n");
    }

    @Test
    void numbersAreAlignedAtTheRight() {
        assertThat(printed(Table.ofNumbers("#bytes", "t").row("1", "123.45")))
            .isEqualTo("#bytes       t\n     1  123.45\n");
    }

    @Test
    void aNameIsAtTheLeftAndItsNumbersAtTheRight() {
        assertThat(printed(Table.ofNamedNumbers("", "total").row("a", "1").row("bc", "")))
            .isEqualTo("    total\na       1\nbc\n");
    }

    @Test
    void valuesBeginWhereTheirHeadersDoAndALongOneMovesTheNext() {
        final Table table = Table.under(" ", "#bytes", "  ", "a time", " ").row("1", "2").row("123456789", "3");
        assertThat(printed(table)).isEqualTo(" #bytes  a time \n 1       2\n 123456789 3\n");
    }

    @Test
    void aRowMustFillTheColumns() {
        assertThatThrownBy(() -> Table.ofText("A", "B").row("x"))
            .isInstanceOf(IllegalArgumentException.class).hasMessage("1 cells in 2 columns");
    }
}
