egg backoff.egg
