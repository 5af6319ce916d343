"""What a guarantee amounts to: many queries, a guesser, an audit."""
