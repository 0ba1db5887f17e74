"""One block after another: memorize, remember, edit, move, retire, import; why, log, undo."""
