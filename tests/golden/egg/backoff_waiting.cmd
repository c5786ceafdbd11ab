egg backoff_waiting.egg
