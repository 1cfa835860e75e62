"""What people talk about: workspaces, workflow graphs and their interchange."""
