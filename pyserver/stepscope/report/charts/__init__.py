"""What pictures of a step are drawn from: its spans, and its cost as trees. Columns, no objects."""
