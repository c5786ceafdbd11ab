egg undo_dead.egg
