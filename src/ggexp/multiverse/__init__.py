"""The paper's design in other readings of the paper, and which of its sentences depend on them."""
