"""Every door x every role x every kind of id: generated from the code, compared with the rules of `rules.py`."""
