"""Programs that stress one part of the egg engine each: {name: text}.  The same every time."""

import random

ALGEBRA = """(datatype M (Add M M) (Mul M M) (Sub M M) (Neg M) (D M M) (Int M M) (Sin M) (Cos M) (C i64) (X String))
(rewrite (Add a b) (Add b a)) (rewrite (Mul a b) (Mul b a))
(rewrite (Add a (Add b c)) (Add (Add a b) c)) (rewrite (Mul a (Mul b c)) (Mul (Mul a b) c))
(rewrite (Mul a (Add b c)) (Add (Mul a b) (Mul a c))) (rewrite (Add (Mul a b) (Mul a c)) (Mul a (Add b c)))
(rewrite (Sub a b) (Add a (Neg b))) (rewrite (Neg a) (Mul (C -1) a)) (rewrite (Mul a (C 0)) (C 0))
(rewrite (Mul a (C 1)) a) (rewrite (Add a (C 0)) a) (rewrite (Sub a a) (C 0))
(rewrite (D x (Add a b)) (Add (D x a) (D x b))) (rewrite (D x (Mul a b)) (Add (Mul a (D x b)) (Mul b (D x a))))
(rewrite (D x (Sin x)) (Cos x)) (rewrite (D x (Cos x)) (Neg (Sin x)))
(rewrite (Int (Add f g) x) (Add (Int f x) (Int g x)))
(rewrite (Int (Mul a b) x) (Sub (Mul a (Int b x)) (Int (Mul (D x a) (Int b x)) x)))
(let $e (Int (Mul (X "x") (Mul (Cos (X "x")) (Add (X "y") (Sin (X "x"))))) (X "x")))
(Int (Add (X "x") (Cos (X "x"))) (X "x")) (Sub (Add (X "x") (C 2)) (Mul (X "y") (Add (X "x") (X "y"))))
"""
SATURATE = "(run-schedule (saturate (run)))"


def rows(relation, pairs):
    return "".join(f"({relation} {' '.join(map(str, p))})\n" for p in pairs)


def edges(n, m, seed, skew=1):
    r = random.Random(seed)
    return sorted({(int(n * r.random() ** skew), int(n * r.random() ** skew)) for _ in range(m)})


def sums(n):
    return "(Add " * (n - 1) + "(V 0)" + "".join(f" (V {i}))" for i in range(1, n))


def star(n):
    return [(0, i) for i in range(n)] + [(i, 0) for i in range(1, n)]


def analysis(n, seed):
    r = random.Random(seed)
    text = "(relation new (i64 i64)) (relation copy (i64 i64)) (relation load (i64 i64)) (relation store (i64 i64))\n"
    text += "(relation at (i64 i64)) (relation heap (i64 i64)) (rule ((new v o)) ((at v o)))\n"
    text += "(rule ((copy v w) (at w o)) ((at v o))) (rule ((load v p) (at p o) (heap o q)) ((at v q)))\n"
    text += "(rule ((store p v) (at p o) (at v q)) ((heap o q)))\n"
    for _ in range(2 * n):
        text += f"({r.choice(['new', 'new', 'copy', 'copy', 'load', 'store'])} {r.randrange(n)} {r.randrange(n)})\n"
    return text + SATURATE


def weighted(pairs):
    return rows("e", [(a, b, (a * 31 + b * 17) % 100 + 1) for a, b in pairs])


TRIANGLE = "(relation e (i64 i64)) (relation t (i64 i64 i64)) (rule ((e x y) (e y z) (e z x)) ((t x y z)))\n"
PROGRAMS = {
    "algebra": ALGEBRA + "(run 9)",
    "assoc-comm": "(datatype M (V i64) (Add M M)) (rewrite (Add a b) (Add b a)) (rewrite (Add a (Add b "
    "c)) (Add (Add a b) c))\n"
    + sums(9)
    + SATURATE,
    "congruence": "(datatype T (A) (F T)) (function at (i64) T :merge old) (set (at 0) (A))\n"
    "(rule ((= t (at i)) (< i 6000)) ((set (at (+ i 1)) (F t)))) (run 6001) (union (at 6000) (A)) (union "
    "(at 5999) (A))",
    "closure": "(relation e (i64 i64)) (relation p (i64 i64)) (rule ((e x y)) ((p x y))) (rule ((p x y) "
    "(e y z)) ((p x z)))\n"
    + rows("e", edges(500, 2000, 1))
    + SATURATE,
    "points-to": analysis(500, 2),
    "shortest": "(relation e (i64 i64 i64)) (function d (i64 i64) i64 :merge (min old new)) (rule ((e a "
    "b w)) ((set (d a b) w)))\n"
    "(rule ((= x (d a b)) (e b c w)) ((set (d a c) (+ x w))))\n" + weighted(edges(200, 1200, 3)) + SATURATE,
    "product": "(relation a (i64)) (relation b (i64)) (relation c (i64 i64)) (rule ((a x) (b y)) ((c x y)))\n"
    + rows("a", [(i,) for i in range(700)])
    + rows("b", [(i,) for i in range(700)])
    + "(run 1)",
    "triangle-star": TRIANGLE + rows("e", star(3000)) + "(run 1)",
    "triangle-skew": TRIANGLE + rows("e", edges(4000, 12000, 4, skew=4)) + "(run 1)",
    "clique": "(relation e (i64 i64)) (relation t (i64 i64 i64 i64)) (rule ((e a b) (e a c) (e a d) (e b "
    "c) (e b d) (e c d)) ((t a b c d)))\n"
    + rows("e", edges(600, 15000, 5))
    + "(run 1)",
    "unused": "(relation e (i64 i64)) (relation o (i64)) (rule ((e x _) (e x _) (e x _)) ((o x)))\n"
    + rows("e", edges(200, 6000, 6))
    + "(run 1)",
    "arithmetic": "(relation n (i64)) (relation o (i64)) (n 0) (rule ((n i) (< i 8000)) ((n (+ i 1)) (n "
    "(+ (* i 2) 1))))\n"
    + SATURATE
    + "(rule ((n i) (n (+ i 2))) ((o i))) (run 1)",
    "sums": "(relation n (i64)) (relation t (i64 i64 i64)) (rule ((n x) (n y) (n (+ x y))) ((t x y (+ x y))))\n"
    + rows("n", [(i * 7919 % 99991,) for i in range(300)])
    + "(run 1)",
    "rationals": "(function h (i64) BigRat :merge old) (set (h 1) (bigrat (bigint 1) (bigint 1)))\n"
    "(rule ((= a (h x)) (< x 1200)) ((set (h (+ x 1)) (+ a (bigrat (bigint 1) (bigint (+ x 1))))))) (run 1201)",
    "strings": '(relation s (String)) (relation p (String i64)) (rule ((s x) (< (count-matches x "a") '
    '40)) ((s (+ x "ab"))))\n'
    '(rule ((s x)) ((p (replace x "b" "cc") (count-matches x "ab"))))\n'
    + "".join(f'(s "seed{i}")' for i in range(300))
    + "(run 45)",
    "sets": "(datatype E (N i64)) (sort S (Set E)) (constructor L (S) E) (relation u (i64 i64)) (rule "
    "((u a b)) ((union (N a) (N b))))\n"
    "(rule ((u a b)) ((u (+ a 2) (+ b 2))))\n"
    + "".join(f"(L (set-of {' '.join(f'(N {i * k * 7 % 500})' for k in range(1, 41))}))\n" for i in range(800))
    + "(u 0 1) (run 200)",
    "push-pop": "(datatype M (N i64) (A M M)) (rewrite (A x y) (A y x))\n"
    + "".join(f"(A (N {i}) (N {i + 1}))\n" for i in range(2000))
    + "(run 2)\n"
    + "".join(f"(push) (union (N {i}) (N {i + 5})) (run 2) (pop)\n" for i in range(300)),
    "extract": ALGEBRA + "(run 8)" + "(extract $e)" * 5,
    "idle": ALGEBRA
    + "".join(f"(rewrite (Mul (Add a b) (Sin (C {i + 9}))) (Cos a))\n" for i in range(800))
    + "(run 7)",
    "one-prefix": "(datatype M (V i64) (C i64) (Add M M) (Mul M M)) (relation hit (M i64)) (rewrite (Mul "
    "a b) (Mul b a))\n"
    + "".join(
        f"(rule ((= e (Add a b)) (= a (Mul c d)) (= b (Mul c f)) (= f (C {i}))) ((hit e {i})))\n" for i in range(400)
    )
    + "".join(f"(Add (Mul (V {i % 300}) (C {i % 97})) (Mul (V {i % 300}) (C {i * 7 % 611})))\n" for i in range(4000))
    + "(run 4)",
    "facts": "(relation e (i64 String i64))\n"
    + "".join(f'(e {i} "name{i % 997}" {i * 7919 % 100003})\n' for i in range(30000)),
    "globals": "(datatype T (C i64) (P T T)) (let $v0 (C 0))\n"
    + "".join(f"(let $v{i} (P $v{i - 1} (C {i})))\n" for i in range(1, 20000)),
    "deletions": "(relation n (i64)) (relation done (i64)) (rule ((n x) (< x 60000)) ((delete (n x)) (n "
    "(+ x 200)) (done x)))\n"
    + rows("n", [(i,) for i in range(200)])
    + "(run 301)",
    "subsumption": "(datatype M (N i64) (A M M)) (rewrite (A (N x) (N y)) (N (+ x y)) :subsume) (rewrite "
    "(A x (A y z)) (A (A x y) z) :subsume)\n"
    "(let $t " + "".join(f"(A (N {i}) " for i in range(800)) + "(N 7)" + ")" * 800 + ") (run 60)",
}
