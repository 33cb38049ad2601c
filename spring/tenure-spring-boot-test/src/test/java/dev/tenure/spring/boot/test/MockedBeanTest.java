// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mockingDetails;

import dev.tenure.spring.LeaderOnly;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SpringBootTest(properties = "spring.datasource.url=jdbc:h2:mem:mocked")
@AutoConfigureFakeElections
class MockedBeanTest {
    @MockitoBean
    private Books books;

    @Autowired
    private Reader reader;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({Books.class, Reader.class})
    static class BooksApplication {}

    static class Books {
        @LeaderOnly("books")
        public String read() {
            return "a book";
        }
    }

    record Reader(Books books) {}

    @Test
    void a_bean_with_a_gated_method_can_be_replaced_by_a_mock() {
        assertThat(mockingDetails(reader.books()).isMock()).isTrue();
        assertThat(reader.books().read()).isNull();
    }
}
