"""The figures: tabulate_… makes the numbers of each, draw_… draws them."""
