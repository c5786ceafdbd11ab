check library-calls-before.hlo library-calls-after.hlo
