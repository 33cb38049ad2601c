// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import dev.tenure.support.Ports;
import java.util.List;
import java.util.stream.Stream;

/** URLs of every form with a password that is easy to find again. */
final class SecretUrls {
    static final String SECRET = "Canary7Hunter";

    private SecretUrls() {}

    /** Of stores that nobody serves. */
    static List<String> unreachable() {
        String host = "127.0.0.1:" + Ports.free();
        return Stream.of(
                        "down-aloud://root:SECRET@HOST/x?password=SECRET&sesame=x",
                        "etcd://root:SECRET@HOST/x",
                        "etcd://root:SECRET%21@HOST/x",
                        "etcd://HOST/x?user=root&password=SECRET",
                        "etcd://HOST/x?user=root&password=a%26SECRET%25",
                        "zk://app:SECRET@HOST",
                        "redis://:SECRET@HOST",
                        "rediss://app:%40SECRET@HOST/1",
                        "redis://HOST?user=app&password=SECRET",
                        "redis://app:SECRET@HOST,HOST?sentinel=main&sentinel.auth=on",
                        "redis://HOST?tokens=jdbc:postgresql://app:SECRET@HOST/db%3Fpassword=SECRET",
                        "zookeeper://HOST?auth=digest&user=app&password=SECRET",
                        "consul://HOST/x?token=SECRET",
                        "consul://HOST/x?token=a%26SECRET%25&namespace=team",
                        "postgresql://app:SECRET@HOST/db",
                        "postgresql://app:%40SECRET%3A@HOST/db",
                        "postgresql://app:pa@SECRET@HOST/db",
                        "postgresql://HOST/db?user=app&password=SECRET",
                        "postgresql://HOST/db?user=app&pass%77ord=SECRET",
                        "postgresql+advisory://app:SECRET@HOST/db",
                        "postgres://app:SECRET@HOST/db",
                        "jdbc:postgresql://app:SECRET@HOST/db",
                        "jdbc:postgresql://app:SECRET@HOST,HOST/db",
                        "jdbc:postgresql://HOST/db?user=app&password=SECRET&sslpassword=SECRET",
                        "jdbc:mariadb://app:SECRET@HOST/db",
                        "jdbc:mariadb://app:%2FSECRET@HOST/db",
                        "jdbc:mariadb://HOST/db?user=app&password=SECRET&keyStorePassword=SECRET",
                        "jdbc:mariadb://address=(host=127.0.0.1)(port=1)(password=SECRET)/db",
                        "jdbc:h2:tcp://HOST/x;USER=sa;PASSWORD=SECRET",
                        "jdbc:h2:tcp://HOST/x?user=sa&password=SECRET")
                .map(shape -> shape.replace("HOST", host).replace("SECRET", SECRET))
                .toList();
    }

    /** That no store, or no store of this command, can be opened by. */
    static List<String> malformed() {
        return Stream.of(
                        "app:SECRET@host",
                        "app:SECRET@host:5432/db",
                        "//app:SECRET@host/db",
                        "app/SECRET@host",
                        "Etcd://root:SECRET@host",
                        "etcd:root:SECRET@host",
                        "etcd:/root:SECRET@host",
                        "etcd://root:SECRET@host:99999",
                        "etcd://root:SECRET@ho st",
                        "etcd://root:SECRET@",
                        "etcd://root:SECRET",
                        "zk://app:12,SECRET@host:port",
                        "jdbc:mariadb://app:SECRET/db",
                        "jdbc:postgresql://app:SECRET/db",
                        "postgresql://app:SECRET/db",
                        "postgresql+advisory://app:SECRET/db",
                        "etcd://root:pa?SECRET@host",
                        "etcd://root:pa?x=SECRET@host",
                        "etcd://root:pa/SECRET@host",
                        "etcd://root:SECRET@host?nonsense=SECRET",
                        "etcd://root:SECRET@host?ttl=soon",
                        "etcd://host?password=SECRET&password=x",
                        "etcd://host?password=SECRET",
                        "etcd://host?user=a&password=%zzSECRET",
                        "etcd://root:%zzSECRET@host",
                        "zk://app:SECRET@host:port",
                        "redis://app:SECRET@host:port",
                        "redis:app:SECRET@host",
                        "redis://app:SECRET@host/db",
                        "redis://app:SECRET@host?tokens=SECRET",
                        "redis://host?tokens=redis://:SECRET@host",
                        "redis://host?tokens=nothing://app:SECRET@host",
                        "zk://app:SECRET@host?auth=SECRETsasl&password=SECRET",
                        "consul://joe:SECRET@host/x",
                        "consul://host/x?tokn=SECRET&token=SECRET",
                        "consul://host:port/x?token=SECRET",
                        "consul://host/x?token=SECRET&timeout=soon",
                        "peers://a:SECRET@127.0.0.1:7001,b:SECRET@127.0.0.1:7002?me=a",
                        "peers://a:SECRET@127.0.0.1:7001",
                        "peers://a@127.0.0.1:7001,b:SECRET@127.0.0.1:7002",
                        "peers://a:x,SECRET@127.0.0.1:7001",
                        "local:/tmp?password=SECRET",
                        "postgresql:app:SECRET@host/db",
                        "postgresql://app:SECRET@host:port/db",
                        "postgresql://app:%zzSECRET@host/db",
                        "postgresql+advisory:app:SECRET@host/db",
                        "jdbc:mariadb://app:SECRET@host:port/db",
                        "jdbc:mysql://app:SECRET@host/db",
                        "jdbc:mysql://a:SECRET@h1,b:SECRET@h2/db",
                        "jdbc:sqlserver://host:1433;user=sa;password=SECRET;encrypt=true",
                        "jdbc:sqlserver://host:1433;user=sa;password={a;SECRET}}b}",
                        "jdbc:sqlserver://host;user=sa;pwd=p@SECRET",
                        "jdbc:oracle:thin:scott/SECRET@//host:1521/x",
                        "jdbc:oracle:thin:scott/\"a@SECRET\"@host:1521:x",
                        "jdbc:oracle:thin:@host:1521:x?oracle.net.wallet_password=SECRET",
                        "jdbc:db2://host:50000/db:user=app;password=SECRET;",
                        "jdbc:h2:mem:x;PASSWORD=SECRET;tenure.prefix=a",
                        "jdbc:h2:mem:x;PASSWORD=SECRET;NONSENSE=1",
                        "jdbc:nothing:app:SECRET@host",
                        "jdbc:SECRET@host")
                .map(shape -> shape.replace("SECRET", SECRET))
                .toList();
    }
}
