"""The figures: modules tabulate_… return the numbers of each kind, modules draw_… draw them."""
