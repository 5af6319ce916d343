"""What a guarantee amounts to: many queries, an adversary, an audit."""
