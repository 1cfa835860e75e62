"""Databases of released versions as files, which every later version must upgrade and go on with."""
