/** A module that names each library of Tenure that a program can use. */
module example.modular {
    requires dev.tenure;
    requires dev.tenure.local;
    requires dev.tenure.etcd;
    requires dev.tenure.zookeeper;
    requires dev.tenure.consul;
    requires dev.tenure.redis;
    requires dev.tenure.kubernetes;
    requires dev.tenure.jdbc;
    requires dev.tenure.postgres.advisory;
    requires dev.tenure.peers;
    requires dev.tenure.fence.sql;
    requires dev.tenure.patterns;
    requires dev.tenure.observability;
}
