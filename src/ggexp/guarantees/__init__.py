"""What a guarantee means: many queries, guessing advantage, an audit."""
