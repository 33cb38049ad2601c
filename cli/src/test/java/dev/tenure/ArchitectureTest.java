// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The graph of modules and packages, as the tree shows it: a module depends only on what stands above it, never on a
 * sibling backend. One exception: advisory locks of PostgreSQL stand on the module for JDBC. A class belongs to the module whose folder or jar it was loaded from, so a new backend falls under
 * these rules without being named here.
 */
@AnalyzeClasses(packages = "dev.tenure", importOptions = ArchitectureTest.MainCode.class)
final class ArchitectureTest {

    private static final String CORE = "core";

    /**
     * What each module may use. A module that is missing here is a backend or a fence, which may use core; the backend without
     * a store also uses the machines that it runs.
     */
    private static final Map<String, Set<String>> MODULES = Map.ofEntries(
            entry(CORE, Set.of()),
            entry("support", Set.of()),
            entry("etcd-cluster", Set.of("support")),
            entry("consul-servers", Set.of("support")),
            entry("zookeeper-ensemble", Set.of("support")),
            entry("sql-servers", Set.of("support")),
            entry("redis-servers", Set.of("support")),
            entry("kubernetes-apiserver", Set.of("support", "etcd-cluster")),
            entry("test-kit", Set.of(CORE)),
            entry("contract", Set.of(CORE, "test-kit")),
            entry("simulator", Set.of(CORE, "test-kit")),
            entry("explorer", Set.of(CORE)),
            entry("algorithms", Set.of(CORE)),
            entry("observability", Set.of(CORE)),
            entry("spring", Set.of(CORE, "fence-sql", "patterns")),
            entry("spring-boot-autoconfigure", Set.of(CORE, "spring", "jdbc", "observability")),
            entry("spring-boot-test", Set.of(CORE, "spring", "test-kit")),
            entry("peers", Set.of(CORE, "algorithms")),
            entry("postgres-advisory", Set.of(CORE, "jdbc")),
            entry("lab", Set.of(CORE, "test-kit", "algorithms")),
            entry("patterns", Set.of(CORE, "fence-sql")),
            entry(
                    "cli",
                    Set.of(
                            CORE,
                            "test-kit",
                            "simulator",
                            "algorithms",
                            "lab",
                            "local",
                            "jdbc",
                            "fence-sql",
                            "patterns")));

    /** Modules without a third-party library. */
    private static final Set<String> BARE = Set.of(
            CORE,
            "support",
            "test-kit",
            "simulator",
            "explorer",
            "algorithms",
            "lab",
            "local",
            "fence-sql",
            "patterns",
            "cli");

    private static final DescribedPredicate<JavaClass> BACKENDS = describe(
            "classes of a backend",
            type -> !MODULES.containsKey(moduleOf(type))
                    || Set.of("peers", "postgres-advisory").contains(moduleOf(type)));

    private static final DescribedPredicate<JavaClass> INTERNALS = resideInAnyPackage("dev.tenure.internal..");

    @ArchTest
    static final ArchRule a_module_depends_only_on_what_stands_above_it = classes()
            .should(dependOnlyOnModulesAbove())
            .as("a module should depend only on what stands above it")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule core_needs_nothing_but_the_jdk_and_jspecify = classes()
            .that(describe("are in a module without libraries", type -> BARE.contains(moduleOf(type))))
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    "java..",
                    "javax.crypto..",
                    "javax.sql..",
                    "javax.net.ssl..",
                    "com.sun.net.httpserver..",
                    "org.jspecify.annotations..",
                    "dev.tenure.."))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule a_pattern_uses_the_api_and_the_spi = noClasses()
            .that(describe("are a pattern", type -> moduleOf(type).equals("patterns")))
            .should()
            .dependOnClassesThat(INTERNALS)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule a_backend_uses_the_api_and_the_spi =
            noClasses().that(BACKENDS).should().dependOnClassesThat(INTERNALS).allowEmptyShould(true);

    @ArchTest
    static final ArchRule the_client_of_etcd_is_known_in_one_package = noClasses()
            .that()
            .resideInAPackage("dev.tenure..")
            .and()
            .resideOutsideOfPackage("dev.tenure.etcd.client..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.grpc..", "com.google..", "dev.tenure.etcd.client.proto.."))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule the_engine_knows_no_clock_thread_or_randomness = noClasses()
            .that()
            .resideInAnyPackage("dev.tenure.internal..")
            .and()
            .resideOutsideOfPackage("dev.tenure.internal.host..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.tenure.internal.host..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule the_spi_stands_on_its_own = noClasses()
            .that()
            .resideInAPackage("dev.tenure.spi..")
            .should()
            .dependOnClassesThat(INTERNALS)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule the_api_shows_no_internals = codeUnits()
            .that()
            .areDeclaredInClassesThat(
                    describe("are the API or the SPI", type -> moduleOf(type).equals(CORE) && !INTERNALS.test(type)))
            .and(describe("users can call", ArchitectureTest::isVisible))
            .should(mentionNoInternals())
            .as("the API and the SPI should not show internals")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule internal_packages_have_no_cycles = slices().matching("dev.tenure.internal.(*)..")
            .should()
            .beFreeOfCycles()
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule names_are_nouns_that_an_operator_would_say = noClasses()
            .that()
            .arePublic()
            .should()
            .haveNameMatching(".*(Manager|Helper|Helpers|Util|Utils|Impl)")
            .allowEmptyShould(true);

    private static ArchCondition<JavaClass> dependOnlyOnModulesAbove() {
        return new ArchCondition<>("depend only on modules above") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                String module = moduleOf(type);
                Set<String> allowed = new TreeSet<>(MODULES.getOrDefault(module, Set.of(CORE)));
                allowed.add(module);
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    if (target.getPackageName().startsWith("dev.tenure") && !allowed.contains(moduleOf(target))) {
                        events.add(SimpleConditionEvent.violated(
                                dependency, module + " may use only " + allowed + ": " + dependency.getDescription()));
                    }
                }
            }
        };
    }

    private static ArchCondition<JavaCodeUnit> mentionNoInternals() {
        return new ArchCondition<>("mention no internals") {
            @Override
            public void check(JavaCodeUnit unit, ConditionEvents events) {
                Stream.concat(Stream.of(unit.getRawReturnType()), unit.getRawParameterTypes().stream())
                        .map(JavaClass::getBaseComponentType)
                        .filter(INTERNALS)
                        .forEach(type -> events.add(SimpleConditionEvent.violated(
                                unit,
                                unit.getFullName() + " shows " + type.getName() + " in "
                                        + unit.getSourceCodeLocation())));
            }
        };
    }

    private static boolean isVisible(JavaCodeUnit unit) {
        Set<JavaModifier> modifiers = unit.getModifiers();
        boolean shown = modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
        return shown && unit.getOwner().getModifiers().contains(JavaModifier.PUBLIC);
    }

    private static final Pattern FOLDER = Pattern.compile("/([^/]+)/target/(?:quick/)?classes/");
    private static final Pattern FENCE = Pattern.compile("/fences/([^/]+)/target/(?:quick/)?classes/");
    private static final Pattern JAR = Pattern.compile("/tenure-([a-z-]+)-[0-9][^/]*\\.jar");

    /** Both forms occur: {@code mvn test} puts the folders of the other modules on the class path, a package their jars. */
    private static String moduleOf(JavaClass type) {
        String uri = type.getSource()
                .map(source -> source.getUri().toString())
                .orElseThrow(() -> new IllegalStateException("unknown origin of " + type.getName()));
        Matcher jar = JAR.matcher(uri);
        if (jar.find()) {
            return jar.group(1);
        }
        Matcher fence = FENCE.matcher(uri);
        if (fence.find()) {
            return "fence-" + fence.group(1);
        }
        Matcher folder = FOLDER.matcher(uri);
        if (folder.find()) {
            return folder.group(1).replaceFirst("^tenure-", "");
        }
        throw new IllegalStateException("neither a module's folder nor its jar: " + uri);
    }

    static final class MainCode implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/");
        }
    }
}
