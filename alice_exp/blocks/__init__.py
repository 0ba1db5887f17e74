"""Operations on single blocks: memorize, remember, edit, move, retire, import; why, log, undo."""
