package dev.tenure.local;

/** What the store knows of the machine it runs on. */
record Machine(MachineClock clock, Disk disk) {
    static Machine thisOne() {
        return new Machine(LinuxClock.ofThisMachine(), Disk.ofThisMachine());
    }
}
