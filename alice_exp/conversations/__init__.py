"""Sessions: kept, fitted into a window, searched, read for candidates; context and prime."""
