/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A page of figures over time. */
@Timeout(60)
class SamplesPageTest {
    private static final String GOOD = "seconds\ttime, us/p50\ttime, us/p99\tfiles\n1\t2.5\t9\t17\n2\t2.5\t8\t17\n";

    @TempDir
    Path folder;

    private Path file(final String name, final String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    @Test
    void columnsOfOneGroupShareAChart() throws IOException {
        final List<Chart> charts = SamplesPage.charts(List.of(Samples.read(file("a.tsv", GOOD))));
        assertThat(charts).extracting(Chart::title).containsExactly("time, us", "files");
        assertThat(charts.get(0).series()).extracting(Series::name).containsExactly("p50", "p99");
        assertThat(charts.get(0).series().get(1).points()).extracting(Series.Point::y).containsExactly(9.0, 8.0);
        assertThat(charts.get(1).x().title()).isEqualTo("seconds");
    }

    private Axis axisOf(final String... values) throws IOException {
        return SamplesPage.charts(List.of(Samples.read(file("a.tsv", "t\tv\n" + IntStream.range(0, values.length)
            .mapToObj(i -> i + "\t" + values[i] + "\n").collect(Collectors.joining()))))).get(0).y();
    }

    /** Neither nothing nor less than nothing lies where another value has its line. */
    @Test
    void zeroAndNegativeValuesLieBelowOthers() throws IOException {
        final Axis zero = axisOf("0", "1", "500");
        assertThat(zero.ticks()).extracting(Axis.Tick::label).containsExactly("0", "1", "10", "100", "1000");
        assertThat(zero.at(0)).isZero();
        assertThat(zero.at(1)).isEqualTo(0.25);
        final Axis both = axisOf("-3", "1", "500");
        assertThat(both.ticks()).extracting(Axis.Tick::label).startsWith("-200", "0", "200").endsWith("600");
        assertThat(both.at(-200)).isZero();
        assertThat(both.at(0)).isEqualTo(0.25);
        final Axis negative = axisOf("-3", "-1");
        assertThat(negative.ticks()).extracting(Axis.Tick::label).containsExactly("-3", "-2", "-1", "0");
        assertThat(negative.at(0)).isEqualTo(1);
    }

    @Test
    void filesAreToldApartAndRemarksShown() throws IOException {
        final Path page = folder.resolve("page.html");
        SamplesPage.write(page, List.of(file("a.tsv", GOOD), file("b.tsv", GOOD + "# it <ended>\n")));
        assertThat(page).content().contains("a, p50", "b, p50", "<h2>b</h2>", "it &lt;ended&gt;")
            .doesNotContain("<ended>", "NaN");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "''                | 0 columns and 0 rows",
        "a~b               | 2 columns and 0 rows",
        "a;1               | 1 columns and 1 rows",
        "a~b;1             | has 1 columns, not 2",
        "a~b;1~x           | is not all numbers",
        "a~b;1~NaN         | is not all numbers"
    })
    void anythingElseIsRefused(final String text, final String why) throws IOException {
        final Path file = file("a.tsv", text.replace('~', '\t').replace(';', '\n'));
        assertThatThrownBy(() -> SamplesPage.write(folder.resolve("page.html"), List.of(file)))
            .isInstanceOf(RdmaException.class).hasMessageContaining(why).hasMessageContaining("EINVAL");
    }

    /** For each chart all columns are looked through. */
    @Test
    void moreColumnsThanCanBeDrawnAreRefused() throws IOException {
        for (final int columns : new int[] {500, 2000}) {
            final Path file = file("a.tsv", IntStream.range(0, columns).mapToObj(i -> "c" + i)
                .collect(Collectors.joining("\t")) + "\n" + "1\t".repeat(columns - 1) + "1\n");
            if (columns == 500) {
                assertThat(Samples.read(file).columns()).hasSize(columns);
            } else {
                assertThatThrownBy(() -> Samples.read(file)).isInstanceOf(RdmaException.class)
                    .hasMessageContainingAll(file.toString(), "it has more than 500 columns", "EINVAL");
            }
        }
    }

    @Test
    void whatIsNotThereIsSaid() {
        assertThatThrownBy(() -> SamplesPage.write(folder.resolve("page.html"), List.of(folder.resolve("x.tsv"))))
            .isInstanceOf(RdmaException.class).hasMessageContaining("ENOENT");
        assertThatThrownBy(() -> SamplesPage.write(folder.resolve("page.html"), List.of()))
            .isInstanceOf(RdmaException.class).hasMessageContaining("there are no samples to show");
    }
}
