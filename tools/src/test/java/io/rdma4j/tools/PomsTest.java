/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** What is published says what Maven Central wants, and the bill of materials names all of it. */
class PomsTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final String BOM = "verbs-api/bom";
    private static final String OURS = "io.rdma4j";
    private static final XPath XPATH = XPathFactory.newInstance().newXPath();

    /** Each module's pom by its folder. */
    private static final Map<String, Node> POMS = new LinkedHashMap<>();

    @BeforeAll
    static void readsAll() throws Exception {
        read(".");
    }

    private static void read(final String folder) throws Exception {
        final Node pom = DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(ROOT.resolve(folder).resolve("pom.xml").toFile()).getDocumentElement();
        POMS.put(folder, pom);
        for (final Node module : all(pom, "modules/module")) {
            read(".".equals(folder) ? module.getTextContent() : folder + "/" + module.getTextContent());
        }
    }

    private static List<Node> all(final Node from, final String path) throws XPathExpressionException {
        final NodeList found = (NodeList) XPATH.evaluate(path, from, XPathConstants.NODESET);
        final List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            nodes.add(found.item(i));
        }
        return nodes;
    }

    private static String text(final Node from, final String path) throws XPathExpressionException {
        return XPATH.evaluate(path, from).strip();
    }

    /** Group, artifact and version of what a pom manages, with properties of the root's filled in. */
    private static Map<String, String> managed(final Node pom) throws XPathExpressionException {
        final Map<String, String> versions = new TreeMap<>();
        for (final Node each : all(pom, "dependencyManagement/dependencies/dependency")) {
            final String version = text(each, "version");
            versions.put(text(each, "groupId") + ":" + text(each, "artifactId"),
                version.startsWith("${project.") || !version.startsWith("${") ? version
                    : text(POMS.get("."), "properties/" + version.substring(2, version.length() - 1)));
        }
        return versions;
    }

    @Test
    void theBillOfMaterialsHasEachPublishedJar() throws XPathExpressionException {
        final List<String> published = new ArrayList<>();
        for (final Node pom : POMS.values()) {
            if (!"pom".equals(text(pom, "packaging")) && !"true".equals(text(pom, "properties/maven.deploy.skip"))) {
                published.add(OURS + ":" + text(pom, "artifactId"));
            }
        }
        assertThat(managed(POMS.get(BOM)).keySet()).filteredOn(name -> name.startsWith(OURS + ":"))
            .containsExactlyInAnyOrderElementsOf(published).contains("io.rdma4j:rdma4j", "io.rdma4j:rdma4j-fabric");
    }

    @Test
    void theBillOfMaterialsHasTheVersionsThatAreTested() throws XPathExpressionException {
        final Map<String, String> tested = managed(POMS.get("."));
        managed(POMS.get(BOM)).forEach((name, version) -> {
            if (!name.equals("io.rdma4j:rdma4j")) {
                assertThat(version).as(name).isEqualTo(tested.get(name));
            }
        });
        assertThat(text(POMS.get(BOM), "version")).isEqualTo(text(POMS.get("."), "version"));
    }

    @Test
    void theBillOfMaterialsIsSignedAndPublishedAsTheRest() throws XPathExpressionException {
        final Node release = all(POMS.get("."), "profiles/profile[id='release']").get(0);
        final List<Node> plugins = all(POMS.get(BOM), "profiles/profile[id='release']/build/plugins/plugin");
        assertThat(plugins).hasSize(2);
        for (final Node plugin : plugins) {
            final String name = text(plugin, "artifactId");
            assertThat(text(plugin, "version")).as(name)
                .isEqualTo(text(release, "build/plugins/plugin[artifactId='" + name + "']/version")).isNotEmpty();
        }
    }

    @Test
    void eachSaysWhatMavenCentralWants() throws XPathExpressionException {
        for (final Map.Entry<String, Node> each : POMS.entrySet()) {
            final Node pom = each.getValue();
            final List<String> wanted = new ArrayList<>(List.of("name", "description"));
            if (all(pom, "parent").isEmpty()) {
                wanted.addAll(List.of("url", "licenses/license/url", "scm/url", "scm/connection",
                    "scm/developerConnection", "developers/developer/name"));
            }
            for (final String path : wanted) {
                assertThat(text(pom, path)).as("%s of %s/pom.xml", path, each.getKey()).isNotEmpty();
            }
        }
        assertThat(POMS).hasSizeGreaterThan(15).containsKey(BOM);
    }
}
