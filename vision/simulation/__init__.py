"""The simulated table: a scene of toy soldiers, camera pictures of it, and the exact truth."""
