package dev.tenure.zookeeper.wire;

/** The kinds of requests, in the numbers of ZooKeeper's protocol. */
enum OpType {
    CREATE(1),
    DELETE(2),
    GET_DATA(4),
    SET_DATA(5),
    GET_CHILDREN(8),
    SYNC(9),
    PING(11),
    CHECK(13),
    MULTI(14),
    CREATE2(15),
    MULTI_READ(22),
    AUTH(100),
    SET_WATCHES(101),
    SASL(102),
    SET_WATCHES2(105),
    ADD_WATCH(106),
    CLOSE(-11);

    private final int number;

    OpType(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
