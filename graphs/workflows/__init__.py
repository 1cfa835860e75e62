"""Workflow graphs: what people and models ask for, planned as operations; files, live editing, layout."""
