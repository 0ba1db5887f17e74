"""Search over blocks: recall, list and show, the index behind them, ranking, and when to answer nothing."""
