"""The drawing of a matrix: what is shown where, the library that draws it, and the process in which it does."""
