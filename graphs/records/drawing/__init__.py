"""The drawing of a matrix: what is shown where, how it is written as SVG, and the process in which that is done."""
