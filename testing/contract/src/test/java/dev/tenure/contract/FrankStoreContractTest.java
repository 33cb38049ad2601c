package dev.tenure.contract;

class FrankStoreContractTest extends FrankStoreContract {}
