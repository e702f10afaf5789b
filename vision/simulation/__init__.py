"""The simulated table: a scene of toy soldiers, its pictures as a camera over it takes them, and the exact truth."""
