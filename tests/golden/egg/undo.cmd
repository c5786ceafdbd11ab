egg undo.egg
