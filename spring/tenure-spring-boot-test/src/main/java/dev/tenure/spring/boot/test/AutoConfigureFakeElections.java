// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * On a test with {@code @SpringBootTest}: the application stands in {@link dev.tenure.testing.FakeElections}, as a node in virtual time, instead of in
 * the store of {@code tenure.url}. Inject {@code FakeElections} and call {@code advance}: nothing happens before. The node has the name {@code
 * tenure.node}, {@code app} if that is empty, and the TTL {@code tenure.ttl}, 10 s if that is empty.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureFakeElections
 * class SweeperTest {
 *     @Autowired FakeElections elections;
 *
 *     @Test
 *     void it_sweeps_while_it_leads() {
 *         elections.advance(Duration.ofMinutes(1));
 *         …
 *     }
 * }
 * }</pre>
 *
 * <p>Each context has elections of its own. Tests that share a context share its virtual time, which goes on.
 */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(FakeElectionsConfiguration.class)
public @interface AutoConfigureFakeElections {}
