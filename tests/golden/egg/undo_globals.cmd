egg undo_globals.egg
