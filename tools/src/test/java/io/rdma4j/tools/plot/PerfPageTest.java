/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.PersianDigits;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.w3c.dom.Document;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

/** What is on a page of runs. */
@Timeout(60)
class PerfPageTest {
    private static final Pattern NUMBER = Pattern.compile("(NaN|Infinity)");

    @Test
    void everyRunAndFigureIsThere() {
        final String page = PerfPage.html(List.of(Runs.latency("emulated:", 1, 2, 64, 4096),
            Runs.bandwidth("vfio:0000:0b:00.1", 1, 64, 65536)));
        assertThat(page).contains("send_lat on emulated:", "write_bw on vfio:0000:0b:00.1", "Latency by size",
            "Latency by percentile, 2 bytes", "Latency by percentile, 4096 bytes", "Bandwidth by size",
            "Message rate by size", "a cache line, to and fro", "closed loop", "taskset");
        assertThat(NUMBER.matcher(page).find()).isFalse();
    }

    @Test
    void refersToNothingOutside() {
        assertThat(PerfPage.html(List.of(Runs.latency("emulated:", 1, 2))))
            .doesNotContain("http:", "https:", "src=", "href=", "url(", "@import", "<script");
    }

    @Test
    void textIsNoMarkup() {
        final String page = PerfPage.html(List.of(Runs.latency("emulated:<b>&'\"", 1, 2)));
        assertThat(page).contains("emulated:&lt;b&gt;&amp;&#39;&quot;", "a processor &lt;of&gt; &quot;some&quot; kind")
            .doesNotContain("<b>", "<of>");
    }

    @Test
    void chartsAreWellFormed() throws Exception {
        final List<NamedRun> runs = NamedRun.of(List.of(Runs.latency("a:", 1, 1, 8), Runs.latency("b:", 30, 1, 8),
            Runs.bandwidth("a:", 1, 1, 8_388_608)));
        final StringBuilder charts = new StringBuilder("<charts>");
        LatencyCharts.of(runs).forEach(chart -> charts.append(chart.html()));
        BandwidthCharts.of(runs).forEach(chart -> charts.append(chart.html()));
        final Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(
            new ByteArrayInputStream(charts.append("</charts>").toString().getBytes(StandardCharsets.UTF_8)));
        assertThat(document.getElementsByTagName("figure").getLength()).isEqualTo(5);
    }

    @Test
    @ExtendWith(PersianDigits.class)
    void numbersAreTheBrowsersWhateverTheLanguage() {
        assertThat(PerfPage.html(List.of(Runs.latency("a:", 1, 1, 8), Runs.bandwidth("a:", 1, 1, 8_388_608))))
            .contains("viewBox=\"0 0 ").doesNotContainPattern("[\\p{Nd}&&[^0-9]]");
    }

    @Test
    void runsOfOneNameAreToldApart() {
        final List<NamedRun> runs = NamedRun.of(List.of(Runs.latency("a:", 1, 2), Runs.latency("a:", 2, 2)));
        assertThat(runs).extracting(NamedRun::name).containsExactly("1: send_lat on a:", "2: send_lat on a:");
    }

    @Test
    void aSinglePointAndZeroAreDrawn() {
        final String page = PerfPage.html(List.of(Runs.latency("a:", 0, 2), Runs.bandwidth("a:", 0, 2)));
        assertThat(NUMBER.matcher(page).find()).isFalse();
        assertThat(page).contains("<circle");
    }

    @Test
    void refusesNothingAndFoldersThatAreNotThere() {
        assertThatThrownBy(() -> PerfPage.write(Path.of("page.html"), List.of()))
            .isInstanceOf(RdmaException.class).hasMessageContaining("there is no run to show");
        assertThatThrownBy(() -> PerfPage.write(Path.of("/nonexistent/page.html"), List.of(Runs.latency("a:", 1, 2))))
            .isInstanceOf(RdmaException.class).hasMessageContaining("/nonexistent/page.html")
            .hasMessageContaining("ENOENT");
    }

    /** From 2 bytes to 8 MiB a device is between 8 bytes and 16 GiB a second: small ones would lie on the axis. */
    @Test
    void bandwidthsOverMoreThanTwoDecadesAreOnALogarithmicAxis() {
        final Chart wide = bandwidth(1, 8_388_608);
        assertThat(wide.y().at(wide.y().ticks().get(0).value() * 10) * (wide.y().ticks().size() - 1))
            .isCloseTo(1, within(1e-9));
        assertThat(wide.y().ticks()).extracting(Axis.Tick::label).contains("10", "100", "1000", "10000");
        final Chart narrow = bandwidth(64, 4096);
        assertThat(narrow.y().at(0)).isZero();
        assertThat(narrow.y().ticks().get(0).label()).isEqualTo("0");
    }

    @Test
    void sizesAreOnALogarithmicAxis() {
        final Axis sizes = bandwidth(1, 64, 4096).x();
        assertThat(sizes.at(64)).isCloseTo(0.5, within(1e-9));
        assertThat(sizes.ticks()).extracting(Axis.Tick::label).startsWith("1", "2", "4").endsWith("4k");
    }

    @Test
    void noBytesHaveAPlaceOfTheirOwn() {
        final Axis sizes = bandwidth(0, 64, 4096).x();
        assertThat(sizes.ticks()).extracting(Axis.Tick::label).startsWith("0", "64", "128").endsWith("4k");
        assertThat(sizes.at(0)).isZero();
        assertThat(sizes.at(64)).isCloseTo(1.0 / 7, within(1e-9));
        assertThat(bandwidth(0).x().ticks()).extracting(Axis.Tick::label).startsWith("0", "1");
    }

    private static Chart bandwidth(final int... sizes) {
        return BandwidthCharts.of(NamedRun.of(List.of(Runs.bandwidth("a:", 1, sizes)))).get(0);
    }
}
