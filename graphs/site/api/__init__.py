"""What all doors of HTTP share: who asks, bodies, paging, limits, problem documents."""
