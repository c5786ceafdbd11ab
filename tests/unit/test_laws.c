/* The laws of the calculus where random terms do not reach them: equations that its side conditions must keep from
 * being proved, equations that it must prove, and single values with what they claim.  tests/laws breaks each law in
 * turn. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eval/calculus/core.h"
#include "eval/calculus/evaluate.h"
#include "eval/lemma/breaker.h"
#include "eval/prove/pair.h"
#include "eval/verdict/check.h"
#include "lang/lang.h"

static int failures;

static void wrong(const char *what) {
  printf("wrong: %s\n", what);
  failures++;
}

static void expect(bool holds, const char *what) {
  if (!holds) wrong(what);
}

/* ---- equations ---- */

/* Each is false somewhere, or a side has no value there: a law without its condition would prove it. */
static const char false_equations[] =
    "lemma not_above_zero_of_any(x, y): (if x + 2 * y <= 0 then 1 else 0) == (if x + 2 * y == 0 then 1 else 0)\n"
    "lemma rows_at_other_places(x[v: 4], y[v: 4], s, t) when type(t) is int and type(s) is int:\n"
    "  (sum(v) (if t == v then x[v] else 0)) * (sum(v) (if s == v then y[v] else 0))\n"
    "  == sum(v) (if t == v then x[v] * y[v] else 0)\n"
    "lemma end_beside_less(x[k: 8], p, _i[i: 6], _j[j: 3]) when type(p) is bool:\n"
    "  (if i + j >= 7 then x[7] else 0) + p * (if i + j < 7 then x[i + j] else 0) == p * x[i + j]\n"
    "lemma end_of_less(x[k: 8], p, _i[i: 6], _j[j: 3]) when type(p) is bool:\n"
    "  p * (if i + j >= 7 then x[7] else 0) + (if i + j < 7 then x[i + j] else 0) == x[i + j]\n"
    "lemma before_the_end(x[k: 8], _i[i: 6], _j[j: 3]):\n"
    "  (if i + j >= 6 then x[7] else 0) + (if i + j < 6 then x[i + j] else 0) == x[i + j]\n"
    "lemma other_end(x[k: 8], _i[i: 6], _j[j: 3]):\n"
    "  (if i + j < 1 then x[7] else 0) + (if i + j >= 1 then x[7 - i - j] else 0) == x[i + j]\n"
    "lemma end_of_another(x[k: 8], _i[i: 6], _j[j: 3]):\n"
    "  (if i + j >= 7 then x[6] else 0) + (if i + j < 7 then x[i + j] else 0) == x[i + j]\n"
    "lemma chosen_elsewhere(x, y, p, q) when type(p) is bool and type(q) is bool:\n"
    "  (if p == 1 then q * x else y) == (if p == 1 then x else y)\n"
    "lemma sure_only_under_another(x[j: 3], y):\n"
    "  (max(k: 2) if y < 0 then k + (max(j: 3) if x[j] == max(m: 3) x[m] then -j else -2) else -100)\n"
    "  == (max(k: 2) if y < 0 then k + (max(j: 3) if x[j] == max(m: 3) x[m] then -j else -2) else -2)\n"
    "lemma place_by_twos(x[j: 8]):\n"
    "  (sum(k: 8) if 2 * k == (min(j: 8) if x[j] == max(m: 8) x[m] then 2 * j else 14) then k else 0)\n"
    "  == (min(j: 8) if x[j] == max(m: 8) x[m] then 2 * j else 14)\n"
    "lemma exponentials_compare(x): (if exp(x) < 2 then 1 else 0) == (if x < 0 then 1 else 0)\n"
    "lemma root_of_cube(x): sqrt(x^3) == abs(x) * sqrt(abs(x))\n"
    "lemma square_beside_abs(x): x * abs(x) == x^2\n"
    "lemma abs_of_factors(x, y): abs(x * y) == abs(x) * y\n"
    "lemma one_of_every_other(_x[i: 4], t) when type(t) is int: (max(k: 4) if 2 * k == t then 1 else 0) + 0 * i\n"
    "  == (if 0 <= t and t < 8 then 1 else 0)\n"
    "lemma none_of_the_negated(_x[i: 4], t) when type(t) is int: (max(k: 4) -(if k == t then 1 else 0)) + 0 * i\n"
    "  == (if 0 <= t and t < 4 then 1 else 0)\n"
    "lemma factor_of_any_sign(x[i: 4], y): (max(k: 4) y * x[k]) + 0 * i == y * (max(k: 4) x[k]) + 0 * i\n"
    "lemma factor_of_one_alone(x[i: 4], y, z): (maximum(max(k: 4) exp(y) * x[k], z * y)) + 0 * i\n"
    "  == exp(y) * (maximum(max(k: 4) x[k], z * y)) + 0 * i\n"
    "lemma factor_beside_a_number(x[i: 4], y): (maximum(max(k: 4) exp(y) * x[k], 1)) + 0 * i\n"
    "  == exp(y) * (maximum(max(k: 4) x[k], 0)) + 0 * i\n"
    "lemma factor_that_varies(x[i: 4], y[i: 4]): (max(k: 4) exp(y[k]) * x[k]) + 0 * i\n"
    "  == exp(y[0]) * (max(k: 4) x[k]) + 0 * i\n"
    "lemma one_of_products(_x[i: 4], t) when type(t) is int: (max(k: 4, j: 4) if k + j == t then 1 else 0) + 0 * i\n"
    "  == (sum(k: 4, j: 4) if k + j == t then 1 else 0)\n"
    "lemma cosine_of_sum(x, y): cos(x + y) == cos(x) * cos(y) + sin(x) * sin(y)\n"
    "lemma common_factor_squared(x, y, z): y^2 * (exp(x) + z) == y * (exp(x) + z)\n"
    "lemma common_factor_doubled(x, y, z): 2 * y * (exp(x) + z) == y * (exp(x) + z)\n"
    "lemma bits_of_no_power(x) when type(x) is int: band(x, 5) == mod(x, 6)\n"
    "lemma bits_one_less(x) when type(x) is int: band(x, 7) == mod(x, 7)\n"
    "lemma rounded_up_or_down(x): ceil(x) + round_even(x) + round_afz(x) == 3 * x\n"
    "lemma bits_truncated(x) when type(x) is int: band(x, 7) == rem(x, 8)\n"
    "lemma moved_down_truncated(x) when type(x) is int: shr(x, 3) == truncdiv(x, 8)\n"
    "lemma moved_down_once_more(x) when type(x) is int: shr(x, 3) == floordiv(x, 4)\n"
    "lemma moved_up_by_less(x) when type(x) is int: shl(x, 3) == 3 * x\n"
    "lemma below_the_next_of_reals(x): (if x < 5/2 then 1 else 0) == (if x < 3 then 1 else 0)\n"
    "lemma below_the_last(x) when type(x) is int: (if x < 5/2 then 1 else 0) == (if x < 2 then 1 else 0)\n"
    "lemma half_of_even(x, y) when type(x) is int and type(y) is int: (if x / 2 + y / 3 == 1 then 1 else 0) == 0\n"
    "lemma below_parts_of_several(x, y, z) when type(x) is int and type(y) is int and type(z) is int:\n"
    "  (if x / 2 + y / 3 + z / 5 < 8/7 then 1 else 0) == (if 15 * x + 10 * y + 6 * z < 36 then 1 else 0)\n"
    "lemma never_half_of_reals(x): (if x == 5/2 then 1 else 0) == 0\n"
    "lemma at_most_of_reals(x, y): (if x - y <= 2 then 1 else 0) == (if x - y < 3 then 1 else 0)\n"
    "lemma at_most_one_less(x[i: 3], t) when type(x) is int and type(t) is int:\n"
    "  (if x[i] - t <= 2 then 1 else 0) == (if x[i] - t < 2 then 1 else 0)\n"
    "lemma at_least_one_more(x[i: 3], t) when type(x) is int and type(t) is int:\n"
    "  (if x[i] - t >= 2 then 1 else 0) == (if x[i] - t > 2 then 1 else 0)\n"
    "lemma most_from_the_end_or_one(x[i: 5]): (max(k: 5) maximum(exp(x[4 - k]), 1)) + 0 * i\n"
    "  == (max(k: 5) exp(x[k])) + 0 * i\n"
    "lemma written_out_but_one(x[i: 8]): (sum(k: 7) exp(x[k] * x[k + 1])) + 0 * i ==\n"
    "  (sum(k: 3) exp(x[3 * k] * x[3 * k + 1])) + exp(x[1] * x[2]) + (sum(k: 2) exp(x[2 * k + 2] * x[2 * k + 3])) + 0 * i\n"
    "lemma most_but_one(x[i: 8]): (max(k: 7) exp(x[k] * x[k + 1])) + 0 * i == maximum(exp(x[1] * x[2]),\n"
    "  maximum(max(k: 3) exp(x[3 * k] * x[3 * k + 1]), max(k: 2) exp(x[2 * k + 2] * x[2 * k + 3]))) + 0 * i\n"
    "lemma log_but_one(x[i: 8]): log(1 + 2 * sum(k: 7) exp(x[k] * x[k + 1])) + 0 * i == log(1\n"
    "  + 2 * (sum(k: 4) exp(x[k] * x[k + 1])) + 2 * sum(k: 2) exp(x[2 * k + 4] * x[2 * k + 5])) + 0 * i\n"
    "lemma least_as_the_most(x[i: 8]): (max(k: 7) 2 * exp(x[k] * x[k + 1])) + 0 * i == maximum(-2 * exp(x[5] * x[6]),\n"
    "  maximum(max(k: 4) -2 * exp(x[k] * x[k + 1]), max(k: 2) -2 * exp(x[2 * k + 4] * x[2 * k + 5]))) + 0 * i\n"
    "lemma written_out_weighted(x[i: 8]): 2 * (sum(k: 7) exp(x[k] * x[k + 1])) + 0 * i ==\n"
    "  (sum(k: 3) exp(x[3 * k] * x[3 * k + 1])) + exp(x[1] * x[2]) + exp(x[5] * x[6])\n"
    "  + (sum(k: 2) exp(x[2 * k + 2] * x[2 * k + 3])) + 0 * i\n"
    "lemma read_both_ways(x[i: 5]): (sum(k: 5) exp(x[4 - k] * x[k] + x[k])) + 0 * i\n"
    "  == (sum(k: 5) exp(x[k]^2 + x[k])) + 0 * i\n"
    "lemma read_before_the_end(x[i: 5]): (sum(k: 4) exp(x[4 - k])) + 0 * i == (sum(k: 4) exp(x[k])) + 0 * i\n"
    "lemma power_of_any(x, y, z) when z < 1: pow(z, 2 * x + y) == pow(z, x)^2 * pow(z, y)\n"
    "lemma power_of_a_table_with_zero(x[h: 3, i: 5, j: 5]): pow(1 - pow(2, -h), 2 * i - j) * pow(1 - pow(2, -h), j)\n"
    "  + 0 * x[h, i, j] == pow(1 - pow(2, -h), i)^2\n"
    "lemma exponential_of_a_form_once(x[h: 3, i: 5, j: 5]): exp(3 * (2 * i - j) * x[h, i, j])\n"
    "  == exp(i * x[h, i, j])^(-2) * exp(j * x[h, i, j])\n"
    "lemma power_of_masked(x, p, z) when type(p) is bool: (if p == 1 then exp(x) else 0)^2 ==\n"
    "  exp(log(pow(if p == 1 then exp(x) else 0, z)) * 2 / z)\n"
    "lemma equal_beside(x[i: 4, j: 4, k: 4]): (if i == j + 2 * k then 1 else 0) + 0 * x[i, j, k]\n"
    "  == (if j == i + 2 * k then 1 else 0)\n"
    "lemma near_on_one_side(x[i: 5, j: 6]): (if abs(i - j) < 3 then x[i, j] else 0)\n"
    "  == (if i - j < 3 then x[i, j] else 0)\n"
    "lemma far_either_way(x[i: 5, j: 6]): (if -abs(i - j) < -2 then x[i, j] else 0)\n"
    "  == (if i - j > 2 then 1 else 0) * (if j - i > 2 then 1 else 0) * x[i, j]\n"
    "lemma equal_turned(x[i: 4, j: 4, k: 4, l: 4]): (if i + j == k + l then 1 else 0) + 0 * x[i, j, k, l]\n"
    "  == (if i + k == j + l then 1 else 0)\n"
    "lemma mask_scaled_below_zero(p, x) when type(p) is bool: x * 2^(1/2) - (if p == 1 then 0 else -inf) * 2^(1/2)\n"
    "  == 2^(1/2) * (x + (if p == 1 then 0 else -inf))\n"
    "lemma mask_scaled_by_less(p, x) when type(p) is bool: (2^(1/2) - 3^(1/2)) * (if p == 1 then x else -inf)\n"
    "  == (if p == 1 then (2^(1/2) - 3^(1/2)) * x else -inf)\n"
    "lemma infinities_cancel(p, x) when type(p) is bool: -inf - (if p == 1 then x else -inf) == -inf\n"
    "lemma root_of_signs(x, y, w): (if w < 0 then 1 else 0) * sqrt(if w < 0 then x * y else w)\n"
    "  == (if w < 0 then 1 else 0) * sqrt(x) * sqrt(y)\n"
    "lemma roots_of_a_number(x): x * 8^(1 / 2) * 6^(-1 / 2) == x * 3^(-1 / 2)\n"
    "lemma roots_that_are_whole(x): x * 2^(1 / 2) * 18^(1 / 2) == 3 * x\n"
    "lemma third_root_of_a_fraction(x): x * (4 / 27)^(1 / 3) == x * 2^(1 / 3) / 3\n"
    "lemma root_of_a_multiple(x, y) when x + 2 * y > 0: (x / 20 + y / 10)^(1 / 2) * (x + 2 * y)^(-1)\n"
    "  == 20 * (x / 20 + y / 10)^(-1 / 2)\n"
    "lemma root_of_no_multiple(x, y) when x > 0 and y > 0: (x / 20 + y / 10)^(1 / 2) * (x + y)^(-1)\n"
    "  == (x / 20 + y / 10)^(-1 / 2) / 20\n"
    "lemma term_that_varies(x[i: 3, j: 2], z[j: 2]): (max(k: 3, l: 2) (x[k, l] - z[l])) + 0 * j\n"
    "  == (max(k: 3, l: 2) x[k, l]) - z[j]\n"
    "lemma term_of_other_weight(x[i: 3, j: 2], z[j: 2]): (max(k: 3) (x[k, j] - 2 * z[j])) == (max(k: 3) x[k, j]) - z[j]\n"
    "lemma maximum_of_the_negated(x[i: 3]): (max(k: 3) (-2 * x[k])) + 0 * i == -2 * (max(k: 3) x[k]) + 0 * i\n"
    "lemma root_of_another_multiple(x[i: 3]): sqrt((sum(k: 3) x[k]^2) / 12) + 0 * i == sqrt(sum(k: 3) x[k]^2) / 12 + 0 * i\n"
    "lemma root_of_a_multiple_in_a_case(x[i: 3], p) when type(p) is bool:\n"
    "  sqrt(if p == 1 then (1 + sum(k: 3) x[k]^2) / 16 else 0) + 0 * i\n"
    "  == (if p == 1 then sqrt(1 + sum(k: 3) x[k]^2) / 16 else 0) + 0 * i\n"
    "lemma copies_of_both_signs(x[i: 3]): x[0] + x[1] - x[2] + 0 * i == (sum(k: 3) x[k]) + 0 * i\n"
    "lemma root_of_negative(x) when x < 0: sqrt(-4 * x) == 2 * sqrt(x)\n"
    "lemma condition_times_a_divisor(p, x) when type(p) is bool:\n"
    "  (if p == 1 then (1 + x) / (p * (1 + x)) else 0) == 1\n"
    "lemma inverse_of_infinity(p, x) when type(p) is bool:\n"
    "  (if (if p == 1 then x else -inf) ^ (-2) == 0 then 1 else 0) == 0\n"
    "lemma overlapping_digits(x[a: 3, b: 2]): (sum(k: 3, l: 2) if k + 2 * l == a + 2 * b then x[k, l] else 0) == x[a, "
    "b]\n"
    "lemma more_digits_outside(x[i: 2], _y[j: 2]): (sum(k: 2) if k == i + 2 * j then x[k] else 0) == x[i]\n"
    "lemma more_digits_outside_2(x[i: 2], _y[j: 3]): (sum(k: 2) if k == i + 2 * j then x[k] else 0) == x[i]\n"
    "lemma more_digits_outside_3(x[i: 3], _y[j: 2]): (sum(k: 3) if k == i + 3 * j then x[k] else 0) == x[i]\n"
    "lemma more_digits_outside_4(x[i: 3], _y[j: 2]): (sum(k: 3) if i + 3 * j == k then x[k] else 0) == x[i]\n"
    "lemma more_digits_inside(x[i: 2], y[k: 2, l: 2]):\n"
    "  (sum(k: 2, l: 2) if k + 2 * l == i then y[k, l] else 0) == y[i, i] + 0 * x[i]\n"
    "lemma bound_of_equation(t, _x[q: 2, h: 2, l: 6]) when type(t) is int:\n"
    "  (if t == 12 * q + 6 * h + l then 1 else 0) * (if t - 12 * q <= 0 then 1 else 0)\n"
    "    == (if t == 12 * q + 6 * h + l then 1 else 0)\n"
    "lemma negative_maximum(x, y): (if maximum(-exp(x), y) < 0 then 1 else 0) == 0\n"
    "lemma truth_is_positive(p) when type(p) is bool: (if p == 0 then 1 else 0) == 0\n"
    "lemma odd_power_is_positive(x): (if x ^ 3 < 0 then 1 else 0) == 0\n"
    "lemma strict_at_the_edge(x): (if x <= 0 then 1 else 0) * (if x < 0 then 1 else 0) == (if x <= 0 then 1 else 0)\n"
    "lemma distance_of_others(x, y, z): maximum(x, y) - abs(x - z) / 2 == (x + y) / 2\n"
    "lemma distance_beside_minimum(x, y): minimum(x, y) - abs(x - y) / 2 == (x + y) / 2\n"
    "lemma distance_of_three(x, y, z): maximum(x, maximum(y, z)) - abs(x - y) / 2 == (x + y) / 2\n"
    "lemma more_than_a_sum_of_exponentials(x, y):\n"
    "  log(2 + exp(abs(x - y))) == abs(x - y) / 2 + log(exp(x) + exp(y)) - (x + y) / 2\n"
    "lemma difference_of_exponentials(x, y):\n"
    "  log(1 - exp(-abs(x - y))) == log(exp(x) + exp(y)) - maximum(x, y)\n"
    "lemma part_of_other_denominator(x, a, b, c) when a + b > 0 and c > 0:\n"
    "  x - x * a / (a + b + c) == x * b / (a + b + c)\n"
    "lemma part_of_a_square(x, a, b) when a + b > 0: x / (a + b) - x * a / (a + b)^3 == x * b / (a + b)^2\n"
    "lemma twice_a_part(x, a, b) when a + b > 0: x - 2 * x * a / (a + b) == 2 * x * b / (a + b)\n"
    "lemma twice_the_other_part(x, a, b) when a + b > 0: x - 2 * x * b / (a + b) == 2 * x * a / (a + b)\n"
    "lemma log_of_half_a_quotient(x, y, a) when a > 0 and x > 0 and y > 0:\n"
    "  log(exp(x) / exp(y)^2 + exp(a)) + y == log(exp(x) + exp(a) * exp(y)^2)\n"
    "lemma log_of_part(x[i: 2], y[i: 2]): log(exp(y[i]) / (sum(k: 2) exp(x[k])) + 1) + log(sum(k: 2) exp(x[k]))\n"
    "  == log(exp(y[i]) + 1)\n"
    "lemma cleared_in_part(x, y, a) when a > 0 and x > 0 and y > 0: 1 / (x / a + y) == a / (x + y)\n"
    "lemma cleared_once(x, y, a) when a > 0 and x > 0 and y > 0: (x / a + y)^(-2) == a * (x + y * a)^(-2)\n"
    "lemma square_of_one_sum(x[i: 2, j: 2]): (sum(k: 2) (sum(l: 2) x[k, l]) ^ 2) + 0 * i * j\n"
    "  == sum(k: 2, l: 2) x[k, l] ^ 2\n"
    "lemma divided_by_its_condition(d, x): (if d > 0 then x / (if d > 0 then 1 else 0) else 0) == x\n"
    "lemma divided_by_a_masked_sum(d, x, y):\n"
    "  (if d > 0 then (x + y) / ((if d > 0 then 1 else 0) * (x + y)) else 0) == 1\n"
    "lemma roots_of_products(x, y, z): sqrt(x * y) * sqrt(x * z) == x * sqrt(y * z)\n"
    "lemma digits_of_two_signs(f) when type(f) is int: (sum(v: 3, w: 2) if f + v == 3 * w then 1 else 0)\n"
    "  == (if 0 <= f and f < 6 then 1 else 0)\n"
    "lemma digits_of_two_signs_2(f) when type(f) is int: (sum(v: 3, w: 2) if f == v - 3 * w then 1 else 0)\n"
    "  == (if 0 <= f and f < 6 then 1 else 0)\n"
    "lemma digits_of_two_signs_3(f) when type(f) is int: (sum(v: 3, w: 2) if f == v - 3 * w then 1 else 0)\n"
    "  == (if 0 <= -f and -f < 6 then 1 else 0)\n"
    "lemma rising_interval(f) when type(f) is int:\n"
    "  (sum(t: 4) (if 0 <= f + 3 * t then 1 else 0) * (if f + 3 * t < 3 then 1 else 0))\n"
    "  == (if 0 <= 3 - f and 3 - f < 12 then 1 else 0)\n"
    "lemma abs_of_an_integer(n) when type(n) is int: abs(n) == n\n"
    "lemma clamp_between_places(_x[i: 4, j: 4]): clamp(i, j, 7 - i) == j + 0 * i\n"
    "lemma clamp_below_its_block(x, _y[j: 5]) when type(x) is int:\n"
    "  (if 3 * j - 1 <= x and x <= 3 * j + 2 then clamp(3 * j, x, 3 * j + 2) else 0)\n"
    "  == (if 3 * j - 1 <= x and x <= 3 * j + 2 then x else 0)\n"
    "lemma clamp_above_its_block(x, _y[j: 5]) when type(x) is int:\n"
    "  (if 3 * j <= x and x <= 3 * j + 3 then clamp(3 * j, x, 3 * j + 2) else 0)\n"
    "  == (if 3 * j <= x and x <= 3 * j + 3 then x else 0)\n"
    "lemma remainder_at_the_edge(_x[i: 4]): mod(i, 3) == i\n"
    "lemma quotient_at_the_edge(_x[i: 4]): floordiv(i, 3) == 0 * i\n"
    "lemma largest_of_kept_is_a_number(x[i: 2], y[i: 2]):\n"
    "  (if exp(max(k: 2) if x[k] > 0 then y[k] else -inf) > 0 then 1 else 0) + 0 * i == 1 + 0 * i\n"
    "lemma none_holds_at_the_first(x[i: 3]): (if (sum(k: 3) (if k < i then 1 else 0) * exp(x[k])) > 0 then 1 else 0) == 1\n"
    "  + 0 * i\n"
    "lemma none_holds_anywhere(x[i: 3]): (if (sum(k: 3) (if k == 0 then 1 else 0) * (if k == i then 1 else 0) * exp(x[k]))\n"
    "  > 0 then 1 else 0) == 1 + 0 * i\n"
    "lemma largest_before_is_a_number(x[i: 3], y[i: 3]):\n"
    "  (if exp(max(k: 3) if k < i then y[k] else -inf) > 0 then 1 else 0) == 1 + 0 * i\n"
    "lemma largest_between_is_a_number(y[i: 3]):\n"
    "  (if exp(max(k: 3) ((if k < 1 then y[k] else -inf) + (if k > i then 1 else -inf))) > 0 then 1 else 0) == 1 + 0 * i\n"
    "lemma largest_of_others_is_a_number(y[i: 3]):\n"
    "  (if exp(max(k: 3) if i <= k then -inf else y[k]) > 0 then 1 else 0) == 1 + 0 * i\n"
    "lemma less_the_masked(p, x) when type(p) is bool: 1 / (1 + exp(-(if p == 1 then x else -inf)))\n"
    "  == 1 / (1 + exp(-x))\n"
    "lemma less_the_masked_at_a_place(s, t, _z[i: 3]): exp(-2 * (if i == 0 then s else (if s != t then s else -inf)))\n"
    "  == exp(-2 * s) + 0 * i\n"
    "lemma less_the_masked_at_places(s, t, _z[i: 3]): exp(-2 * (if i == 0 or s != t then 1 else -inf)) == exp(-2) + 0 * i\n"
    "lemma exponential_where_not(x, y): exp(if x == 0 then -inf else y) == (if x == 0 then exp(y) else 0)\n"
    "lemma read_where_any(p[c: 2], q[c: 2]) when type(p) is bool and type(q) is bool:\n"
    "  (sum(k: 2) if k == (min(k: 2) if q[k] == 1 then k else 1) then p[k] else 0) + 0 * c\n"
    "  == (max(k: 2) if q[k] == 1 then p[k] - 2 * k else -inf) + 2 * (min(k: 2) if q[k] == 1 then k else 1)\n"
    "lemma any_in_part(x[i: 2, j: 2], q[i: 2, j: 2]) when type(q) is bool:\n"
    "  (max(c: 2) if (max(d: 2) x[c, d]) == (max(a: 2, b: 2) x[a, b])\n"
    "    then (max(d: 2) if q[c, d] == 1 then -d else -1) - 2 * c else -5)\n"
    "  == (max(c: 2, d: 2) if (max(d: 2) x[c, d]) == (max(a: 2, b: 2) x[a, b]) and q[c, d] == 1 then -d - 2 * c else -5)\n"
    "    + 0 * i * j\n"
    "lemma exp_of_log_of_any(x): exp(log(x)) == x\n"
    "lemma log_where_less_is_left(x, y): exp(log(if 0 <= x then x - 1 / 2 else exp(y)))\n"
    "  == (if 0 <= x then x - 1 / 2 else exp(y))\n"
    "lemma log_where_large(x, y): exp(log(if 0 <= x then 1 - x else exp(y))) == (if 0 <= x then 1 - x else exp(y))\n"
    "lemma log_where_negative(x, y): exp(log(if x < 0 then x + 1 / 2 else exp(y)))\n"
    "  == (if x < 0 then x + 1 / 2 else exp(y))\n"
    "lemma variance_of_fewer(x[i: 3]): maximum(0, (sum(k: 3) x[k]^2) / 3 - ((sum(k: 3) x[k]) / 2)^2)\n"
    "  == (sum(k: 3) x[k]^2) / 3 - ((sum(k: 3) x[k]) / 2)^2 + 0 * i\n"
    "lemma variance_of_others(x[i: 3], y[i: 3]): maximum(0, (sum(k: 3) x[k]^2) / 3 - ((sum(k: 3) y[k]) / 3)^2)\n"
    "  == (sum(k: 3) x[k]^2) / 3 - ((sum(k: 3) y[k]) / 3)^2 + 0 * i\n"
    "lemma cubes_less_a_square(x[i: 3]): maximum(0, (sum(k: 3) x[k]^3) / 3 - ((sum(k: 3) x[k]) / 3)^2)\n"
    "  == (sum(k: 3) x[k]^3) / 3 - ((sum(k: 3) x[k]) / 3)^2 + 0 * i\n"
    "lemma clipped_above_zero(x): maximum(1, abs(x)) == abs(x)\n"
    "lemma minimum_of_other_inverses(x): minimum(2, 1 / exp(x)) == 1 / maximum(2, exp(x))\n"
    "lemma minimum_of_signed_inverses(x): minimum(1, 1 / x) == 1 / maximum(1, x)\n"
    "lemma minimum_of_a_product(x, y) when x > 0 and y > 0: minimum(1, y / x) == 1 / maximum(y, x)\n"
    "lemma clipped_negated(x): maximum(0, -abs(x)) == -abs(x)\n"
    "lemma places_elsewhere(x[i: 3], y[i: 3]): maximum(y[i], max(k: 3) if k == i then -inf else x[k])\n"
    "  == maximum(x[i], y[i])\n"
    "lemma minimum_if_chosen(p, x[i: 2], y[i: 2]) when type(p) is bool:\n"
    "  maximum(y[i], if p == 1 then -(max(k: 2) x[k]) else -inf)\n"
    "  == maximum(y[i], max(k: 2) if p == 1 then -x[k] else -inf)\n"
    "lemma first_positions_else(x[i: 4]): (max(k: 4) if k < 2 then -inf else x[k]) == maximum(x[0], x[1]) + 0 * i\n"
    "lemma last_positions_else(x[i: 4]): (max(k: 4) if k >= 2 then -inf else x[k]) == maximum(x[2], x[3]) + 0 * i\n"
    "lemma first_position_else(x[i: 4]): (max(k: 4) if k < 1 then -inf else x[k]) == x[0] + 0 * i\n"
    "lemma last_position_else(x[i: 4]): (max(k: 4) if k >= 3 then -inf else x[k]) == x[3] + 0 * i\n"
    "lemma two_positions(x[i: 4]): (max(k: 4) if k < 2 then x[k] else -inf) == x[0] + 0 * i\n"
    "lemma two_positions_later(x[i: 4]): (max(k: 4) if k < 3 then (if k >= 1 then x[k] else -inf) else -inf) == x[1] + "
    "0 * i\n"
    "lemma largest_elsewhere(x[i: 2, k: 2]): (min(k: 2) if x[i, k] == (max(a: 2, b: 2) x[a, b]) then k else 5)\n"
    "  == (min(k: 2) if x[i, k] == (max(a: 2, b: 2) x[a, b]) then k else 1)\n"
    "lemma largest_or_less(x[i: 3]): (min(k: 3) if x[k] == (max(j: 3) x[j]) then k else 1) + 0 * i\n"
    "  == (min(k: 3) if x[k] == (max(j: 3) x[j]) then k else 2)\n"
    "lemma position_or_part(p[c: 2], x[c: 2]) when type(p) is bool:\n"
    "  (sum(k: 2) if k == (min(k: 2) if x[k] == (max(j: 2) x[j]) then k else 1) then p[k] else 0) + 0 * c\n"
    "  == (max(k: 2) if x[k] == (max(j: 2) x[j]) then p[k] - k else -inf)\n"
    "    + (min(k: 2) if x[k] == (max(j: 2) x[j]) then k else 1)\n"
    "lemma two_maxima(x[i: 3], y[i: 3]): (if x[i] == (max(k: 3) x[k]) then 1 else 0)\n"
    "  * (if y[i] == (max(k: 3) y[k]) then 1 else 0) == (if x[i] == (max(k: 3) y[k]) then 1 else 0)\n"
    "lemma two_maxima_turned(x[i: 3], y[i: 3]): (if x[i] == (max(k: 3) x[k]) then 1 else 0)\n"
    "  * (if y[i] == (max(k: 3) y[k]) then 1 else 0) == (if y[i] == (max(k: 3) x[k]) then 1 else 0)\n"
    "lemma last_in_part(x[i: 2, j: 2]): (max(c: 2) if (max(d: 2) x[c, d]) == (max(a: 2, b: 2) x[a, b])\n"
    "  then (min(d: 2) if x[c, d] == (max(b: 2) x[c, b]) then d else 1) - 2 * c else -5)\n"
    "  == (max(c: 2, d: 2) if x[c, d] == (max(a: 2, b: 2) x[a, b]) then d - 2 * c else -5) + 0 * i * j\n"
    "lemma overlapping_places(x[i: 3, j: 2]): (sum(k: 3, l: 2) if k + 2 * l == (min(k: 3, l: 2) if x[k, l] ==\n"
    "  (max(a: 3, b: 2) x[a, b]) then k + 2 * l else 4) then 1 else 0) == 1 + 0 * i * j\n"
    "lemma other_digits(x[i: 2, j: 2]): (sum(k: 2, l: 2) if 3 * k + l == (min(k: 2, l: 2) if x[k, l] ==\n"
    "  (max(a: 2, b: 2) x[a, b]) then 2 * k + l else 3) then x[k, l] else 0) == (max(a: 2, b: 2) x[a, b]) + 0 * i * j\n"
    "lemma upper_digit(x[i: 2, j: 2]): (sum(k: 2, l: 2) if 2 * k + l == (min(k: 2, l: 2) if x[k, l] ==\n"
    "  (max(a: 2, b: 2) x[a, b]) then 2 * k + l else 3) then k else 0)\n"
    "  == (min(k: 2, l: 2) if x[k, l] == (max(a: 2, b: 2) x[a, b]) then 2 * k + l else 3) + 0 * i * j\n"
    "lemma part_or_more(x[i: 2, j: 2]): (max(c: 2) if (max(d: 2) x[c, d]) == (max(a: 2, b: 2) x[a, b])\n"
    "  then (max(d: 2) if x[c, d] == (max(b: 2) x[c, b]) then -d else -1) - 2 * c else -1 / 2)\n"
    "  == (max(c: 2, d: 2) if x[c, d] == (max(a: 2, b: 2) x[a, b]) then -d - 2 * c else -1 / 2) + 0 * i * j\n"
    "lemma last_and_first(x[i: 2, j: 2]): (min(k: 2) if x[k, j] == (max(a: 2) x[a, j]) then k else 1)\n"
    "  == (max(k: 2) if x[k, j] == (max(a: 2) x[a, j]) then k else 0) + 0 * i\n"
    "lemma sum_of_places(x[i: 2]): (sum(k: 2) if x[k] == (max(a: 2) x[a]) then k else 0)\n"
    "  == (min(k: 2) if x[k] == (max(a: 2) x[a]) then k else 1) + 0 * i\n"
    "lemma quotient_of_negative(x) when type(x) is int: truncdiv(x, 4) == floordiv(x, 4)\n"
    "lemma truncated_to_zero(x) when type(x) is int: (if truncdiv(x, 4) == 0 then 1 else 0)\n"
    "  == (if 0 <= x and x < 4 then 1 else 0)\n"
    "lemma quotient_too_early(x) when type(x) is int: (if floordiv(x, 4) < 2 then 1 else 0) == (if x <= 4 then 1 else 0)\n"
    "lemma quotient_is_more(x) when type(x) is int: (if floordiv(x, 4) > 2 then 1 else 0) == (if x > 8 then 1 else 0)\n"
    "lemma remainders_of_two(x) when type(x) is int:\n"
    "  (if 0 <= x and x < 2 then 1 else 0) * (if rem(x, 2) == 0 then 1 else 0) == (if 0 <= x and x < 2 then 1 else 0)\n"
    "lemma remainder_too_far(x, _y[j: 2]) when type(x) is int: (if 3 * j <= x and x < 3 * j + 4 then mod(x, 3) else 0)\n"
    "  == (if 3 * j <= x and x < 3 * j + 4 then x - 3 * j else 0)\n"
    "lemma remainder_of_other(x, _y[j: 2]) when type(x) is int: (if 2 * j <= x and x < 2 * j + 3 then mod(x, 3) else 0)\n"
    "  == (if 2 * j <= x and x < 2 * j + 3 then x - 2 * j else 0)\n"
    "lemma quotient_of_a_part(x, y) when type(x) is int: (if 3 * y <= x and x < 3 * y + 2 then floordiv(x, 3) else 0)\n"
    "  == (if 3 * y <= x and x < 3 * y + 2 then y else 0)\n"
    "lemma remainder_of_negatives(x) when type(x) is int: (if -3 <= x and x < 0 then rem(x, 3) else 0)\n"
    "  == (if -3 <= x and x < 0 then x + 3 else 0)\n"
    "lemma remainder_below(x, _y[j: 2]) when type(x) is int: (if 3 * j < x and x <= 3 * j + 3 then mod(x, 3) else 0)\n"
    "  == (if 3 * j < x and x <= 3 * j + 3 then x - 3 * j else 0)\n"
    "lemma sign_of_any(x): sign(x) == (if x > 0 then 1 else 0)\n"
    "lemma choice_of_other(p, t) when type(p) is bool and type(t) is int:\n"
    "  (if (if p == 1 then t else 3) == 4 then 1 else 0) == (if t == 4 then 1 else 0)\n"
    "lemma clamp_of_one_branch(p, t) when type(p) is bool and type(t) is int:\n"
    "  clamp(0, if p == 1 then t else 2, 3) == (if p == 1 then t else 2)\n"
    "lemma clamp_of_other_branch(p, t) when type(p) is bool and type(t) is int:\n"
    "  clamp(0, if p == 1 then 2 else t, 3) == (if p == 1 then 2 else t)\n"
    "lemma clamp_where_not_chosen(t) when type(t) is int:\n"
    "  clamp(0, if 0 <= t and t < 3 then 1 else t, 3) == (if 0 <= t and t < 3 then 1 else t)\n"
    "lemma digits_of_wide_difference(t, _x[h: 3, l: 4]) when type(t) is int:\n"
    "  (if 0 <= t and t < 9 then 1 else 0) * (if 4 * h + l == t then 1 else 0)\n"
    "  == (if h == 0 then 1 else 0) * (if l == t then 1 else 0)\n"
    "lemma known_sum_too_small(t, u) when type(t) is int and type(u) is int:\n"
    "  (if t <= 2 then 1 else 0) * (if u <= 3 then 1 else 0) * (if t + u >= 5 then 1 else 0) == 0\n"
    "lemma compared_otherwise(p) when type(p) is bool: (if 2 - 2 * p == 0 then 1 else 0) == 1 - p\n"
    "lemma square_of_a_sum(x, y): (x + y)^2 == x^2 + y^2\n"
    "lemma square_of_a_weighted_sum(x[i: 2], y[i: 2], z[i: 2]): (sum(k: 2) z[k] * (x[k] + y[k]))^2 + 0 * i\n"
    "  == (sum(k: 2) z[k] * x[k])^2 + (sum(k: 2) z[k] * y[k])^2\n"
    "lemma parts_of_different_weight(x, a, b) when a > 0 and b > 0: x * a / (a + b) + 2 * x * b / (a + b) == x\n"
    "lemma log_of_quotient_by_any(x, y, a) when x > 0 and y > 0 and a != 0:\n"
    "  log(x / a^2 + y) + 2 * log(a) == log(x + y * a^2)\n"
    "lemma cleared_under_condition(p, x, y, a) when type(p) is bool and x > 0 and y > 0 and a >= 0:\n"
    "  ((if p == 1 then x / a else 0) + y)^(-1) == a * ((if p == 1 then x else 0) + y * a)^(-1)\n"
    "lemma looked_up_at_two_places(x[i: 4], y[i: 4], t, u) when type(t) is int and type(u) is int:\n"
    "  0 * i + (sum(k: 4) (if k == t then 1 else 0) * (if k == u then 1 else 0) * x[k] * y[k])\n"
    "    == (sum(k: 4) if k == t then x[k] else 0) * (sum(k: 4) if k == u then y[k] else 0)\n"
    "lemma looked_up_in_parts(x[i: 4], y, t) when type(t) is int:\n"
    "  0 * i + (sum(k: 4) if k == t then x[k] * exp(k * y) else 0)\n"
    "    == (sum(k: 4) if k == t then x[k] else 0) * (sum(k: 3) if k == t then exp(k * y) else 0)\n"
    "lemma looked_up_by_value(x[i: 4], y[i: 4], t): 0 * i + (sum(k: 4) if x[k] == t then x[k] * y[k] else 0)\n"
    "  == (sum(k: 4) if x[k] == t then x[k] else 0) * (sum(k: 4) if x[k] == t then y[k] else 0)\n"
    "lemma looked_up_twice(x[i: 4, j: 4], y[i: 4, j: 4], t) when type(t) is int:\n"
    "  0 * i + 0 * j + (sum(k: 4, l: 4) if k + l == t then x[k, l] * y[k, l] else 0)\n"
    "    == (sum(k: 4, l: 4) if k + l == t then x[k, l] else 0) * (sum(k: 4, l: 4) if k + l == t then y[k, l] else 0)\n"
    "lemma summed_in_blocks_of_others(x[p: 3, i: 5]): (sum(q: 3, j: 5) if q * 4 + j <= p * 4 + i then x[q, j] else 0)\n"
    "  == (sum(j: 5) if j <= i then x[p, j] else 0) + (sum(q: 3, j: 5) if q < p then x[q, j] else 0)\n"
    "lemma summed_too_far(x[p: 3]): (sum(q: 3, j: 6) if 4 * q < 4 * p + j then x[q] else 0)\n"
    "  == (sum(q: 3, j: 6) if q < p then x[q] else 0) + (sum(j: 6) if 0 < j then x[p] else 0)\n"
    "lemma summed_too_near(x[p: 3]): (sum(q: 3, j: 5) if 4 * q + j < 4 * p then x[q] else 0)\n"
    "  == (sum(q: 3, j: 5) if q < p then x[q] else 0)\n"
    "lemma summed_from_the_next(x[i: 5]): (sum(k: 5) if k >= i then x[k] else 0)\n"
    "  == (sum(k: 5) x[k]) - (sum(k: 5) if k <= i then x[k] else 0)\n"
    "lemma summed_to_the_one_after(x[i: 5]): (sum(k: 5) if k < i + 3 then x[k] else 0)\n"
    "  == (sum(k: 5) if k <= i then x[k] else 0) + (sum(k: 5) if k == i + 1 then x[k] else 0)\n"
    "lemma any_of_two(q[i: 3, j: 2]) when type(q) is bool: (if sum(k: 3) (max(l: 2) q[k, l]) > 1 then 1 else 0)\n"
    "  + 0 * i * j == (max(k: 3, l: 2) q[k, l])\n"
    "lemma none_of_one(q[i: 3, j: 2]) when type(q) is bool: (if sum(k: 3) (max(l: 2) q[k, l]) == 1 then 1 else 0)\n"
    "  + 0 * i * j == 1 - (max(k: 3, l: 2) q[k, l])\n"
    "lemma all_of_most(q[i: 3, j: 2]) when type(q) is bool: (if sum(k: 3) (min(l: 2) q[k, l]) >= 2 then 1 else 0)\n"
    "  + 0 * i * j == (min(k: 3, l: 2) q[k, l])\n"
    "lemma all_of_fewer(q[i: 3, j: 2]) when type(q) is bool: (if sum(k: 3) (min(l: 2) q[k, l]) == 2 then 1 else 0)\n"
    "  + 0 * i * j == (min(k: 3, l: 2) q[k, l])\n"
    "lemma any_that_weigh(q[i: 3, j: 2]) when type(q) is bool:\n"
    "  (if sum(k: 3) (max(l: 2) 2 * q[k, l]) == 3 then 1 else 0) + 0 * i * j == (min(k: 3) (max(l: 2) q[k, l]))\n"
    "lemma any_of_numbers(n[i: 3, j: 2]) when type(n) is int:\n"
    "  (if sum(k: 3) (max(l: 2) clamp(0, n[k, l], 2)) > 0 then 1 else 0) + 0 * i * j\n"
    "  == (max(k: 3, l: 2) clamp(0, n[k, l], 2))\n"
    "lemma infinity_times_a_sum(p[i: 2], x) when type(p) is bool and x > 0:\n"
    "  exp((sum(k: 2) (1 - p[k]) * (if p[k] == 1 then 0 else -inf)) + log(x)) + 0 * i == 0\n"
    "lemma divided_by_its_condition(x[i: 3]): (if (1 - (if i == 0 then (if x[0] < 1 then 1 else 0) else 1)) != 0\n"
    "  then 1 / (1 - (if i == 0 then (if x[0] < 1 then 1 else 0) else 1)) else 0) == 1\n"
    "lemma sine_turned(x): sin(-x) == sin(x)\n"
    "lemma cosine_turned(x): cos(-x) == -cos(x)\n"
    "lemma no_sine(x): sin(0 * x) == 1\n"
    "lemma no_cosine(x): cos(0 * x) == 0\n"
    "lemma compared_to_more(p) when type(p) is bool: (if 2 - p < 2 then 1 else 0) == 1 - p\n";

static const char true_equations[] =
    "lemma place_by_twos_halved(x[j: 8]):\n"
    "  (sum(k: 8) if 2 * k == (min(j: 8) if x[j] == max(m: 8) x[m] then 2 * j else 14) then k else 0)\n"
    "  == (min(j: 8) if x[j] == max(m: 8) x[m] then 2 * j else 14) / 2\n"
    "lemma most_written_out(x[i: 8]): (max(k: 7) exp(x[k] * x[k + 1])) + 0 * i\n"
    "  == maximum(maximum(exp(x[1] * x[2]), exp(x[5] * x[6])), maximum(\n"
    "  max(k: 3) exp(x[3 * k] * x[3 * k + 1]), max(k: 2) exp(x[2 * k + 2] * x[2 * k + 3]))) + 0 * i\n"
    "lemma log_written_out(x[i: 8]): log(1 + 2 * sum(k: 7) exp(x[k] * x[k + 1])) + 0 * i == log(1 + 2 * exp(x[5] * x[6])\n"
    "  + 2 * (sum(k: 4) exp(x[k] * x[k + 1])) + 2 * sum(k: 2) exp(x[2 * k + 4] * x[2 * k + 5])) + 0 * i\n"
    "lemma least_written_out(x[i: 8]): (max(k: 7) -2 * exp(x[k] * x[k + 1])) + 0 * i == maximum(-2 * exp(x[5] * x[6]),\n"
    "  maximum(max(k: 4) -2 * exp(x[k] * x[k + 1]), max(k: 2) -2 * exp(x[2 * k + 4] * x[2 * k + 5]))) + 0 * i\n"
    "lemma clamp_to_its_block(x, _y[j: 5]) when type(x) is int:\n"
    "  (if 3 * j <= x and x <= 3 * j + 2 then clamp(3 * j, x, 3 * j + 2) else 0)\n"
    "  == (if 3 * j <= x and x <= 3 * j + 2 then x else 0)\n"
    "lemma written_out_under_a_factor(x[i: 8], y): exp(y) * ((sum(k: 7) exp(x[k] * x[k + 1])) + y) + 0 * i ==\n"
    "  exp(y) * ((sum(k: 3) exp(x[3 * k] * x[3 * k + 1])) + exp(x[1] * x[2]) + exp(x[5] * x[6])\n"
    "  + (sum(k: 2) exp(x[2 * k + 2] * x[2 * k + 3])) + y) + 0 * i\n"
    "lemma lowest_bits(x) when type(x) is int: band(x, 7) == mod(x, 8)\n"
    "lemma lowest_bits_first(x) when type(x) is int: band(3, x) == mod(x, 4)\n"
    "lemma rounded_is_whole(x): trunc(ceil(x) + 2 * round_even(x) + 4 * round_afz(x))\n"
    "  == ceil(x) + 2 * round_even(x) + 4 * round_afz(x)\n"
    "lemma rounded_whole(x) when type(x) is int: ceil(x) + 2 * round_even(x) + 4 * round_afz(x) == 7 * x\n"
    "lemma other_bits(x) when type(x) is int: shr(x, 3) == floordiv(x, 8)\n"
    "lemma bits_moved_up(x) when type(x) is int: shr(shl(x, 3), 2) == 2 * x\n"
    "lemma below_the_next(x) when type(x) is int: (if x < 5/2 then 1 else 0) == (if x < 3 then 1 else 0)\n"
    "lemma below_the_next_half(x, y) when type(x) is int and type(y) is int:\n"
    "  (if x / 2 + y / 3 < 1 then 1 else 0) == (if 3 * x + 2 * y <= 5 then 1 else 0)\n"
    "lemma below_several(x, y, z) when type(x) is int and type(y) is int and type(z) is int:\n"
    "  (if x / 2 + y / 3 + z / 5 < 8/7 then 1 else 0) == (if 15 * x + 10 * y + 6 * z < 35 then 1 else 0)\n"
    "lemma never_half(x) when type(x) is int: (if x == 5/2 then 1 else 0) == 0\n"
    "lemma at_most(x[i: 3], t) when type(x) is int and type(t) is int:\n"
    "  (if x[i] - t <= 2 then 1 else 0) == (if x[i] - t < 3 then 1 else 0)\n"
    "lemma at_least(x[i: 3], t) when type(x) is int and type(t) is int:\n"
    "  (if x[i] - t > 2 then 1 else 0) == (if x[i] - 1 >= t + 2 then 1 else 0)\n"
    "lemma at_most_of_one_table(x[i: 3]) when type(x) is int:\n"
    "  (if x[i] - x[2 - i] <= 2 then 1 else 0) == (if x[i] - 3 < x[2 - i] then 1 else 0)\n"
    "lemma written_out_beside(x[i: 8]): (sum(k: 7) exp(x[k] * x[k + 1])) + 0 * i ==\n"
    "  (sum(k: 3) exp(x[3 * k] * x[3 * k + 1])) + exp(x[1] * x[2]) + exp(x[5] * x[6])\n"
    "  + (sum(k: 2) exp(x[2 * k + 2] * x[2 * k + 3])) + 0 * i\n"
    "lemma sum_from_the_end(x[i: 90]): (sum(k: 90) exp(x[89 - k])) + 0 * i == (sum(k: 90) exp(x[k])) + 0 * i\n"
    "lemma maximum_from_the_end(x[i: 90]): (max(k: 90) exp(x[89 - k])) + 0 * i == (max(k: 90) exp(x[k])) + 0 * i\n"
    "lemma sum_from_the_end_under(x[i: 5]): (sum(k: 5) (if k < 2 then exp(x[4 - k]) else 0)) + 0 * i\n"
    "  == (sum(k: 2) exp(x[k + 3])) + 0 * i\n"
    "lemma power_of_sum(x, y): pow(3/2, x + 2 * y) == pow(3/2, x) * pow(3/2, y)^2\n"
    "lemma power_of_positive(x, y, z): pow(exp(z), x + 2 * y) == exp(z * x) * exp(z * y)^2\n"
    "lemma scaled_mask(p, x) when type(p) is bool: exp((x + (if p == 1 then 0 else -inf)) * 6^(-1/2))\n"
    "  == (if p == 1 then exp(x * 6^(-1/2)) else 0)\n"
    "lemma scaled_choice(p, x) when type(p) is bool: exp((if p == 1 then x else -inf) * 6^(-1/2))\n"
    "  == (if p == 1 then exp(x * 6^(-1/2)) else 0)\n"
    "lemma summed_in_blocks(x[p: 3, i: 4]): (sum(q: 3, j: 4) if q * 4 + j <= p * 4 + i then x[q, j] else 0)\n"
    "  == (sum(j: 4) if j <= i then x[p, j] else 0) + (sum(q: 3, j: 4) if q < p then x[q, j] else 0)\n"
    "lemma summed_from_the_end(x[i: 5]): (sum(k: 5) if k >= i then x[k] else 0)\n"
    "  == x[i] + (sum(k: 5) x[k]) - (sum(k: 5) if k <= i then x[k] else 0)\n"
    "lemma summed_to_the_next(x[i: 5]): (sum(k: 5) if k < i + 2 then x[k] else 0)\n"
    "  == (sum(k: 5) if k <= i then x[k] else 0) + (sum(k: 5) if k == i + 1 then x[k] else 0)\n"
    "lemma any_of_ranks(q[i: 3, j: 2]) when type(q) is bool: (if sum(k: 3) (max(l: 2) q[k, l]) > 0 then 1 else 0)\n"
    "  + 0 * i * j == (max(k: 3, l: 2) q[k, l])\n"
    "lemma none_of_ranks(q[i: 3, j: 2]) when type(q) is bool: (if sum(k: 3) (max(l: 2) q[k, l]) < 1 then 1 else 0)\n"
    "  + 0 * i * j == 1 - (max(k: 3, l: 2) q[k, l])\n"
    "lemma none_is_0(q[i: 3, j: 2]) when type(q) is bool: (if 2 * (sum(k: 3) (max(l: 2) q[k, l])) == 0 then 1 else 0)\n"
    "  + 0 * i * j == 1 - (max(k: 3, l: 2) q[k, l])\n"
    "lemma all_of_ranks(q[i: 3, j: 2]) when type(q) is bool: (if sum(k: 3) (min(l: 2) q[k, l]) == 3 then 1 else 0)\n"
    "  + 0 * i * j == (min(k: 3, l: 2) q[k, l])\n"
    "lemma more_than_most(q[i: 3, j: 2]) when type(q) is bool: (if sum(k: 3) (min(l: 2) q[k, l]) > 2 then 1 else 0)\n"
    "  + 0 * i * j == (min(k: 3, l: 2) q[k, l])\n"
    "lemma above_0_or_1(q[i: 2]) when type(q) is bool: (if (min(k: 2) q[k]) > 0 then 1 else 0) + 0 * i == (min(k: 2) q[k])\n"
    "lemma not_all_of_ranks(q[i: 3, j: 2]) when type(q) is bool: (if sum(k: 3) (min(l: 2) q[k, l]) < 3 then 1 else 0)\n"
    "  + 0 * i * j == 1 - (min(k: 3, l: 2) q[k, l])\n"
    "lemma angles_turned(x, y): sin(-2 * x) - cos(y - x) == -sin(2 * x) - cos(x - y)\n"
    "lemma no_angle(x): sin(0 * x) == cos(0 * x) - 1\n"
    "lemma looked_up_once(x[i: 4], y[i: 4], t) when type(t) is int: 0 * i + (sum(k: 4) if k == t then x[k] * y[k] else 0)\n"
    "  == (sum(k: 4) if k == t then x[k] else 0) * (sum(k: 4) if k == t then y[k] else 0)\n"
    "lemma roots_of_multiples(x, y, z) when x > 0 and y > 0: (x / 20 + y / 10)^(-3 / 2) * z\n"
    "  == (y + x / 2)^(-1) * (x / 20 + y / 10)^(-1 / 2) * 10 * z\n"
    "lemma terms_of_a_maximum(x[i: 3, j: 2], y[j: 2, i: 3], z[j: 2]):\n"
    "  (max(k: 3, l: 2) (x[k, l] - 2 * z[j] - y[l, k])) == (max(k: 3, l: 2) (x[k, l] - y[l, k])) - 2 * z[j]\n"
    "lemma multiple_of_a_maximum(x[i: 3], y): (max(k: 3) (3 * x[k] - y / 2)) + 0 * i\n"
    "  == 3 * (max(k: 3) x[k]) - y / 2 + 0 * i\n"
    "lemma root_of_a_multiple_of_a_sum(x[i: 3]): sqrt((sum(k: 3) x[k]^2) / 12) * 3^(1 / 2) + 0 * i\n"
    "  == sqrt(sum(k: 3) x[k]^2) / 2 + 0 * i\n"
    "lemma root_of_a_sum_in_a_case(x[i: 3], p) when type(p) is bool:\n"
    "  sqrt(if p == 1 then 1 / 48 + (sum(k: 3) x[k]^2) / 16 else 0) + 0 * i\n"
    "  == (if p == 1 then sqrt((1 / 3 + sum(k: 3) x[k]^2) / 16) else 0) + 0 * i\n"
    "lemma minimum_of_inverses(x, y): minimum(2, minimum(1 / exp(x), 3 / exp(y)))\n"
    "  == 1 / maximum(1 / 2, maximum(exp(x), exp(y) / 3))\n"
    "lemma some_hold(x[i: 3]): (if (sum(k: 3) (if k <= i then 1 else 0) * exp(x[k])) > 0 then 1 else 0) == 1 + 0 * i\n"
    "lemma some_hold_nearby(x[i: 3]):\n"
    "  (if (sum(k: 3) (if k <= i and i <= k + 1 then 1 else 0) * exp(x[k])) > 0 then 1 else 0)\n"
    "  == 1 + 0 * i\n"
    "lemma largest_until_is_a_number(y[i: 3]):\n"
    "  (if exp(max(k: 3) if k <= i then y[k] else -inf) > 0 then 1 else 0) == 1 + 0 * i\n"
    "lemma largest_not_beyond_is_a_number(y[i: 3]):\n"
    "  (if exp(max(k: 3) (y[k] + if i < k then -inf else 0)) > 0 then 1 else 0) == 1 + 0 * i\n"
    "lemma equal_either_way(x[i: 4, j: 4, k: 4]): (if i == j then x[i, k, j] else 0) == (if j == i then x[i, k, j] else 0)\n"
    "lemma difference_other_way(x[i: 3]): abs(x[0] - x[1]) + (x[2] - x[1])^2 == abs(x[1] - x[0]) + (x[1] - x[2])^2\n"
    "lemma chosen_multiple(x[i: 5]): exp(max(k: 2) if k <= i then -x[k] else -inf) * (if i == 3 then 1 else 0)\n"
    "  == exp(max(k: 2) -x[k]) * (if i == 3 then 1 else 0)\n"
    "lemma power_of_a_table(x[h: 3, i: 5, j: 5]): pow(1 - pow(2, -1 - h), 2 * i - j) * pow(1 - pow(2, -1 - h), j)\n"
    "  + 0 * x[h, i, j] == pow(1 - pow(2, -1 - h), i)^2\n"
    "lemma exponential_of_a_form(x[h: 3, i: 5, j: 5]): exp(3 * (2 * i - j) * x[h, 0, 0] - 3 * x[h, i, j])\n"
    "  * exp(j * x[h, 0, 0])^3 == exp(i * x[h, 0, 0])^6 * exp(x[h, i, j])^(-3)\n"
    "lemma exponentials_factor(x, y, u, v): exp(2 * x + y) * u + exp(x) * v == exp(x) * (exp(x + y) * u + v)\n"
    "lemma exponentials_divide(x): 1 + exp(-x) == exp(-x) * (exp(x) + 1)\n"
    "lemma square_expands(x, y): (x + y) ^ 2 == x ^ 2 + 2 * x * y + y ^ 2\n"
    "lemma cube_expands(x, y): (x + y) ^ 3 == x ^ 3 + 3 * x ^ 2 * y + 3 * x * y ^ 2 + y ^ 3\n"
    "lemma bound_of_equation_holds(t, _x[q: 2, h: 2, l: 6]) when type(t) is int:\n"
    "  (if t == 12 * q + 6 * h + l then 1 else 0) * (if t - 12 * q < 12 then 1 else 0)\n"
    "    == (if t == 12 * q + 6 * h + l then 1 else 0)\n"
    "lemma part_and_place(x[i: 2, j: 3]): (min(k: 2, l: 3) if x[k, l] == (max(a: 2, b: 3) x[a, b]) then 3 * k + l else 9)\n"
    "  == (min(k: 2) if (max(l: 3) x[k, l]) == (max(a: 2, b: 3) x[a, b])\n"
    "    then 3 * k + (min(l: 3) if x[k, l] == (max(b: 3) x[k, b]) then l else 2) else 1000) + 0 * i * j\n"
    "lemma place_in_part(x[i: 2, j: 3]): (min(k: 2, l: 3) if x[k, l] == (max(a: 2, b: 3) x[a, b]) then 3 * k + l else 9)\n"
    "  == 0 * i * j + (sum(n: 2) if n == (min(k: 2) if (max(l: 3) x[k, l]) >= (max(a: 2, b: 3) x[a, b]) then k else 1)\n"
    "    then 3 * n + (min(l: 3) if x[n, l] >= (max(b: 3) x[n, b]) then l else 2) else 0)\n"
    "lemma largest_at_place(x[i: 3]): 0 * i + (max(j: 3) x[j])\n"
    "  == (sum(n: 3) if n == (min(k: 3) if x[k] == (max(j: 3) x[j]) then k else 2) then x[n] else 0)\n"
    "lemma least_at_place(x[i: 3]): 0 * i + (min(j: 3) x[j])\n"
    "  == (sum(n: 3) if n == (min(k: 3) if x[k] == (min(j: 3) x[j]) then k else 2) then x[n] else 0)\n"
    "lemma choice_of_this(p, t) when type(p) is bool and type(t) is int:\n"
    "  (if (if p == 1 then t else 3) == 4 then 1 else 0) == p * (if t == 4 then 1 else 0)\n"
    "lemma quotient_is(x) when type(x) is int: (if floordiv(x, 4) == 2 then 1 else 0)\n"
    "  == (if 8 <= x and x < 12 then 1 else 0)\n"
    "lemma quotient_is_below(x) when type(x) is int: (if 2 + floordiv(x, 4) < 4 then 1 else 0) == (if x < 8 then 1 else 0)\n"
    "lemma quotient_is_above(x) when type(x) is int: (if floordiv(x, 4) > 2 then 1 else 0) == (if x >= 12 then 1 else 0)\n"
    "lemma remainder_known(x, _y[j: 2]) when type(x) is int: (if 3 * j <= x and x < 3 * j + 3 then mod(x, 3) else 0)\n"
    "  == (if 3 * j <= x and x < 3 * j + 3 then x - 3 * j else 0)\n"
    "lemma quotient_known(x, _y[j: 2]) when type(x) is int:\n"
    "  (if 0 <= 3 * j - x and 3 * j - x < 3 then floordiv(x + 2, 3) else 0)\n"
    "  == (if 0 <= 3 * j - x and 3 * j - x < 3 then j else 0)\n"
    "lemma quotient_of_a_count(x[k: 6], _y[j: 2]): 0 * k + (if 0 <= 3 * j - (sum(l: 6) if x[l] > 0 then 1 else 0)\n"
    "  and 3 * j - (sum(l: 6) if x[l] > 0 then 1 else 0) < 3\n"
    "  then floordiv(2 + (sum(l: 6) if x[l] > 0 then 1 else 0), 3) else 0)\n"
    "  == 0 * k + (if 0 <= 3 * j - (sum(l: 6) if x[l] > 0 then 1 else 0)\n"
    "  and 3 * j - (sum(l: 6) if x[l] > 0 then 1 else 0) < 3 then j else 0)\n"
    "lemma place_in_digits(x, _y[j: 2, k: 3]) when type(x) is int:\n"
    "  (if 3 * j <= x and x < 3 * j + 3 then 1 else 0) * (if mod(x, 3) == k then 1 else 0)\n"
    "  == (if x == 3 * j + k then 1 else 0)\n"
    "lemma remainder_of_nothing(x) when type(x) is int: (if x == 0 then rem(x, 2) else 0) == 0\n"
    "lemma sign_of_square(x): sign(x ^ 2) == (if x ^ 2 > 0 then 1 else 0)\n"
    "lemma compared_truth(p) when type(p) is bool: (if 2 - 2 * p == 0 then 1 else 0) == p\n"
    "lemma near(x[i: 5, j: 6]): (if abs(i - j) < 3 then x[i, j] else 0)\n"
    "  == (if i - j < 3 then 1 else 0) * (if j - i < 3 then 1 else 0) * x[i, j]\n"
    "lemma far(x[i: 5, j: 6]): (if 2 - 3 * abs(2 * i - j + 1) < -7 then x[i, j] else 0)\n"
    "  == x[i, j] - (if 2 * i - j + 1 <= 3 then 1 else 0) * (if j - 1 - 2 * i <= 3 then 1 else 0) * x[i, j]\n"
    "lemma distance_beside_maximum(x, y): maximum(2 * x, y + 1) - abs(2 * x - y - 1) / 2 == x + y / 2 + 1 / 2\n"
    "lemma distance_beside_positive_part(x, y): 2 * maximum(3 * x - y, 0) - abs(y - 3 * x) == 3 * x - y\n"
    "lemma log_of_chosen(x, y): exp(log(if 0 <= x then x + 1 / 2 else exp(y))) == (if 0 <= x then x + 1 / 2 else exp(y))\n"
    "lemma sum_of_exponentials(x, y): maximum(x, y) + log(1 + exp(-abs(x - y))) == log(exp(x) + exp(y))\n"
    "lemma sum_of_powers(x, y): log(1 + exp(3 * abs(y - x))) - 3 * abs(x - y) / 2\n"
    "  == log(exp(3 * x) + exp(3 * y)) - 3 * (x + y) / 2\n"
    "lemma part_of_a_denominator(x, a, b) when a > 0 and b > 0: 3 * x - 3 * x * a / (a + b) == 3 * x * b / (a + b)\n"
    "lemma beside_a_part(x, a, b) when a > 0 and b > 0: 2 * x * a / (a + b) - x == x - 2 * x * b / (a + b)\n"
    "lemma part_of_two_denominators(x, a, b, c) when a > 0 and b > 0 and c > 0:\n"
    "  x / (a + b) - x * c / (a + b) / (a + b + c) == x / (a + b + c)\n"
    "lemma log_of_quotient(x[i: 2], y[i: 2]): log(exp(y[i]) / (sum(k: 2) exp(x[k]))^2 + 1) + 2 * log(sum(k: 2) exp(x[k]))\n"
    "  == log(exp(y[i]) + (sum(k: 2) exp(x[k]))^2)\n"
    "lemma denominator_cleared(x, y, a) when a > 0 and x > 0 and y > 0: (x / a + y)^(-2) == a^2 * (x + y * a)^(-2)\n"
    "lemma exponentials_compare(x, y): (if exp(2 * x) < exp(y) then 1 else 0) == (if 2 * x < y then 1 else 0)\n"
    "lemma exponentials_equal(x): (if 3 * exp(x) == 3 then 1 else 0) == (if x == 0 then 1 else 0)\n"
    "lemma smaller_exponential(x, y): minimum(y * 0 + 1, exp(x)) == (if x > 0 then 1 else exp(x))\n"
    "lemma root_of_square(x, y): sqrt(4 * x^2 * exp(y)) == 2 * abs(x) * exp(y / 2)\n"
    "lemma abs_of_factors(x, y): abs(3 * x^3 * y) == 3 * abs(x) * x^2 * abs(y)\n"
    "lemma cosine_of_sum(x, y): cos(x + y - 1) == cos(x - 1) * cos(y) - sin(x - 1) * sin(y)\n"
    "lemma sine_of_double(x): sin(2 * x) == 2 * sin(x) * cos(x)\n"
    "lemma sine_squared(x, y): y * sin(x)^2 + y * cos(x)^2 == y\n"
    "lemma square_of_sums(x[i: 2, j: 2], y[j: 2]): (sum(k: 2) (sum(l: 2) x[k, l] * y[l]) ^ 2) + 0 * i * j\n"
    "  == sum(k: 2, l: 2, m: 2) x[k, l] * x[k, m] * y[l] * y[m]\n"
    "lemma rising_interval(f) when type(f) is int:\n"
    "  (sum(t: 4) (if 0 <= f + 3 * t then 1 else 0) * (if f + 3 * t < 3 then 1 else 0))\n"
    "  == (if 0 <= 2 - f and 2 - f < 12 then 1 else 0)\n"
    "lemma digits_inside(x[k: 2, l: 3], _y[i: 2, j: 3]):\n"
    "  (sum(k: 2, l: 3) if k + 2 * l == i + 2 * j then x[k, l] else 0) == x[i, j]\n"
    "lemma rows_at_one_place(x[a: 2, b: 3], y[a: 2, b: 3], t) when type(t) is int:\n"
    "  (sum(a, b) (if t == 3 * a + b then x[a, b] else 0)) * (sum(a, b) (if t == 3 * a + b then y[a, b] else 0))\n"
    "  == sum(a, b) (if t == 3 * a + b then x[a, b] * y[a, b] else 0)\n"
    "lemma not_above_zero(x[i: 2]): (if sqrt(sum(k: 2) x[k]^2) <= 0 then 1 else 0) + 0 * i\n"
    "  == (if sqrt(sum(k: 2) x[k]^2) == 0 then 1 else 0) + 0 * i\n"
    "lemma both_ends(x[k: 8], _i[i: 6], _j[j: 3]):\n"
    "  (if i + j >= 7 then x[7] else 0) + (if i + j < 1 then x[0] else 0)\n"
    "  + (if i + j >= 1 and i + j < 7 then x[i + j] else 0) == x[i + j]\n"
    "lemma end_of_falling(x[k: 8], _i[i: 6], _j[j: 3]):\n"
    "  (if i + j < 1 then x[7] else 0) + (if i + j >= 1 then x[7 - i - j] else 0) == x[7 - i - j]\n"
    "lemma most_of_pieces(x[k: 4], y, _i[i: 3], p) when type(p) is bool:\n"
    "  (max(k: 4) if k < 2 then if k + i < 1 then -inf else x[k] else if k + i > 4 then y else x[k])\n"
    "  == maximum(maximum(x[1], x[2]), maximum(if i < 1 then x[1] else x[0], if i > 1 then y else x[3]))\n"
    "lemma chosen_where(x[k: 4], p, q) when type(p) is bool and type(q) is bool:\n"
    "  exp(if p * q == 1 then q * x[0] + (1 - p) * x[1] else -inf) == p * q * exp(x[0])\n";

static bool proved(const AstItem *item, Library *library, Arena *a, Diags *diags) {
  Shapes s;
  bool all = false;
  if (!shapes_of(&s, item, a)) return false;
  const Shape *at = &s.at[s.n_small - 1]; /* the largest of the small ones: stated sizes have no other */
  Lemma l = shape_lemma(&s, at, 0, a);
  library_add(library, l.sides);
  Graph *left = shape_graph(&s, at, &l, &l.left, 1), *right = shape_graph(&s, at, &l, &l.right, 1);
  Pair pair = {0};
  if (left && right && pair_make(&pair, library, left, right, breaker_identity(left, a), diags)) {
    CheckOptions o = check_defaults();
    o.evaluate = false;
    o.prove.seconds = 0.5;
    CheckReport *c = check_run(&pair.problem, &o);
    all = c->verdict == VERDICT_VERIFIED;
    check_report_free(c);
  } else {
    diags_print(diags, stdout, false);
    wrong(sym_text(item->name));
  }
  pair_free(&pair);
  graph_free(left);
  graph_free(right);
  return all;
}

static void equations(const char *text, bool hold) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Library *library = library_load(NULL, diags);
  Arena a = {0};
  AstFile *file = lang_parse(&a, diags, sources_add(sources, "laws", text, strlen(text)));
  expect(file->n_items > 3, "equations are read");
  for (uint32_t i = 0; i < file->n_items; i++)
    if (proved(file->items[i], library, &a, diags) != hold) wrong(sym_text(file->items[i]->name));
  library_free(library);
  diags_free(diags);
  sources_free(sources);
  arena_free(&a);
}

/* ---- values ---- */

static Calculus *start(bool flat) {
  Calculus *c = calculus_new();
  calculus_set(c, &(CalculusOptions){.flat = flat});
  return c;
}

static Value leaf(Calculus *c, const char *name, const Name *at, const int64_t *sizes, uint32_t n) {
  return calc_leaf(c, sym(name), at, sizes, NULL, n, (LeafInfo){0});
}

static bool only_names(const Calculus *c, Value v, const Name *allowed, uint32_t n) {
  const Name *names;
  uint32_t m = value_names(c, v, &names);
  for (uint32_t i = 0; i < m; i++) {
    bool found = name_is_const(names[i]);
    for (uint32_t k = 0; k < n; k++) found |= names[i] == allowed[k];
    if (!found) return false;
  }
  return true;
}

/* A row that is masked where one of two conditions holds, but not both, may be masked wholly. */
static void masked_by_either(Calculus *c) {
  const Name j = calculus_fresh(c, 3);
  const int64_t size = 3;
  Value p = calc_cmp(c, CMP_LT, leaf(c, "a", &j, &size, 1), VALUE_ZERO);
  Value q = calc_cmp(c, CMP_LT, leaf(c, "b", &j, &size, 1), VALUE_ZERO);
  Value either = calc_sub(c, calc_add2(c, p, q), value_scale(RAT_INT(2), calc_mul2(c, p, q)));
  Value x = calc_select(c, either, leaf(c, "z", &j, &size, 1), value_neginf(c));
  expect(!value_is_num(calc_cmp(c, CMP_EQ, calc_max(c, &x, 1, &j, 1), value_neginf(c))), "whether either mask leaves some");
}

/* What must be so for values to be equal that otherwise are not is assumed, and nothing else. */
static void values_are_assumed(void) {
  const uint32_t left = ASSUME_FINITE | ASSUME_LEFT;
  for (int i = 0; i < 30; i++) {
    Calculus *c = start(false);
    Value x = leaf(c, "x", NULL, NULL, 0), y = leaf(c, "y", NULL, NULL, 0);
    Value p = calc_cmp(c, CMP_LT, leaf(c, "d", NULL, NULL, 0), VALUE_ZERO);
    Value inverse = calc_pow(c, x, RAT_NEG1), log = calc_fn(c, c->fn.log, &x, 1);
    Value quotients = calc_add2(c, calc_mul2(c, y, inverse), value_num(RAT_INT(2)));
    Value masked = calc_select(c, p, x, value_neginf(c)), bounded = calc_max(c, (Value[]){masked, y}, 2, NULL, 0);
    Value negated = value_neg(bounded), of_log = calc_max(c, (Value[]){masked, log, y}, 3, NULL, 0);
    Value other = calc_select(c, calc_cmp(c, CMP_LT, y, VALUE_ZERO), y, value_neginf(c));
    Value either = value_neg(calc_max(c, (Value[]){masked, other}, 2, NULL, 0));
    Value hidden = value_neg(masked), part = i % 2 ? inverse : log, squared;
    const Rat half = rat_div(RAT_1, RAT_INT(2));
    uint32_t want = 0;
    switch (i) {
      case 0: calc_mul2(c, x, p); break;
      case 1: calc_mul2(c, x, calc_pow(c, p, RAT_NEG1)), want = ASSUME_NONZERO; break;
      case 2: calc_mul2(c, x, inverse), want = ASSUME_NONZERO; break;
      case 3: calc_pow(c, calc_mul2(c, y, inverse), RAT_NEG1), want = ASSUME_NONZERO; break;
      case 4:
        calculus_set(c, &(CalculusOptions){.expand = 8});
        calc_pow(c, quotients, RAT_NEG1), want = ASSUME_NONZERO;
        break;
      case 5: calc_cmp(c, CMP_LT, calc_mul2(c, y, calc_pow(c, x, RAT_INT(-2))), VALUE_ZERO), want = ASSUME_NONZERO; break;
      case 6: calc_pow(c, x, rat_div(RAT_1, RAT_INT(2))), want = ASSUME_NONNEG_ROOT; break;
      case 7: calc_mul2(c, VALUE_ZERO, log), want = left; break;
      case 8: calc_sub(c, log, log), want = left; break;
      case 9: calc_product(c, (Value[]){y, masked}, 2), want = left; break;
      case 10: calc_fn(c, c->fn.exp, &negated, 1); break;
      case 11: calc_fn(c, c->fn.exp, &either, 1), want = left; break;
      case 12: calc_fn(c, c->fn.exp, &hidden, 1); break;
      case 13:
        squared = calc_pow(c, calc_pow(c, x, RAT_INT(2)), rat_div(RAT_NEG1, RAT_INT(2)));
        calc_pow(c, squared, rat_div(RAT_NEG1, RAT_INT(2))), want = ASSUME_NONZERO;
        break;
      case 14: calc_sub(c, bounded, bounded); break;
      case 15: calc_sub(c, hidden, hidden), want = left; break;
      case 16: expect(calc_cmp(c, CMP_EQ, bounded, value_neginf(c)).k == RAT_0, "what is left of a mask is infinite"); break;
      case 17: expect(!value_is_num(calc_cmp(c, CMP_EQ, masked, value_neginf(c))), "whether a mask is infinite"); break;
      case 18: calc_sub(c, of_log, of_log), want = left; break;
      case 23: calc_pow(c, value_neg(calc_pow(c, x, RAT_INT(2))), half), want = ASSUME_NONNEG_ROOT; break;
      case 24: calc_pow(c, value_scale(RAT_INT(2), calc_pow(c, x, RAT_INT(2))), half); break;
      case 25:
        squared = calc_pow(c, calc_pow(c, value_num(RAT_INT(-2)), half), RAT_INT(2));
        if (value_same(squared, value_num(RAT_INT(-2)))) printf("a negative number has a root\n"), failures++;
        break; /* what is left may be no number either: */
      case 26: calc_sub(c, calc_add2(c, inverse, calc_pow(c, y, RAT_NEG1)), inverse), want = ASSUME_NONZERO; break;
      case 27: calc_sub(c, calc_add2(c, of_log, log), of_log), want = left; break;
      case 28:
        part = calc_max(c, (Value[]){y, VALUE_ZERO}, 2, NULL, 0);
        calc_mul(c, (Value[]){calc_cmp(c, CMP_LT, VALUE_ZERO, part), part, log}, 3), want = left;
        break;
      case 29: masked_by_either(c); break;
      default:
        if (i != 19) calc_product(c, (Value[]){p, part}, 2);
        if (i != 20) calc_select(c, p, part, VALUE_ZERO);
        if (i > 19) want = i % 2 ? ASSUME_NONZERO : left;
    }
    if (calculus_assumptions(c) != want) printf("case %d: %u, not %u\n", i, calculus_assumptions(c), want), failures++;
    calculus_free(c);
  }
}

/* The sum over j: 6 of exp(x[j]) where a <= j + p i < b, i: 3. */
static Value part(Calculus *c, Name i, int64_t p, int64_t a, int64_t b) {
  Name j = calculus_fresh(c, 6);
  Value x = leaf(c, "x", (Name[]){j}, (int64_t[]){6}, 1);
  Value at = calc_add2(c, calc_idx(c, j, 6), value_scale(rat_int(p), calc_idx(c, i, 3)));
  Value f[] = {calc_cmp(c, CMP_GE, at, value_num(rat_int(a))), calc_cmp(c, CMP_LT, at, value_num(rat_int(b))),
               calc_fn(c, c->fn.exp, &x, 1)};
  return calc_sum(c, &j, 1, calc_mul(c, f, 3));
}

/* The exponential of the maximum over j: 6 of x[j] where a <= j + p i < b, i: 3, by one mask: 0 where that is nowhere. */
static void some_of_a_maximum(void) {
  const struct {
    int64_t p, a, b;
    bool positive;
  } cases[] = {{-1, 2, 3, true}, {-1, 4, 5, false}, {-1, -1, 1, true}, {1, 4, 5, true},
               {1, 1, 2, false}, {1, 7, 9, false},  {1, 5, 8, true},   {-3, 0, 1, false}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    Calculus *c = start(false);
    Name i = calculus_fresh(c, 3), j = calculus_fresh(c, 6);
    Value x = leaf(c, "x", (Name[]){j}, (int64_t[]){6}, 1);
    Value at = calc_add2(c, calc_idx(c, j, 6), value_scale(rat_int(cases[k].p), calc_idx(c, i, 3)));
    Value from = calc_cmp(c, CMP_GE, at, value_num(rat_int(cases[k].a)));
    Value mask = calc_mul2(c, from, calc_cmp(c, CMP_LT, at, value_num(rat_int(cases[k].b))));
    Value masked = calc_select(c, mask, x, value_neginf(c)), most = calc_max(c, &masked, 1, &j, 1);
    Value v = calc_fn(c, c->fn.exp, &most, 1);
    calc_mul2(c, v, calc_pow(c, v, RAT_NEG1));
    if (!calculus_assumptions(c) != cases[k].positive) printf("case %zu: some of a maximum\n", k), failures++;
    calculus_free(c);
  }
}

/* The maximum over j: 4 of x where that is `at` (4: where something is negative; 6: there is none), elsewhere of what masks
 * leave. */
static void a_number_among_masked(void) {
  for (int64_t at = 0; at < 7; at++) {
    Calculus *c = start(false);
    Name j = calculus_fresh(c, 4);
    int64_t size = 4;
    Value p = calc_cmp(c, CMP_LT, leaf(c, "d", &j, &size, 1), VALUE_ZERO), x = leaf(c, "x", NULL, NULL, 0);
    Value here = at == 4 ? calc_cmp(c, CMP_LT, leaf(c, "e", &j, &size, 1), VALUE_ZERO)
                         : calc_cmp(c, CMP_EQ, calc_idx(c, j, 4), value_num(rat_int(at)));
    Value masked = calc_select(c, p, leaf(c, "y", &j, &size, 1), value_neginf(c));
    Value rest = calc_mul2(c, calc_not(c, here), masked);
    Value v = calc_add2(c, calc_mul2(c, here, x), rest);
    if (at == 6) {
      Value other = calc_select(c, p, leaf(c, "z", &j, &size, 1), value_neginf(c));
      rest = calc_mul2(c, calc_cmp(c, CMP_LT, calc_idx(c, j, 4), value_num(RAT_INT(2))), masked);
      v = calc_add2(c, rest, calc_mul2(c, calc_cmp(c, CMP_LT, VALUE_ZERO, calc_idx(c, j, 4)), other));
    }
    Value most = value_neg(calc_max(c, &v, 1, &j, 1));
    calc_fn(c, c->fn.exp, &most, 1);
    if (!calculus_assumptions(c) != (at < 4)) printf("case %d: a number among what is masked\n", (int)at), failures++;
    Subst s = {1, {{j, name_const(at < 4 ? at : 0)}}};
    if (at < 4) expect(calc_rename(c, rest, &s).k == RAT_0 && !calculus_assumptions(c), "what is not chosen is not masked");
    calculus_free(c);
  }
}

/* Where cases are written out, windows have one form, whichever side they are bounded from. */
static void one_form_of_windows(void) {
  for (int written = 0; written < 2; written++) {
    Calculus *c = start(false);
    calculus_set(c, &(CalculusOptions){.cases = written});
    Value i = calc_idx(c, calculus_fresh(c, 6), 6), j = calc_idx(c, calculus_fresh(c, 6), 6), d = calc_sub(c, i, j);
    Value near = calc_cmp(c, CMP_LT, d, value_num(RAT_INT(3)));
    for (int64_t k = 1; k < 4; k++) {
      Value far = calc_cmp(c, CMP_LT, value_num(rat_int(k)), d);
      if (written || k != 2) expect(value_same(near, calc_not(c, far)) == (k == 2), "i - j < 3 is not 2 < i - j");
    }
    calculus_free(c);
  }
}

/* Masked sums of exponentials: positive where something is left for every i, also of one sum here and of another there. */
static void something_is_left(void) {
  const struct {
    int64_t p, a, b, q, d, e;
    bool positive;
  } cases[] = {
      {-1, 2, 3, 0, 0, 0, true},   {-1, 4, 5, 0, 0, 0, false},  {-1, -1, 1, 0, 0, 0, true}, {1, 4, 5, 0, 0, 0, true},
      {1, 1, 2, 0, 0, 0, false},   {1, 7, 9, 0, 0, 0, false},   {1, 7, 9, -1, 4, 9, true},  {1, 7, 9, -1, 5, 9, false},
      {1, 5, 8, 0, 0, 0, true},    {-2, 1, 6, 0, 0, 0, true},   {-2, 1, 2, 0, 0, 0, true},  {-3, 0, 1, 0, 0, 0, false},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    Calculus *c = start(false);
    Name i = calculus_fresh(c, 3);
    Value v = calc_add2(c, part(c, i, cases[k].p, cases[k].a, cases[k].b), part(c, i, cases[k].q, cases[k].d, cases[k].e));
    calc_mul2(c, v, calc_pow(c, v, RAT_NEG1));
    if (!calculus_assumptions(c) != cases[k].positive) printf("case %zu: something is left\n", k), failures++;
    calculus_free(c);
  }
}

/* Substituted forms are remembered by everything they depend on. */
static void forms_are_told_apart(void) {
  Calculus *c = start(true);
  Name n = calculus_name(c, NAME_DIM, 0, 0, 6), two = calculus_name(c, NAME_DIM, 1, 0, 2),
       three = calculus_name(c, NAME_DIM, 2, 0, 3);
  Value below = calc_cmp(c, CMP_LT, calc_idx(c, n, 6), value_num(RAT_INT(3)));
  Value x = calc_mul2(c, below, leaf(c, "x", &n, &(int64_t){6}, 1));
  Value got[4];
  const Form forms[4] = {{0, 1, (FormTerm[]){{2, two}}},
                         {0, 1, (FormTerm[]){{2, three}}},
                         {0, 1, (FormTerm[]){{1, two}}},
                         {3, 1, (FormTerm[]){{1, two}}}};
  for (int i = 0; i < 4; i++) {
    Subst s = {0};
    subst_put(&s, n, calculus_form(c, forms[i]));
    got[i] = calc_rename(c, x, &s);
  }
  expect(!value_same(got[0], got[1]), "[n < 3] x[n] at 2 j is told apart by the size of j");
  expect(got[3].k == RAT_0 && got[2].k != RAT_0, "[n < 3] x[n] at j and at j + 3 are told apart");
  Value p[2];
  for (int i = 0; i < 2; i++) {
    Subst s = {0};
    subst_put(&s, n, calculus_form(c, forms[i]));
    p[i] = calc_rename(c, below, &s);
  }
  expect(value_same(p[0], VALUE_ONE) && !value_is_num(p[1]), "[n < 3] at 2 j is 1 for two j, not for three");
  calculus_free(c);
}

/* A table at a constant is the slice of it. */
static void slices_of_tables(void) {
  Calculus *c = start(false);
  int64_t sizes[3] = {2, 3, 4};
  Name names[3];
  Rat values[24], slice[8];
  for (uint32_t i = 0; i < 3; i++) names[i] = calculus_name(c, NAME_DIM, i, 0, sizes[i]);
  for (int i = 0; i < 24; i++) values[i] = rat_int(i * i * 7 % 23);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) slice[4 * i + j] = values[12 * i + 4 * 2 + j];
  Value t = calc_table(c, values, 24, names, sizes, 3, true);
  Subst s = {1, {{names[1], name_const(2)}}};
  Name left[2] = {names[0], names[2]};
  int64_t left_sizes[2] = {2, 4};
  Value want = calc_table(c, slice, 8, left, left_sizes, 2, true);
  expect(value_same(calc_rename(c, t, &s), want), "a table of three dimensions at a constant is its slice");
  calculus_free(c);
}

/* What is simplified under facts, or recombined, has the indices it had. */
static void no_index_escapes(void) {
  Calculus *c = start(true);
  Name n = calculus_name(c, NAME_DIM, 0, 0, 6), p = calculus_name(c, NAME_BOUND, 0, 0, 2),
       q = calculus_name(c, NAME_BOUND, 1, 0, 3), k = calculus_name(c, NAME_DIM, 1, 0, 6);
  Value below2 = calc_cmp(c, CMP_LT, calc_idx(c, n, 6), value_num(RAT_INT(2)));
  Value below3 = calc_cmp(c, CMP_LT, calc_idx(c, n, 6), value_num(RAT_INT(3)));
  Value x = leaf(c, "x", &q, &(int64_t){3}, 1);
  Value inner = calc_select(c, below3, x, value_num(RAT_INT(5)));
  Value most = calc_max(c, &inner, 1, &q, 1);
  expect(only_names(c, calc_mul2(c, below2, most), &n, 1), "a maximum under facts keeps its index bound");
  Value y = leaf(c, "y", &k, &(int64_t){6}, 1);
  Subst s = {0};
  subst_put(&s, k, calculus_form(c, (Form){0, 2, (FormTerm[]){{3, p}, {1, q}}}));
  Value product = calc_mul2(c, calc_rename(c, y, &s), leaf(c, "z", &p, &(int64_t){2}, 1));
  expect(only_names(c, calc_sum(c, (Name[]){p, q}, 2, product), NULL, 0), "a sum over both digits leaves none");
  Name a = calculus_name(c, NAME_BOUND, 2, 0, 6), b = calculus_name(c, NAME_BOUND, 3, 0, 4);
  for (int i = 0; i < 2; i++) { /* cut where a is 3 */
    Value cut = calc_select(c, calc_cmp(c, CMP_LT, calc_idx(c, a, 6), value_num(RAT_INT(3))),
                            leaf(c, "u", (Name[]){a, b}, (int64_t[]){6, 4}, 2), leaf(c, "v", &b, &(int64_t){4}, 1));
    Value whole = calc_sum(c, i ? (Name[]){a, b} : (Name[]){b, a}, 2, calc_fn(c, c->fn.exp, &cut, 1));
    expect(only_names(c, whole, NULL, 0), "a sum that is cut keeps its other indices bound");
  }
  calculus_free(c);
}

/* Equal terms have one form whatever their indices are called, and whichever of them are bound. */
static void naming_is_canonical(void) {
  static const uint32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  Calculus *c = start(false);
  Name n[3];
  int64_t sizes[2] = {4, 4};
  for (uint32_t i = 0; i < 3; i++) n[i] = calculus_name(c, NAME_DIM, i, 0, 4);
  ClassId first[4] = {0};
  for (int k = 0; k < 6; k++) {
    Name a = n[orders[k][0]], b = n[orders[k][1]], d = n[orders[k][2]];
    Value ab = leaf(c, "x", (Name[]){a, b}, sizes, 2), bd = leaf(c, "x", (Name[]){b, d}, sizes, 2),
          ba = leaf(c, "x", (Name[]){b, a}, sizes, 2), da = leaf(c, "x", (Name[]){d, a}, sizes, 2);
    Value made[4] = {calc_mul2(c, ab, bd), calc_add2(c, ab, ba), calc_mul(c, (Value[]){ab, bd, da}, 3),
                     calc_add2(c, calc_mul2(c, ab, bd), calc_mul2(c, bd, da))};
    for (int i = 0; i < 4; i++) {
      if (!k) first[i] = value_class(c, made[i]);
      expect(value_class(c, made[i]) == first[i], "a term has one class whatever its indices are called");
    }
    Value other = calc_add2(c, ba, ab);
    expect(value_same(made[1], other), "x[i, j] + x[j, i] is symmetric");
  }
  calculus_free(c);
}

static double some_number(void *context, Sym name, const int64_t *at, uint32_t n) {
  (void)context;
  uint64_t h = name;
  for (uint32_t i = 0; i < n; i++) h = mix(h, (uint64_t)at[i]);
  return 1 + evaluate_weight(h);
}

/* Every class has one value at indices that it says may change places. */
static void symmetries_hold(const Calculus *c) {
  Evaluation *e = evaluate_new(c, some_number, NULL, 2000000);
  for (ClassId id = 0; id < c->classes.len; id++) {
    const Class *x = cls(c, id);
    int64_t at[8], other[8];
    for (uint32_t s = 0; x->n_slots <= 8 && s < x->n_sym; s++)
      for (int64_t way = 1; way < 40; way++) {
        for (uint32_t i = 0; i < x->n_slots; i++) at[i] = (way * (3 * i + 1) + i * i) % 7 % x->sizes[i];
        for (uint32_t i = 0; i < x->n_slots; i++) other[i] = at[x->sym[s].at[i]];
        double v = evaluate_class(e, id, at), u = evaluate_class(e, id, other);
        if (!(v - u < 1e-9 && u - v < 1e-9)) {
          wrong("a symmetry of a class changes its value");
          way = 40;
        }
      }
  }
  evaluate_free(e);
}

/* A ring of three and a ring of four look alike from each of their indices; none of one stands for one of the other. */
static void rings(bool longer_first) {
  Calculus *c = start(false);
  Name n[7];
  int64_t sizes[2] = {4, 4};
  for (uint32_t i = 0; i < 7; i++) n[i] = calculus_name(c, NAME_DIM, i, 0, 4);
  static const uint32_t next[7] = {1, 2, 0, 4, 5, 6, 3};
  Value link[7];
  for (uint32_t i = 0; i < 7; i++) {
    uint32_t k = longer_first ? 6 - i : i;
    link[i] = leaf(c, "x", (Name[]){n[k], n[next[k]]}, sizes, 2);
  }
  Value both = calc_mul(c, link, 7);
  for (uint32_t i = 0; i < 3; i++) {
    Subst turn = {3, {{n[0], n[1]}, {n[1], n[2]}, {n[2], n[0]}}}, cross = {2, {{n[i], n[3 + i]}, {n[3 + i], n[i]}}};
    expect(value_same(calc_rename(c, both, &turn), both), "a ring may be turned");
    expect(!value_same(calc_rename(c, both, &cross), both), "an index of one ring is none of the other");
  }
  expect(cls(c, value_class(c, both))->n_sym > 0, "turning a ring is known as a symmetry");
  symmetries_hold(c);
  calculus_free(c);
}

/* [t == i + 3 j] sum_k [k == t] x[k] is not x[i]: j may be more than 0. */
static void known_place_of_two_digits(void) {
  Calculus *c = start(false);
  Name k = calculus_name(c, NAME_BOUND, 0, 0, 3), i = calculus_name(c, NAME_DIM, 0, 0, 3),
       j = calculus_name(c, NAME_DIM, 1, 0, 2);
  int64_t three = 3;
  Value index[3] = {calc_idx(c, k, 3), calc_idx(c, i, 3), calc_idx(c, j, 2)}; /* before t: their sign decides */
  Value t = calc_leaf(c, sym("t"), NULL, NULL, NULL, 0, (LeafInfo){.integer = true});
  Value known = calc_cmp(c, CMP_EQ, t, calc_add2(c, index[1], value_scale(rat_int(3), index[2])));
  Value alone = calc_cmp(c, CMP_EQ, t, index[1]);
  Value found = calc_sum(c, &k, 1, calc_mul2(c, calc_cmp(c, CMP_EQ, index[0], t), leaf(c, "x", &k, &three, 1)));
  Value x = leaf(c, "x", &i, &three, 1);
  expect(value_same(calc_mul2(c, alone, found), calc_mul2(c, alone, x)), "[t == i] sum_k [k == t] x[k] is x[i]");
  expect(!value_same(calc_mul2(c, known, found), calc_mul2(c, known, x)), "[t == i + 3 j] tells i and j apart");
  calculus_free(c);
}

/* The places s(a), a of two digits, of a row of 6: `last` the largest, and in which order they are known to be. */
static Value places(Calculus *c, const char *name, Value of, const Name *consumed, uint32_t n_consumed, const Name *out,
                    int64_t last, int order) {
  LeafInfo info = {.integer = true, .has_range = true, .lo = RAT_0, .hi = rat_int(last), .distinct = true,
                   .order = order};
  return calc_opaque(c, sym(name), &of, 1, consumed, n_consumed, out, 2, info);
}

/* What a sort gives is there once, at one place; and sorted again, it says where that is. */
static void places_of_a_row(void) {
  Calculus *c = start(false);
  Name a[2] = {calculus_name(c, NAME_BOUND, 0, 0, 3), calculus_name(c, NAME_BOUND, 1, 0, 2)},
       b[2] = {calculus_name(c, NAME_DIM, 0, 0, 3), calculus_name(c, NAME_DIM, 1, 0, 2)},
       r[2] = {calculus_name(c, NAME_DIM, 2, 0, 3), calculus_name(c, NAME_DIM, 3, 0, 2)},
       batch = calculus_name(c, NAME_DIM, 4, 0, 3), other = calculus_name(c, NAME_DIM, 5, 0, 3);
  int64_t six[3] = {3, 2, 3};
  Name in[3] = {r[0], r[1], batch};
  Value x = leaf(c, "x", in, six, 3), t = calc_leaf(c, sym("t"), NULL, NULL, NULL, 0, (LeafInfo){.integer = true});
  Value all = places(c, "sort", x, r, 2, a, 5, 1), some = places(c, "best", x, r, 2, a, 8, 1);
  Value here = calc_cmp(c, CMP_EQ, all, t), once = calc_sum(c, a, 2, here);
  expect(value_same(once, calc_inside(c, t, 0, 6)), "every place of a row is there once");
  expect(!value_same(calc_sum(c, a, 1, here), calc_inside(c, t, 0, 6)), "in part of the row it may be missing");
  expect(!value_same(calc_sum(c, a, 2, calc_cmp(c, CMP_EQ, some, t)), calc_inside(c, t, 0, 9)), "some of all places");
  Value twice = calc_cmp(c, CMP_EQ, value_scale(RAT_INT(2), all), t);
  expect(!value_same(calc_sum(c, a, 2, twice), calc_inside(c, value_scale(rat_frac(1, 2), t), 0, 6)),
         "twice a place is no place");
  Value also = calc_add2(c, all, calc_idx(c, a[0], 3));
  expect(!value_has(c, calc_sum(c, a, 2, calc_cmp(c, CMP_EQ, also, t)), a[0]), "nor is one moved by where it is");
  Subst move = {2, {{a[0], b[0]}, {a[1], b[1]}}}, rows = {1, {{batch, other}}}, both = {2, {{a[0], batch}, {a[1], b[1]}}};
  Value moved = calc_rename(c, all, &move), equal = calc_cmp(c, CMP_EQ, all, moved);
  Value same = calc_mul2(c, calc_cmp(c, CMP_EQ, calc_idx(c, a[0], 3), calc_idx(c, b[0], 3)),
                         calc_cmp(c, CMP_EQ, calc_idx(c, a[1], 2), calc_idx(c, b[1], 2)));
  expect(value_same(equal, same), "a place stands at one place");
  Value row = calc_cmp(c, CMP_EQ, calc_idx(c, batch, 3), calc_idx(c, other, 3));
  expect(!value_same(calc_cmp(c, CMP_EQ, all, calc_rename(c, moved, &rows)), calc_mul2(c, same, row)),
         "and in another row at any");
  Value diagonal = calc_cmp(c, CMP_EQ, calc_rename(c, all, &both), t);
  Name sum[2] = {batch, b[1]};
  expect(!value_same(calc_sum(c, sum, 2, diagonal), calc_inside(c, t, 0, 6)), "one place of each row");
  Subst second = {2, {{a[0], name_const(0)}, {a[1], name_const(1)}}};
  Value digits = calc_add2(c, value_scale(RAT_INT(2), calc_idx(c, b[0], 3)), calc_idx(c, b[1], 2));
  Value one = calc_rename(c, all, &second), after = calc_cmp(c, CMP_EQ, one, calc_add2(c, digits, VALUE_ONE));
  expect(value_same(calc_sum(c, b, 2, after), calc_cmp(c, CMP_GE, one, VALUE_ONE)), "a place by itself may be any");
  /* sorted again */
  for (int ascends = 0; ascends < 2; ascends++) {
    Value again = places(c, ascends ? "sort" : "reverse", all, a, 2, b, 5, ascends ? 1 : -1);
    Value p = calc_add2(c, value_scale(RAT_INT(2), calc_idx(c, r[0], 3)), calc_idx(c, r[1], 2));
    Value q = calc_add2(c, value_scale(RAT_INT(2), calc_idx(c, b[0], 3)), calc_idx(c, b[1], 2));
    Subst to = {2, {{a[0], r[0]}, {a[1], r[1]}}};
    bool inverse = value_same(calc_cmp(c, CMP_EQ, again, p), calc_cmp(c, CMP_EQ, calc_rename(c, all, &to), q));
    expect(inverse == ascends, "in ascending order a row of places says where each stands");
    Value turned = calc_add2(c, calc_idx(c, r[0], 3), value_scale(RAT_INT(3), calc_idx(c, r[1], 2)));
    expect(!value_same(calc_cmp(c, CMP_EQ, again, turned), calc_cmp(c, CMP_EQ, calc_rename(c, all, &to), q)),
           "not with its digits exchanged");
    Value few = places(c, "sort", places(c, "best", x, r, 2, a, 8, 1), a, 2, b, 5, 1);
    Value where = calc_cmp(c, CMP_EQ, calc_rename(c, some, &to), q);
    expect(!value_same(calc_cmp(c, CMP_EQ, few, p), where),
           "of some places the order says less");
  }
  calculus_free(c);
}

/* Where a place stands, as a sum of the indices at which it is given; how many values of a row are at most another. */
static void places_that_are_counted(void) {
  for (int kind = 0; kind < 3; kind++) { /* ascending, descending, some of all places */
    Calculus *c = start(false);
    Name a[2] = {calculus_name(c, NAME_BOUND, 0, 0, 3), calculus_name(c, NAME_BOUND, 1, 0, 2)},
         b[2] = {calculus_name(c, NAME_DIM, 0, 0, 3), calculus_name(c, NAME_DIM, 1, 0, 2)},
         r[2] = {calculus_name(c, NAME_BOUND, 2, 0, 3), calculus_name(c, NAME_BOUND, 3, 0, 2)},
         d = calculus_name(c, NAME_BOUND, 4, 0, 3), e = calculus_name(c, NAME_DIM, 2, 0, 3);
    int64_t six[2] = {3, 2};
    LeafInfo of_three = {.integer = true, .has_range = true, .lo = RAT_0, .hi = RAT_INT(2)};
    Value x = calc_leaf(c, sym("x"), r, six, NULL, 2, of_three), edge = calc_idx(c, e, 3);
    Value s = places(c, "sort", x, r, 2, a, kind == 2 ? 8 : 5, kind == 1 ? -1 : 1);
    Subst to_b = {2, {{a[0], b[0]}, {a[1], b[1]}}}, to_r = {2, {{a[0], r[0]}, {a[1], r[1]}}};
    Value at_b = calc_rename(c, s, &to_b), at_r = calc_rename(c, s, &to_r);
    Value p = calc_add2(c, value_scale(RAT_INT(2), calc_idx(c, b[0], 3)), calc_idx(c, b[1], 2)),
          q = calc_add2(c, calc_idx(c, b[0], 3), value_scale(RAT_INT(3), calc_idx(c, b[1], 2))),
          k = calc_add2(c, value_scale(RAT_INT(2), calc_idx(c, r[0], 3)), calc_idx(c, r[1], 2));
    for (int64_t last = 5; last < 7; last++) {
      LeafInfo info = {.integer = true, .has_range = true, .lo = RAT_0, .hi = rat_int(last)};
      Value i = calc_leaf(c, sym(last == 5 ? "i" : "more"), NULL, NULL, NULL, 0, info);
      Value here = calc_cmp(c, CMP_EQ, at_r, i), there = calc_cmp(c, CMP_EQ, at_r, calc_idx(c, e, 3));
      Value major = calc_sum(c, r, 2, calc_mul2(c, calc_idx(c, r[0], 3), here)),
            minor = calc_sum(c, r, 2, calc_mul2(c, calc_idx(c, r[1], 2), here));
      Value where = calc_add2(c, value_scale(RAT_INT(2), major), minor), stands = calc_cmp(c, CMP_EQ, at_b, i);
      bool same = value_same(calc_cmp(c, CMP_EQ, where, p), stands);
      expect(same == (kind < 2 && last == 5), "the sum of the indices of a place that is there says where it stands");
      expect(!value_same(calc_cmp(c, CMP_EQ, where, q), stands), "not with its digits exchanged");
      Value other = calc_add2(c, value_scale(RAT_INT(2), major), calc_idx(c, r[1], 2));
      expect(!value_same(calc_cmp(c, CMP_EQ, other, p), stands), "nor with a digit of its own");
      Value mixed = calc_add2(c, calc_sum(c, r, 2, calc_mul2(c, calc_idx(c, r[1], 2), there)), calc_sub(c, where, minor));
      Value either = calc_cmp(c, CMP_EQ, mixed, p), of_other = calc_cmp(c, CMP_EQ, at_b, calc_idx(c, e, 3));
      expect(!value_same(either, stands) && !value_same(either, of_other), "or with one of another place");
    }
    Value stood = calc_sum(c, r, 2, calc_mul2(c, x, calc_cmp(c, CMP_EQ, at_b, k)));
    Value at_most = calc_cmp(c, CMP_LE, stood, edge);
    Value digit[2] = {calc_cmp(c, CMP_EQ, x, calc_idx(c, d, 3)), calc_cmp(c, CMP_LE, calc_idx(c, d, 3), edge)};
    Value counts[3] = {calc_sum(c, r, 2, calc_cmp(c, CMP_LE, x, edge)),
                       calc_sum(c, (Name[]){r[0], r[1], d}, 3, calc_mul2(c, digit[0], digit[1])),
                       calc_sub(c, value_num(RAT_INT(6)), calc_sum(c, r, 2, calc_cmp(c, CMP_LT, edge, x)))};
    for (int n = 0; n < 3; n++) {
      expect(value_same(calc_cmp(c, CMP_LT, p, counts[n]), at_most) == !kind, "so many are at most a value as come before");
      expect(value_same(calc_cmp(c, CMP_LE, counts[n], p), calc_not(c, at_most)) == !kind, "and no more");
      expect(!value_same(calc_cmp(c, CMP_LE, p, counts[n]), at_most), "the next one is larger");
      expect(!value_same(calc_cmp(c, CMP_LT, q, counts[n]), at_most), "of another place nothing is said");
      Value part = calc_sum(c, r, 1, calc_cmp(c, CMP_LE, x, edge));
      expect(!value_same(calc_cmp(c, CMP_LT, p, part), at_most), "part of a row");
    }
    Value some = calc_sum(c, &d, 1, calc_cmp(c, CMP_LT, calc_idx(c, d, 3), x));
    expect(value_same(some, x), "as many indices are below a number as it says");
    LeafInfo of_five = {.integer = true, .has_range = true, .lo = RAT_0, .hi = RAT_INT(4)};
    Value y = calc_leaf(c, sym("y"), r, six, NULL, 2, of_five), below_y = calc_cmp(c, CMP_LT, calc_idx(c, d, 3), y);
    expect(!value_same(calc_sum(c, &d, 1, below_y), y), "not if that is more than there are");
    calculus_free(c);
  }
}

/* The k-th largest of x, at its places in order, and of what is the largest of each part. */
static void values_by_rank(void) {
  Calculus *c = calculus_new();
  calculus_set(c, &(CalculusOptions){.orders = true});
  Name p = calculus_name(c, NAME_BOUND, 0, 0, 2), i = calculus_name(c, NAME_BOUND, 1, 0, 4),
       h[2] = {calculus_name(c, NAME_BOUND, 2, 0, 2), calculus_name(c, NAME_BOUND, 3, 0, 3)},
       j[2] = {calculus_name(c, NAME_DIM, 0, 0, 2), calculus_name(c, NAME_DIM, 1, 0, 3)},
       k[2] = {calculus_name(c, NAME_DIM, 2, 0, 2), calculus_name(c, NAME_DIM, 3, 0, 4)};
  int64_t size[2] = {2, 4};
  Value x = leaf(c, "x", (Name[]){p, i}, size, 2), y = leaf(c, "y", (Name[]){p, i}, size, 2);
  Value three = value_num(RAT_INT(3)), seven = value_num(RAT_INT(7));
  for (int m = 2; m < 4; m++)
    for (int n = 2; n < 4; n++) { /* m of each part, and of these the first n */
      Value rank = calc_idx(c, j[n - 2], n), in = calc_idx(c, h[m - 2], m), last = value_num(rat_int(2 * m - 1));
      Value all = calc_largest(c, x, rank, (Name[]){p, i}, 2);
      Name of[2] = {p, h[m - 2]};
      expect(value_same(all, calc_largest(c, x, rank, (Name[]){i, p}, 2)), "the order of the indices does not matter");
      Value part = calc_largest(c, calc_largest(c, x, in, &i, 1), rank, of, 2);
      expect(value_same(part, all) == (m >= n), "among the largest of all parts are the largest of all, not more");
      Value fewest = calc_largest(c, x, calc_sub(c, three, in), &i, 1), least = calc_sub(c, seven, rank);
      Value end = calc_largest(c, fewest, calc_sub(c, last, rank), of, 2);
      expect(value_same(end, calc_largest(c, x, least, (Name[]){p, i}, 2)) == (m >= n), "and so the least");
      expect(!value_same(calc_largest(c, fewest, rank, of, 2), all), "among the least are not the largest");
      Value moved = calc_largest(c, x, calc_add2(c, in, VALUE_ONE), &i, 1);
      expect(!value_same(calc_largest(c, moved, rank, of, 2), all), "among others neither");
      Value other = calc_largest(c, x, in, &i, 1), twice = value_scale(RAT_INT(2), other);
      expect(value_same(calc_largest(c, twice, rank, of, 2), value_scale(RAT_INT(2), part)), "twice the values");
      Value sum = calc_largest(c, calc_add2(c, x, in), in, &i, 1);
      expect(!value_same(calc_largest(c, sum, rank, of, 2), calc_largest(c, calc_add2(c, x, in), rank, (Name[]){p, i}, 2)),
             "an element that has the index of the rank");
      expect(value_same(calc_largest(c, value_neg(x), rank, (Name[]){p, i}, 2),
                        value_neg(calc_largest(c, x, least, (Name[]){p, i}, 2))),
             "negated, the order is turned");
    }
  Value minus = value_neg(x), row = leaf(c, "x", (Name[]){k[0], i}, size, 2), rank = calc_idx(c, j[0], 2);
  expect(value_same(calc_largest(c, x, VALUE_ZERO, &i, 1), calc_max(c, &x, 1, &i, 1)), "the first is the largest");
  expect(value_same(calc_largest(c, x, three, &i, 1), value_neg(calc_max(c, &minus, 1, &i, 1))), "the last is the least");
  Value second = calc_largest(c, x, VALUE_ONE, &i, 1);
  expect(!value_same(second, calc_max(c, &x, 1, &i, 1)), "the second is not the largest");
  expect(!value_same(second, value_neg(calc_max(c, &minus, 1, &i, 1))), "nor the least");
  expect(!value_same(calc_largest(c, x, rank, (Name[]){i, h[0]}, 2), calc_largest(c, x, rank, &i, 1)), "each element twice");
  Value by[2] = {calc_largest(c, row, rank, &i, 1), calc_largest(c, row, calc_sub(c, three, rank), &i, 1)};
  for (int order = -1; order <= 1; order++)
    for (int64_t last = 3; last < 5; last++) {
      LeafInfo info = {.integer = true, .has_range = true, .lo = RAT_0, .hi = rat_int(last), .distinct = true,
                       .order = order};
      char name[2] = {(char)('b' + order + 3 * (int)last)};
      Value place = calc_opaque(c, sym(name), &row, 1, &i, 1, j, 1, info), at = leaf(c, "x", (Name[]){k[0], k[1]}, size, 2);
      Value here = calc_cmp(c, CMP_EQ, place, calc_idx(c, k[1], 4));
      Value read = calc_sum(c, &k[1], 1, calc_mul2(c, at, here)), both[3] = {here, at, at};
      expect(value_same(read, by[order > 0]) == (order && last == 3), "read at its places in order");
      Value square = calc_sum(c, &k[1], 1, calc_mul(c, both, 3));
      expect(!value_same(square, by[order > 0]) && !value_same(square, calc_mul2(c, read, read)), "what else is read there");
      Value moved = calc_cmp(c, CMP_EQ, calc_add2(c, place, VALUE_ONE), calc_idx(c, k[1], 4));
      expect(!value_same(calc_sum(c, &k[1], 1, calc_mul2(c, at, moved)), by[order > 0]), "read beside its places");
      Value diagonal[2] = {leaf(c, "x", (Name[]){k[1], k[1]}, (int64_t[]){4, 4}, 2), here};
      expect(!value_same(calc_sum(c, &k[1], 1, calc_mul(c, diagonal, 2)), by[order > 0]), "read in other rows");
      both[1] = leaf(c, "y", (Name[]){k[0], k[1]}, size, 2);
      expect(!value_same(calc_sum(c, &k[1], 1, calc_mul(c, both, 2)), by[order > 0]), "another row read there");
    }
  expect(!value_same(calc_largest(c, y, rank, &i, 1), calc_largest(c, x, rank, &i, 1)), "two rows");
  calculus_free(c);
}

/* Of what grows with a row, or falls, the k-th largest; and what a row is ordered by. */
static void rows_of_functions(void) {
  Calculus *c = calculus_new();
  calculus_set(c, &(CalculusOptions){.orders = true});
  Name i = calculus_name(c, NAME_BOUND, 0, 0, 4), j = calculus_name(c, NAME_DIM, 0, 0, 4);
  int64_t four = 4;
  Value x = leaf(c, "x", &i, &four, 1), z = leaf(c, "z", &i, &four, 1), y = leaf(c, "y", NULL, NULL, 0);
  Value k = calc_idx(c, j, 4), end = calc_sub(c, value_num(RAT_INT(3)), k), two = value_num(RAT_INT(2));
  Value first = calc_largest(c, x, k, &i, 1), last = calc_largest(c, x, end, &i, 1);
  Sym exp = sym("exp");
  Value e = calc_fn(c, exp, &x, 1), of_first = calc_fn(c, exp, &first, 1), of_last = calc_fn(c, exp, &last, 1);
  Value falls = calc_pow(c, calc_add2(c, VALUE_ONE, e), RAT_NEG1), times = calc_fn(c, exp, &y, 1);
  expect(value_same(calc_largest(c, e, k, &i, 1), of_first), "an exponential grows");
  Value by = calc_pow(c, calc_add2(c, VALUE_ONE, of_last), RAT_NEG1),
        not_by = calc_pow(c, calc_add2(c, VALUE_ONE, of_first), RAT_NEG1);
  Value got = calc_largest(c, falls, k, &i, 1);
  expect(value_same(got, by) && !value_same(got, not_by), "an inverse falls");
  expect(value_same(calc_largest(c, calc_mul2(c, times, x), k, &i, 1), calc_mul2(c, times, first)), "a positive factor");
  expect(!value_same(calc_largest(c, calc_mul2(c, y, x), k, &i, 1), calc_mul2(c, y, first)), "any factor");
  Value product = calc_largest(c, calc_mul2(c, e, z), k, &i, 1), of_z = calc_largest(c, z, k, &i, 1);
  expect(!value_same(product, calc_mul2(c, of_first, of_z)), "two that vary");
  expect(!value_same(product, calc_pow(c, of_z, RAT_INT(2))) && !value_same(product, calc_pow(c, of_first, RAT_INT(2))),
         "of which none is the other");
  expect(value_same(calc_largest(c, calc_add2(c, x, y), k, &i, 1), calc_add2(c, first, y)), "what is added");
  expect(!value_same(calc_largest(c, calc_add2(c, x, z), k, &i, 1), calc_add2(c, first, z)), "if it does not vary");
  expect(!value_same(calc_largest(c, calc_pow(c, x, RAT_INT(2)), k, &i, 1), calc_pow(c, first, RAT_INT(2))), "any square");
  Value sine = calc_fn(c, sym("sin"), &x, 1), of_sine = calc_fn(c, sym("sin"), &first, 1);
  expect(!value_same(calc_largest(c, sine, k, &i, 1), of_sine), "a sine");
  expect(value_same(calc_order_key(c, value_scale(RAT_INT(-2), e), &i, 1), value_neg(x)), "ordered the other way");
  expect(value_same(calc_order_key(c, calc_add2(c, falls, y), &i, 1), value_neg(x)), "part by part");
  expect(!value_same(calc_order_key(c, calc_mul2(c, y, x), &i, 1), x), "but not by a factor of any sign");
  Value less = calc_cmp(c, CMP_LT, x, y), minus = value_neg(x), least = value_neg(calc_max(c, &minus, 1, &i, 1));
  expect(value_same(calc_max(c, &less, 1, &i, 1), calc_cmp(c, CMP_LT, least, y)), "one is less if the least is");
  Value more = calc_cmp(c, CMP_LT, y, x), both = calc_cmp(c, CMP_LT, x, z);
  expect(value_same(calc_max(c, &more, 1, &i, 1), calc_cmp(c, CMP_LT, y, calc_max(c, &x, 1, &i, 1))), "more if the most is");
  Value apart = calc_cmp(c, CMP_LT, least, calc_max(c, &z, 1, &i, 1));
  expect(!value_same(calc_max(c, &both, 1, &i, 1), apart), "not if both vary");
  expect(!value_has(c, calc_max(c, &both, 1, &i, 1), i), "along what is gone");
  LeafInfo info = {.integer = true, .has_range = true, .lo = RAT_0, .hi = RAT_INT(3), .distinct = true, .order = -1};
  Value here = calc_cmp(c, CMP_EQ, calc_opaque(c, sym("w"), &minus, 1, &i, 1, &j, 1, info), calc_idx(c, i, 4));
  expect(value_same(calc_sum(c, &i, 1, calc_mul2(c, x, here)), last), "read where the negated row is in order");
  expect(value_same(calc_sum(c, &i, 1, calc_mul2(c, e, here)), of_last), "and a function of it");
  Value none = calc_sub(c, less, VALUE_ONE), any = calc_max(c, &less, 1, &i, 1);
  expect(value_same(calc_max(c, &none, 1, &i, 1), calc_sub(c, any, VALUE_ONE)), "less one");
  expect(!value_same(calc_max(c, &none, 1, &i, 1), calc_sub(c, any, two)), "and no more");
  calculus_free(c);
}

static Value quotient_of(Calculus *c, Value a, Value b) { return calc_mul2(c, a, calc_pow(c, b, RAT_NEG1)); }
static Value root_of(Calculus *c, Value x) { return calc_pow(c, x, rat_frac(1, 2)); }

/* Fractions of polynomials in unknowns, of roots and of truth values. */
static void fractions(void) {
  Calculus *c = calculus_new();
  calculus_set(c, &(CalculusOptions){.fractions = true});
  Name i = calculus_name(c, NAME_BOUND, 0, 0, 3);
  int64_t three = 3;
  Value x = leaf(c, "x", NULL, NULL, 0), y = leaf(c, "y", NULL, NULL, 0), two = value_num(RAT_INT(2));
  Value z = leaf(c, "z", &i, &three, 1);
  Value a = calc_add2(c, x, y), b = calc_add2(c, a, y), one = VALUE_ONE;
  Value apart = calc_sub(c, quotient_of(c, one, a), quotient_of(c, one, b));
  Value product = quotient_of(c, y, calc_mul2(c, a, b)), twice = value_scale(RAT_INT(2), product);
  calculus_assumed_only(c, 0);
  expect(calc_equal(c, apart, product, 8) && !calc_equal(c, apart, twice, 8), "over one denominator");
  expect(calculus_assumptions(c) & ASSUME_NONZERO, "which is not 0");
  Value sum = calc_sum(c, &i, 1, z), all[3];
  for (uint32_t k = 0; k < 3; k++) {
    Subst s = {1, {{i, name_const(k)}}};
    all[k] = calc_rename(c, z, &s);
  }
  Value written = calc_add(c, all, 3), square = calc_pow(c, calc_add2(c, calc_pow(c, sum, two.k), one), RAT_NEG1);
  Value terms[7] = {one};
  for (uint32_t k = 0; k < 3; k++) {
    terms[1 + k] = calc_pow(c, all[k], RAT_INT(2));
    terms[4 + k] = value_scale(RAT_INT(2), calc_mul2(c, all[k], all[(k + 1) % 3]));
  }
  Value flat = calc_add(c, terms, 7), less = calc_add(c, terms, 6);
  expect(calc_equal(c, calc_mul2(c, flat, square), one, 8), "sums written out");
  expect(!calc_equal(c, calc_mul2(c, less, square), one, 8), "all of them");
  Value cube = calc_mul2(c, sum, calc_pow(c, square, RAT_NEG1));
  expect(calc_equal(c, calc_mul2(c, written, flat), cube, 8), "and their powers");
  Value s = calc_add2(c, calc_pow(c, calc_add2(c, x, one), two.k), y); /* (x + 1)^2 + y */
  Value t = calc_add(c, (Value[]){calc_pow(c, x, two.k), value_scale(two.k, x), y, one}, 4), root = root_of(c, s);
  Value over = quotient_of(c, t, root);
  calculus_assumed_only(c, 0);
  expect(calc_equal(c, over, root, 8), "a root of one sum, in two forms");
  expect(!calc_equal(c, quotient_of(c, calc_add2(c, t, one), root), root, 8), "not of another");
  expect(calculus_assumptions(c) & ASSUME_NONNEG_ROOT, "which is a number");
  expect(calc_equal(c, quotient_of(c, root_of(c, t), t), quotient_of(c, one, root), 8), "roots of both");
  Value e = calc_fn(c, sym("exp"), &x, 1), half = root_of(c, e), more = calc_add2(c, half, y);
  Value spread = calc_add(c, (Value[]){e, calc_pow(c, y, two.k), value_scale(two.k, calc_mul2(c, half, y))}, 3);
  expect(calc_equal(c, quotient_of(c, spread, more), more, 8), "an unknown is a power of its root");
  expect(!calc_equal(c, quotient_of(c, calc_add2(c, e, calc_pow(c, y, two.k)), more), more, 8), "whatever that is");
  LeafInfo truth = {.integer = true, .has_range = true, .lo = RAT_0, .hi = RAT_1};
  Value p = calc_leaf(c, sym("p"), NULL, NULL, NULL, 0, truth), q = calc_leaf(c, sym("q"), NULL, NULL, NULL, 0, truth);
  Value either = calc_add(c, (Value[]){p, q, x}, 3), with_x = calc_mul2(c, value_scale(two.k, x), calc_add2(c, p, q));
  Value known = calc_add(c, (Value[]){p, q, value_scale(two.k, calc_mul2(c, p, q)), with_x, calc_pow(c, x, two.k)}, 5);
  expect(calc_equal(c, quotient_of(c, known, either), either, 8), "truth values are their squares");
  Value under = calc_add2(c, calc_mul2(c, p, quotient_of(c, x, y)), one), clear = calc_add2(c, calc_mul2(c, p, x), y);
  expect(!calc_equal(c, calc_pow(c, under, RAT_NEG1), quotient_of(c, y, clear), 8), "y may be 0 where p is");
  Value without = calc_sub(c, known, value_scale(two.k, calc_mul2(c, p, q)));
  expect(!calc_equal(c, quotient_of(c, without, either), either, 8), "and their product is none of them");
  calculus_free(c);
}

/* Counts: of what two rows have in common there may be several; a number that counts itself is at least 1. */
static void counts_of_places(void) {
  Calculus *c = start(false);
  Name a[2] = {calculus_name(c, NAME_BOUND, 0, 0, 3), calculus_name(c, NAME_BOUND, 1, 0, 2)},
       b[2] = {calculus_name(c, NAME_BOUND, 2, 0, 3), calculus_name(c, NAME_BOUND, 3, 0, 2)},
       e = calculus_name(c, NAME_BOUND, 4, 0, 9), i = calculus_name(c, NAME_DIM, 0, 0, 4),
       u = calculus_name(c, NAME_BOUND, 5, 0, 4);
  int64_t four = 4;
  Value x = leaf(c, "x", NULL, NULL, 0), y = leaf(c, "y", NULL, NULL, 0), two = value_num(RAT_INT(2));
  Value s = places(c, "best", x, NULL, 0, a, 8, 0), t = places(c, "best", y, NULL, 0, b, 8, 0);
  Value common = calc_sum(c, b, 2, calc_sum(c, a, 2, calc_cmp(c, CMP_EQ, s, t)));
  expect(!value_same(calc_cmp(c, CMP_LT, common, two), VALUE_ONE), "two rows may have two places in common");
  Value moved = calc_cmp(c, CMP_EQ, calc_add2(c, s, calc_idx(c, a[0], 3)), value_num(RAT_INT(4)));
  expect(!value_same(calc_cmp(c, CMP_LT, calc_sum(c, a, 2, moved), two), VALUE_ONE), "places moved may meet");
  expect(value_same(calc_cmp(c, CMP_LE, common, value_num(RAT_INT(6))), VALUE_ONE), "not more than there are");
  LeafInfo info = {.integer = true, .has_range = true, .lo = RAT_0, .hi = RAT_INT(8)};
  for (int64_t last = 8; last < 10; last++) { /* of 9 numbers each is one; of 10 one is none */
    info.hi = rat_int(last);
    const char *name = last == 8 ? "of nine" : "of ten";
    Value here = calc_leaf(c, sym(name), &i, &four, NULL, 1, info),
          there = calc_leaf(c, sym(name), &u, &four, NULL, 1, info);
    Value number = calc_idx(c, e, 9), at = calc_idx(c, u, 4), to = calc_idx(c, i, 4);
    Name bound[2] = {e, u};
    for (int includes = 0; includes < 2; includes++) {
      Value f[3] = {calc_cmp(c, CMP_EQ, here, number), calc_cmp(c, CMP_EQ, there, number),
                    calc_cmp(c, includes ? CMP_LE : CMP_LT, at, to)};
      Value count = calc_sum(c, bound, 2, calc_mul(c, f, 3));
      bool some = value_same(calc_cmp(c, CMP_GE, count, VALUE_ONE), VALUE_ONE);
      expect(some == (includes && last == 8), "a number counts itself if it is one of those, and not excluded");
    }
  }
  calculus_free(c);
}

/* [d == a form]: one index is told by others, bound or not, where they stay in its range. */
static void indices_told_by_others(void) {
  Calculus *c = calculus_new();
  calculus_set(c, &(CalculusOptions){.flat = true});
  int64_t sizes[3] = {6, 2, 3};
  for (int64_t off = 0; off < 2; off++) {
    Name d = calculus_name(c, NAME_BOUND, 0, 0, 6), a = calculus_name(c, NAME_BOUND, 1, 0, 2),
         b = calculus_name(c, NAME_BOUND, 2, 0, 3);
    Value form = calc_add2(c, value_num(rat_int(off)),
                           calc_add2(c, value_scale(RAT_INT(3), calc_idx(c, a, 2)), calc_idx(c, b, 3)));
    Value body = calc_mul2(c, leaf(c, "x", &d, sizes, 1), leaf(c, "y", (Name[]){a, b}, sizes + 1, 2));
    Value v = calc_sum(c, (Name[]){d, a, b}, 3, calc_mul2(c, calc_cmp(c, CMP_EQ, calc_idx(c, d, 6), form), body));
    Subst s = {0};
    FormTerm terms[] = {{3, a}, {1, b}};
    subst_put(&s, d, calculus_form(c, (Form){off, 2, terms}));
    Value told = calc_sum(c, (Name[]){a, b}, 2, calc_rename(c, body, &s));
    expect(value_same(v, told) == !off, "an index is told by a form that stays in its range");
  }
  for (int64_t size = 2; size < 5; size++) { /* a window of two that starts at a + 1 */
    Name d = calculus_name(c, NAME_BOUND, 0, 0, 6), a = calculus_name(c, NAME_DIM, 1, 0, size),
         k = calculus_name(c, NAME_BOUND, 2, 0, 2);
    Value e = calc_sub(c, calc_idx(c, d, 6), calc_idx(c, a, size)), x = leaf(c, "x", &d, sizes, 1);
    Value v = calc_sum(c, &d, 1, calc_mul2(c, calc_inside(c, e, 1, 3), x));
    Subst s = {0};
    FormTerm terms[] = {{1, a}, {1, k}};
    subst_put(&s, d, calculus_form(c, (Form){1, 2, terms}));
    expect(value_same(v, calc_sum(c, &k, 1, calc_rename(c, x, &s))) == (size < 5), "a window moves with another index");
  }
  Name d = calculus_name(c, NAME_BOUND, 0, 0, 6), a = calculus_name(c, NAME_DIM, 1, 0, 5),
       k = calculus_name(c, NAME_BOUND, 2, 0, 2);
  Value e = calc_sub(c, calc_idx(c, d, 6), calc_idx(c, a, 5)), x = leaf(c, "x", &d, sizes, 1);
  Value v = calc_sum(c, &d, 1, calc_mul2(c, calc_inside(c, e, 1, 3), x));
  Subst s = {0};
  FormTerm terms[] = {{1, a}, {1, k}};
  subst_put(&s, d, calculus_form(c, (Form){1, 2, terms}));
  expect(!value_same(v, calc_sum(c, &k, 1, calc_rename(c, x, &s))), "and may not leave the range");
  calculus_free(c);
}

/* Beyond one side of a gap in the values of a leaf is at its other side: beyond, not at. */
static void gaps_end_where_they_do(void) {
  Calculus *c = start(false);
  Value x = calc_leaf(c, sym("x"), NULL, NULL, NULL, 0,
                      (LeafInfo){.integer = true,
                                 .has_range = true,
                                 .has_gap = true,
                                 .lo = RAT_INT(-100),
                                 .hi = RAT_INT(5),
                                 .gap_lo = RAT_INT(-90),
                                 .gap_hi = RAT_0});
  Value from_low = calc_cmp(c, CMP_GE, x, value_num(RAT_INT(-90))),
        beyond = calc_cmp(c, CMP_GT, x, value_num(RAT_INT(-90))), from_high = calc_cmp(c, CMP_GE, x, VALUE_ZERO),
        below = calc_cmp(c, CMP_LE, x, VALUE_ZERO), at_low = calc_cmp(c, CMP_LE, x, value_num(RAT_INT(-90)));
  Value y = leaf(c, "y", NULL, NULL, 0), z = leaf(c, "z", NULL, NULL, 0);
  Value high = calc_select(c, from_high, y, z), low = calc_select(c, at_low, y, z);
  expect(!value_same(calc_mul2(c, from_low, high), calc_mul2(c, from_low, y)),
         "x >= the lower end of a gap does not imply x >= its upper end");
  expect(value_same(calc_mul2(c, beyond, high), calc_mul2(c, beyond, y)),
         "x > the lower end of a gap implies x >= its upper end");
  expect(!value_same(calc_mul2(c, below, low), calc_mul2(c, below, y)),
         "x <= the upper end of a gap does not imply x <= its lower end");
  calculus_free(c);
}

/* What is not its least value, and has none up to some number, is at least that; so above. */
static void gaps_at_an_end(void) {
  for (int64_t sign = -1; sign < 2; sign += 2)
    for (int64_t alone = 0; alone < 2; alone++) { /* one value before the gap, or two */
      Calculus *c = start(false);
      LeafInfo info = {.integer = true, .has_range = true, .has_gap = true, .lo = rat_int(-1 - alone), .hi = RAT_INT(8)};
      info.gap_lo = RAT_NEG1, info.gap_hi = RAT_INT(3);
      if (sign < 0) {
        info.lo = RAT_INT(-8), info.hi = rat_int(1 + alone);
        info.gap_lo = RAT_INT(-3), info.gap_hi = RAT_1;
      }
      Value x = value_scale(rat_int(sign), calc_leaf(c, sym("x"), NULL, NULL, NULL, 0, info));
      Value at_least = calc_cmp(c, CMP_GE, x, value_num(RAT_INT(3)));
      Value high = calc_select(c, at_least, leaf(c, "y", NULL, NULL, 0), leaf(c, "z", NULL, NULL, 0));
      for (int64_t other = -1 - alone; other < 6; other++) {
        Value isnt = calc_not(c, calc_cmp(c, CMP_EQ, x, value_num(rat_int(other))));
        bool implied = value_same(calc_mul2(c, isnt, high), calc_mul2(c, isnt, leaf(c, "y", NULL, NULL, 0)));
        expect(implied == (other == -1 && !alone), "what is not its only value before a gap is beyond it");
      }
      calculus_free(c);
    }
}

/* A sum over two digits that are read together is one over their positions: sum_{p, q} y[3 p + q + 1] = sum_j y[j + 1].
 */
static void digits_join(void) {
  Calculus *c = start(true);
  Name k = calculus_name(c, NAME_DIM, 0, 0, 8), p = calculus_name(c, NAME_BOUND, 0, 0, 2),
       q = calculus_name(c, NAME_BOUND, 1, 0, 3), j = calculus_name(c, NAME_BOUND, 2, 0, 6);
  Value y = leaf(c, "y", &k, &(int64_t){8}, 1);
  Subst digits = {0}, whole = {0};
  subst_put(&digits, k, calculus_form(c, (Form){1, 2, (FormTerm[]){{3, p}, {1, q}}}));
  subst_put(&whole, k, calculus_form(c, (Form){1, 1, (FormTerm[]){{1, j}}}));
  Value both = calc_sum(c, (Name[]){p, q}, 2, calc_rename(c, y, &digits));
  expect(value_same(both, calc_sum(c, &j, 1, calc_rename(c, y, &whole))), "digits that are read together join");
  Subst low = {0}, high = {0}, all = {0};
  Name five = calculus_name(c, NAME_BOUND, 3, 0, 5);
  subst_put(&low, k, calculus_form(c, (Form){0, 1, (FormTerm[]){{1, q}}}));
  subst_put(&high, k, calculus_form(c, (Form){3, 1, (FormTerm[]){{1, p}}}));
  subst_put(&all, k, calculus_form(c, (Form){0, 1, (FormTerm[]){{1, five}}}));
  Value first = calc_sum(c, &q, 1, calc_rename(c, y, &low)), second = calc_sum(c, &p, 1, calc_rename(c, y, &high)),
        joined = calc_sum(c, &five, 1, calc_rename(c, y, &all));
  expect(value_same(calc_add2(c, first, second), joined), "sums over adjoining ranges join");
  expect(!value_same(calc_sub(c, first, second), joined), "their difference is no sum over both");
  calculus_free(c);
}

/* A maximum over two positions is none over one. */
static void positions_of_maxima(void) {
  Calculus *c = start(true);
  Name n = calculus_name(c, NAME_BOUND, 0, 0, 4);
  int64_t four = 4;
  Value k = calc_idx(c, n, 4), x = leaf(c, "x", &n, &four, 1), none = value_neginf(c);
  for (int64_t count = 1; count < 3; count++)
    for (int64_t first = 0; first < 2; first++) {
      Value here = calc_inside(c, k, first, first + count), v = calc_select(c, here, x, none);
      Name at = name_const(first);
      Value only = leaf(c, "x", &at, &four, 1);
      expect(value_same(calc_max(c, &v, 1, &n, 1), only) == (count == 1), "a maximum over one or two positions");
    }
  calculus_free(c);
}

/* A maximum over the positions where a condition holds is that of all positions only where the others have nothing. */
static void other_positions_of_maxima(void) {
  Calculus *c = start(true);
  Name n = calculus_name(c, NAME_BOUND, 0, 0, 4);
  Value x = leaf(c, "x", &n, &(int64_t){4}, 1), here = calc_inside(c, calc_idx(c, n, 4), 0, 2);
  Value elsewhere = calc_select(c, here, value_neginf(c), x), most = calc_max(c, &elsewhere, 1, &n, 1);
  expect(!value_same(most, value_neginf(c)), "a maximum has what stands at the other positions");
  Value q = leaf(c, "q", NULL, NULL, 0), m = calc_max(c, &x, 1, &n, 1);
  for (int less = 0; less < 2; less++) {
    Value p = calc_cmp(c, CMP_LT, less ? q : value_neg(q), VALUE_ZERO), one = calc_select(c, p, value_neginf(c), m);
    Value in = calc_select(c, p, value_neginf(c), x), out = calc_select(c, p, x, value_neginf(c));
    expect(value_same(calc_max(c, &one, 1, NULL, 0), calc_max(c, &in, 1, &n, 1)), "a maximum or nothing");
    expect(!value_same(calc_max(c, &one, 1, NULL, 0), calc_max(c, &out, 1, &n, 1)), "a maximum or nothing else");
  }
  calculus_free(c);
}

/* What becomes 0 names what it assumes of denominators below it, and what is divided by 0 stays. */
static void denominators_of_nothing(void) {
  for (int i = 0; i < 6; i++) {
    Calculus *c = start(false);
    Value x = leaf(c, "x", NULL, NULL, 0), y = leaf(c, "y", NULL, NULL, 0);
    Value quotient = calc_mul2(c, y, calc_pow(c, x, RAT_NEG1));
    Value zero = calc_pow(c, VALUE_ZERO, RAT_NEG1), positive = calc_fn(c, c->fn.exp, &x, 1);
    Value exponential = calc_fn(c, c->fn.exp, &quotient, 1);
    Value out = i == 0   ? calc_mul(c, (Value[]){VALUE_ZERO, calc_pow(c, x, RAT_NEG1)}, 2)
                : i == 1 ? calc_sub(c, quotient, quotient)
                : i == 2 ? calc_mul2(c, exponential, VALUE_ZERO)
                : i == 3 ? calc_mul2(c, VALUE_ZERO, calc_pow(c, positive, RAT_NEG1))
                         : calc_mul2(c, VALUE_ZERO, i == 4 ? zero : calc_mul2(c, x, zero));
    bool none = i < 4 && out.k == RAT_0, assumed = calculus_assumptions(c) & ASSUME_NONZERO;
    expect(i == 5 ? assumed || out.k != RAT_0 : none == (i < 4), "0 times a quotient is 0, 0 / 0 is not");
    expect(i > 3 || assumed == (i < 3), "0 times a quotient assumes its denominator");
    calculus_free(c);
  }
}

/* A guard against a root of 0 is 1 where the root is divided by, which is assumed; against anything else it stays. */
static void guards_of_roots(void) {
  for (int i = 0; i < 7; i++) {
    Calculus *c = start(false);
    Name n = calculus_name(c, NAME_DIM, 0, 0, 6);
    Value x = calc_leaf(c, sym("x"), &n, &(int64_t){6}, NULL, 1, (LeafInfo){.integer = i == 6});
    Value y = leaf(c, "y", NULL, NULL, 0);
    Value p = calc_cmp(c, CMP_LT, x, VALUE_ZERO), s = calc_sum(c, &n, 1, calc_pow(c, x, RAT_INT(2)));
    Value count = calc_sum(c, &n, 1, p), masked = calc_sum(c, &n, 1, calc_mul2(c, p, calc_pow(c, x, RAT_INT(2))));
    Value root = calc_pow(c, i == 2 ? count : i == 5 ? masked : s, rat_div(RAT_1, RAT_INT(2)));
    Value w = leaf(c, "w", NULL, NULL, 0), tested = i == 3 ? count : i == 4 ? w : root, divided = i == 1 ? y : tested;
    calc_cmp(c, CMP_EQ, root, VALUE_ZERO); /* there are guards */
    Value guard = calc_not(c, calc_cmp(c, CMP_EQ, tested, VALUE_ZERO));
    expect(!calc_equal(c, calc_mul2(c, guard, y), y, 8), "a guard of what is not divided by is none");
    Value z = leaf(c, "z", NULL, NULL, 0), quotient = calc_mul2(c, z, calc_pow(c, divided, RAT_NEG1));
    bool same = calc_equal(c, calc_mul2(c, guard, quotient), quotient, 8);
    bool assumed = calculus_assumptions(c) & ASSUME_NONZERO;
    expect(same == (i == 0) && assumed == (i == 0), "a guard of a root that is divided by");
    calculus_free(c);
  }
}

/* A root that is 0 wherever two indices are the same is guarded for a reason. */
static void guards_of_distances(void) {
  Calculus *c = start(false);
  Name n[2] = {calculus_name(c, NAME_DIM, 0, 0, 3), calculus_name(c, NAME_DIM, 1, 0, 3)};
  Value x = leaf(c, "x", n, &(int64_t){3}, 1), y = leaf(c, "x", n + 1, &(int64_t){3}, 1);
  Value s = calc_pow(c, calc_pow(c, calc_sub(c, x, y), RAT_INT(2)), rat_div(RAT_1, RAT_INT(2)));
  Value guard = calc_not(c, calc_cmp(c, CMP_EQ, s, VALUE_ZERO)), quotient = calc_pow(c, s, RAT_NEG1);
  expect(!calc_equal(c, calc_mul2(c, guard, quotient), quotient, 8), "a guard of a distance");
  Name at[2][2] = {{n[0]}, {n[1]}};
  at[0][1] = at[1][1] = calculus_name(c, NAME_DIM, 2, 0, 4);
  for (int apart = 0; apart < 2; apart++) {
    Value from = leaf(c, "z", at[0], (int64_t[]){3, 4}, 2), to = leaf(c, apart ? "w" : "z", at[1], (int64_t[]){3, 4}, 2);
    Value squares = calc_sum(c, at[0] + 1, 1, calc_pow(c, calc_sub(c, from, to), RAT_INT(2)));
    s = calc_pow(c, squares, rat_div(RAT_1, RAT_INT(2)));
    guard = calc_not(c, calc_cmp(c, CMP_EQ, s, VALUE_ZERO)), quotient = calc_pow(c, s, RAT_NEG1);
    expect(calc_equal(c, calc_mul2(c, guard, quotient), quotient, 8) == apart, "a guard of a distance of rows");
  }
  calculus_free(c);
}

/* (a + b)^2 - e^z (a + b)^2 / (1 + e^z) is (a^2 + 2 a b + b^2) / (1 + e^z): both are multiplied by what stands below. */
static void squares_over_a_sum(void) {
  Calculus *c = calculus_new();
  calculus_set(c, &(CalculusOptions){.spread = true});
  Value a = leaf(c, "a", NULL, NULL, 0), b = leaf(c, "b", NULL, NULL, 0), z = leaf(c, "z", NULL, NULL, 0);
  Value e = calc_fn(c, sym("exp"), &z, 1), below = calc_pow(c, calc_add2(c, VALUE_ONE, e), RAT_NEG1);
  Value square = calc_pow(c, calc_add2(c, a, b), RAT_INT(2)), ab = value_scale(RAT_INT(2), calc_mul2(c, a, b));
  Value parts[] = {calc_pow(c, a, RAT_INT(2)), ab, calc_pow(c, b, RAT_INT(2))};
  Value share = calc_sub(c, square, calc_mul2(c, calc_mul2(c, e, square), below));
  expect(calc_equal(c, share, calc_mul2(c, calc_add(c, parts, 3), below), 8), "a share of a square");
  expect(!calc_equal(c, share, calc_mul2(c, calc_add(c, parts, 2), below), 8), "a share of a square without a term");
  calculus_free(c);
}

/* exp(x[a, b] x[a + 1, b + 1]) */
static Value at_corner(Calculus *c, Form a, Form b) {
  Name n[2] = {calculus_name(c, NAME_DIM, 0, 0, 100), calculus_name(c, NAME_DIM, 1, 0, 100)};
  Value x = leaf(c, "x", n, (int64_t[]){100, 100}, 2), f[2];
  for (int i = 0; i < 2; i++, a.constant++, b.constant++)
    f[i] = calc_rename(c, x, &(Subst){2, {{n[0], calculus_form(c, a)}, {n[1], calculus_form(c, b)}}});
  f[0] = calc_mul(c, f, 2);
  return calc_fn(c, c->fn.exp, f, 1);
}

/* The sum of it over n rows and n_2 columns from these on; 0: over that one alone, without an index. */
static Value sum_from(Calculus *c, int64_t from, int64_t n, int64_t from_2, int64_t n_2) {
  Name k[2] = {calculus_fresh(c, n ? n : 1), calculus_fresh(c, n_2 ? n_2 : 1)}, bound[2];
  Form at[2] = {{from, n > 0, &(FormTerm){1, k[0]}}, {from_2, n_2 > 0, &(FormTerm){1, k[1]}}};
  uint32_t n_bound = 0;
  if (n) bound[n_bound++] = k[0];
  if (n_2) bound[n_bound++] = k[1];
  return calc_sum(c, bound, n_bound, at_corner(c, at[0], at[1]));
}

/* One position before a range is joined to it, whatever other indices there are; one that is further away is not. */
static void position_before_a_range(void) {
  Calculus *c = start(true);
  Value corner = sum_from(c, 0, 0, 0, 0), row = sum_from(c, 0, 0, 1, 98), whole = sum_from(c, 0, 99, 0, 99);
  Value column = sum_from(c, 1, 98, 0, 0), rest = sum_from(c, 1, 98, 1, 98);
  expect(value_same(calc_add2(c, corner, row), sum_from(c, 0, 0, 0, 99)), "a position before a range");
  expect(value_same(calc_add(c, (Value[]){corner, rest, row, column}, 4), whole), "a corner of a range");
  Value further = calc_add2(c, corner, sum_from(c, 0, 0, 2, 97));
  expect(!value_same(further, sum_from(c, 0, 0, 0, 98)), "a position further before a range");
  expect(!value_same(further, sum_from(c, 0, 0, 1, 98)), "a position that is not in a range");
  expect(!value_same(calc_add2(c, corner, row), sum_from(c, 0, 0, 1, 99)), "a range that begins with its second position");
  calculus_free(c);
}

/* With flat dimensions a sum of indices at the end of its range is told as a guard is, and holds there alone. */
static void guards_at_an_end(void) {
  Calculus *c = start(true);
  Name n[2] = {calculus_name(c, NAME_DIM, 0, 0, 5), calculus_name(c, NAME_DIM, 1, 0, 4)};
  Value e = calc_add2(c, calc_idx(c, n[0], 5), calc_idx(c, n[1], 4)), last = value_num(RAT_INT(7));
  Value first = calc_cmp(c, CMP_EQ, e, VALUE_ZERO), end = calc_cmp(c, CMP_EQ, e, last);
  expect(value_same(first, calc_not(c, calc_cmp(c, CMP_GT, e, VALUE_ZERO))), "the first place as a guard");
  expect(value_same(end, calc_not(c, calc_cmp(c, CMP_LT, e, last))), "the last place as a guard");
  for (int64_t i = 0; i < 20; i++) {
    Subst s = {2, {{n[0], name_const(i / 4)}, {n[1], name_const(i % 4)}}};
    expect(value_same(calc_rename(c, first, &s), value_num(rat_int(i == 0))), "a guard holds at the first place");
    expect(value_same(calc_rename(c, end, &s), value_num(rat_int(i == 19))), "a guard holds at the last place");
  }
  calculus_free(c);
}

/* What cancels among sums over an index, and after terms have joined, is assumed to be a number as well. */
static void joined_terms_are_numbers(void) {
  for (int i = 0; i < 2; i++) {
    Calculus *c = start(false);
    Name n = calculus_name(c, NAME_DIM, 0, 0, 2);
    Subst first = {1, {{n, name_const(0)}}}, last = {1, {{n, name_const(1)}}};
    Value w = leaf(c, "w", &n, &(int64_t){2}, 1), z = leaf(c, "z", NULL, NULL, 0), of = calc_pow(c, w, RAT_NEG1);
    Value a = calc_rename(c, i ? w : of, &first), b = calc_rename(c, i ? w : of, &last), q = calc_pow(c, z, RAT_NEG1);
    Value sum = i ? calc_mul2(c, calc_add2(c, a, b), q) : calc_sum(c, &n, 1, of);
    Value less = i ? calc_sub(c, calc_sub(c, sum, calc_mul2(c, a, q)), calc_mul2(c, b, q)) : calc_sub(c, sum, sum);
    expect(less.k == RAT_0, "a sum less its terms");
    expect(calculus_assumptions(c) & ASSUME_NONZERO, "terms that cancel after they joined are assumed to be numbers");
    calculus_free(c);
  }
}

/* What cancels within one of two values that are compared term by term is assumed to be a number. */
static void cancelled_terms_are_numbers(void) {
  for (int i = 0; i < 4; i++) {
    Calculus *c = calculus_new();
    calculus_set(c, &(CalculusOptions){.written = true, .spread = true});
    Name n = calculus_name(c, NAME_DIM, 0, 0, 2);
    Subst first = {1, {{n, name_const(0)}}}, last = {1, {{n, name_const(1)}}};
    Value x = leaf(c, "x", &n, &(int64_t){2}, 1), y = leaf(c, "y", &n, &(int64_t){2}, 1);
    Value of = i % 2 ? calc_fn(c, c->fn.log, &x, 1) : calc_pow(c, x, RAT_NEG1), sum, rest;
    if (i < 2) { /* (of[0] + of[1]) - of[0] */
      of = calc_mul2(c, of, y);
      sum = calc_sub(c, calc_sum(c, &n, 1, of), calc_rename(c, of, &first));
      rest = calc_rename(c, of, &last);
    } else { /* (of + y) (x + 2) - of (x + 2) */
      Value z = leaf(c, "z", &n, &(int64_t){2}, 1), w = leaf(c, "w", &n, &(int64_t){2}, 1), zw = calc_add2(c, z, w);
      sum = calc_sub(c, calc_mul2(c, calc_add2(c, of, y), zw), calc_add2(c, calc_mul2(c, of, z), calc_mul2(c, of, w)));
      rest = calc_add2(c, calc_mul2(c, y, z), calc_mul2(c, y, w));
    }
    bool same = calc_equal(c, sum, rest, 8);
    expect(same, "terms that cancel");
    uint32_t number = i % 2 ? ASSUME_FINITE : ASSUME_NONZERO;
    expect(calculus_assumptions(c) & number, "a term that cancels is assumed to be a number");
    calculus_free(c);
  }
}

/* A choice by what is the same with its indices exchanged, of what is not, is of one class whatever the indices are. */
static void chosen_by_a_symmetry(void) {
  Calculus *c = calculus_new();
  calculus_set(c, &(CalculusOptions){0});
  Name n[] = {calculus_name(c, NAME_DIM, 0, 0, 3), calculus_name(c, NAME_DIM, 1, 0, 3)}, back[] = {n[1], n[0]};
  Value v[2], w[2];
  for (int i = 0; i < 2; i++) {
    const Name *at = i ? back : n;
    Value a = leaf(c, "x", &at[0], &(int64_t){3}, 1), b = leaf(c, "x", &at[1], &(int64_t){3}, 1);
    Value same = calc_cmp(c, CMP_EQ, calc_sub(c, a, b), VALUE_ZERO), z = leaf(c, "z", at, (int64_t[]){3, 3}, 2);
    v[i] = calc_select(c, same, VALUE_ONE, z);
    w[i] = calc_select(c, calc_cmp(c, CMP_LT, z, VALUE_ZERO), calc_mul2(c, a, b), VALUE_ONE);
  }
  expect(value_class(c, v[0]) == value_class(c, v[1]) && !value_same(v[0], v[1]), "x[n] == x[m], else z[n, m]");
  expect(value_class(c, w[0]) == value_class(c, w[1]) && !value_same(w[0], w[1]), "x[n] x[m] where z[n, m] < 0");
  calculus_free(c);
}

/* y f(max(n: 3) x[n]) is y f(maximum(x[0], x[1], x[2])) for the same f: a power, a function, a comparison. */
static void maxima_in_factors(void) {
  Calculus *c = calculus_new();
  calculus_set(c, &(CalculusOptions){.written = true, .spread = true});
  Name n = calculus_name(c, NAME_DIM, 0, 0, 3);
  Value x = leaf(c, "x", &n, &(int64_t){3}, 1), y = leaf(c, "y", NULL, NULL, 0), all[3], of[2][5];
  for (int64_t k = 0; k < 3; k++) all[k] = calc_rename(c, x, &(Subst){1, {{n, name_const(k)}}});
  for (int s = 0; s < 2; s++) {
    Value m = s ? calc_max(c, all, 3, NULL, 0) : calc_max(c, &x, 1, &n, 1);
    Value f[] = {calc_pow(c, m, RAT_INT(2)), calc_pow(c, m, RAT_INT(3)), calc_fn(c, sym("tanh"), &m, 1),
                 calc_cmp(c, CMP_LT, m, VALUE_ZERO), calc_cmp(c, CMP_EQ, m, VALUE_ZERO)};
    for (int i = 0; i < 5; i++) of[s][i] = calc_mul2(c, y, f[i]);
  }
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) expect(calc_equal(c, of[0][i], of[1][j], 8) == (i == j), "a maximum in a factor");
  calculus_free(c);
}

/* The square of a sum of cases is the sum of their squares only where each has a position of its own, and its inverse that
 * of their inverses only where each position has one. */
static void powers_of_cases(void) {
  Calculus *c = start(false);
  Name n[2] = {calculus_name(c, NAME_DIM, 0, 0, 2), calculus_name(c, NAME_DIM, 1, 0, 2)};
  Value i = calc_idx(c, n[0], 2), j = calc_idx(c, n[1], 2), term[4], power[4];
  const char *const names[4] = {"x", "y", "z", "w"};
  for (int k = 0; k < 12; k++) { /* positions: all, one twice, one missing */
    int cases = k % 3 == 2 ? 3 : 4;
    Rat p = rat_int(k / 3 == 0 ? 2 : k / 3 == 1 ? 3 : -k / 3);
    for (int m = 0; m < cases; m++) {
      int at = k % 3 == 1 && m == 3 ? 2 : m;
      Value here = calc_mul2(c, calc_cmp(c, CMP_EQ, i, value_num(rat_int(at / 2))),
                             calc_cmp(c, CMP_EQ, j, value_num(rat_int(at % 2))));
      Value x = leaf(c, names[m], NULL, NULL, 0);
      term[m] = calc_mul2(c, here, x);
      power[m] = calc_mul2(c, here, calc_pow(c, x, p));
    }
    Value whole = calc_pow(c, calc_add(c, term, (uint32_t)cases), p);
    bool may = k % 3 == 0 || (k % 3 == 2 && rat_sign(p) > 0);
    bool same = value_same(whole, calc_add(c, power, (uint32_t)cases));
    expect(same == may, "powers of cases at positions of their own, or not");
  }
  calculus_free(c);
}

/* Positions of a sum whose terms have cases of their own are the sum again, if they stand where they were. */
static void cases_of_a_sum(void) {
  Calculus *c = start(false);
  Name m = calculus_name(c, NAME_DIM, 0, 0, 2), j = calculus_name(c, NAME_DIM, 1, 0, 2);
  Name k = calculus_name(c, NAME_DIM, 2, 0, 3);
  Value at[2], part[4], whole;
  for (int v = 0; v < 2; v++) at[v] = calc_cmp(c, CMP_EQ, calc_idx(c, j, 2), value_num(rat_int(v)));
  Value scale = calc_add2(c, VALUE_ONE, value_scale(rat_int(99), calc_idx(c, m, 2)));
  Value turned = calc_mul2(c, scale, leaf(c, "x", &k, (int64_t[]){3}, 1));
  for (int i = 0; i < 4; i++) {
    Value f = calc_fn(c, i % 2 ? sym("cosine") : sym("sine"), &turned, 1);
    Value sum = calc_sum(c, &k, 1, calc_mul2(c, f, leaf(c, i / 2 ? "y" : "z", &k, (int64_t[]){3}, 1)));
    part[i] = value_scale(rat_int(i ? 1 : -1), calc_mul2(c, at[i == 1 || i == 2], sum));
  }
  whole = calc_add(c, part, 4);
  for (int wrong = 0; wrong < 3; wrong++) {
    Value term[2];
    for (int v = 0; v < 2; v++) {
      Subst s = {1, {{m, name_const((uint32_t)(wrong == 1 ? 1 - v : wrong == 2 ? 1 : v))}}};
      term[v] = calc_mul2(c, calc_cmp(c, CMP_EQ, calc_idx(c, m, 2), value_num(rat_int(v))), calc_rename(c, whole, &s));
    }
    expect(value_same(calc_add(c, term, 2), whole) == !wrong, "positions of a sum, at their own places or not");
  }
  calculus_free(c);
}

/* Quotients of what is not negative though its constant is: (4 t - 1) / 4 = t - 1 for t >= 1. */
static void quotients_of_digits(void) {
  Calculus *c = start(false);
  Value t = calc_leaf(c, sym("t"), NULL, NULL, NULL, 0,
                      (LeafInfo){.integer = true, .has_range = true, .lo = RAT_1, .hi = RAT_INT(10)});
  Value less = calc_add2(c, value_scale(RAT_INT(4), t), value_num(RAT_NEG1)), four = value_num(RAT_INT(4));
  expect(value_same(calc_fn(c, sym("truncdiv"), (Value[]){less, four}, 2), calc_add2(c, t, value_num(RAT_NEG1))),
         "(4 t - 1) / 4 is t - 1");
  expect(value_same(calc_fn(c, sym("rem"), (Value[]){less, four}, 2), value_num(RAT_INT(3))), "its remainder is 3");
  calculus_free(c);
}

/* Terms of one class are told apart by coefficient and size, and their copies by coefficient. */
static void classes_are_told_apart(void) {
  Calculus *c = start(false);
  Name i = calculus_name(c, NAME_DIM, 0, 0, 3), j = calculus_name(c, NAME_DIM, 1, 0, 3);
  Value x = leaf(c, "x", &i, &(int64_t){3}, 1), y = leaf(c, "y", &i, &(int64_t){3}, 1);
  Value a = calc_add2(c, x, value_scale(RAT_INT(2), y)), b = calc_add2(c, x, value_scale(RAT_INT(3), y));
  expect(!value_same(a, b), "x + 2 y and x + 3 y are two values");
  Value xy[2] = {x, leaf(c, "x", &j, &(int64_t){3}, 1)};
  Value f = calc_fn(c, sym("truncdiv"), xy, 2), g = calc_fn(c, sym("truncdiv"), (Value[]){xy[1], xy[0]}, 2);
  expect(!value_same(f, g), "f(x[i], x[j]) and f(x[j], x[i]) are two values");
  expect(value_same(calc_mul(c, xy, 2), calc_mul(c, (Value[]){xy[1], xy[0]}, 2)), "x[i] x[j] is x[j] x[i]");
  calculus_free(c);
}

/* sum_{q, l} [w q + v l == form] x[q, l], where the sum is taken at the place that the form gives. */
static void place_of(const int64_t *weight, const Form *f, bool negated) {
  static const int64_t sizes[2] = {3, 2};
  Calculus *c = calculus_new();
  calculus_set(c, &(CalculusOptions){.cases = true});
  Name bound[2], n[2];
  for (uint32_t i = 0; i < 2; i++) {
    n[i] = calculus_name(c, NAME_DIM, i, 0, sizes[i]);
    bound[i] = calculus_fresh(c, sizes[i]);
  }
  Value index[2] = {calc_idx(c, bound[0], 3), calc_idx(c, bound[1], 2)};
  Value left = calc_add2(c, value_scale(rat_int(weight[0]), index[0]), value_scale(rat_int(weight[1]), index[1]));
  Value right = value_num(rat_int(f->constant));
  for (uint32_t i = 0; i < 2; i++)
    right = calc_add2(c, right, value_scale(rat_int(f->terms[i].coef), calc_idx(c, n[i], sizes[i])));
  Value at = negated ? calc_cmp(c, CMP_EQ, right, left) : calc_cmp(c, CMP_EQ, left, right);
  Value v = calc_sum(c, bound, 2, calc_mul2(c, at, leaf(c, "x", bound, sizes, 2)));
  Evaluation *e = evaluate_new(c, some_number, NULL, 2000000);
  for (int64_t k = 0; k < 6; k++) {
    NamedIndex where[2] = {{n[0], k / 2}, {n[1], k % 2}};
    double should = 0, is = evaluate_value(e, v, where, 2);
    for (int64_t q = 0; q < 3; q++)
      for (int64_t l = 0; l < 2; l++)
        if (weight[0] * q + weight[1] * l == f->constant + f->terms[0].coef * (k / 2) + f->terms[1].coef * (k % 2))
          should += some_number(NULL, sym("x"), (int64_t[]){q, l}, 2);
    if (!(is - should < 1e-9 && should - is < 1e-9)) wrong("a sum at one place is not the term there");
  }
  evaluate_free(e);
  calculus_free(c);
}

/* [w q - r + off == 0] at every q and r, either way round. */
static void equations_of_digits(void) {
  for (int64_t k = 0; k < 2 * 2 * 3 * 4 * 7; k++) {
    int64_t sign = k % 2 ? 1 : -1, w = 2 + k / 4 % 3, size = 2 + k / 12 % 4, off = k / 48 - 3;
    Calculus *c = start(k / 2 % 2);
    Name q = calculus_name(c, NAME_DIM, 0, 0, 3), r = calculus_name(c, NAME_DIM, 1, 0, size);
    Value e = calc_sub(c, value_scale(rat_int(w), calc_idx(c, q, 3)), calc_idx(c, r, size));
    Value is = calc_cmp(c, CMP_EQ, value_scale(rat_int(sign), calc_add2(c, e, value_num(rat_int(off)))), VALUE_ZERO);
    Evaluation *at = evaluate_new(c, some_number, NULL, 2000000);
    for (int64_t n = 0; n < 3 * size; n++) {
      NamedIndex where[2] = {{q, n / size}, {r, n % size}};
      if (evaluate_value(at, is, where, 2) != (w * (n / size) - n % size + off == 0)) wrong("an equation of digits");
    }
    evaluate_free(at);
    calculus_free(c);
  }
}

/* sum_q [q == form] x[q], where the form may leave the range of q. */
static void sums_at_places_outside(void) {
  for (int64_t k = 0; k < 3 * 7 * 4; k++) {
    int64_t w = 1 + k % 3, off = k / 3 % 7 - 3, free = 2 + k / 21;
    Calculus *c = calculus_new();
    calculus_set(c, &(CalculusOptions){.flat = true, .outside = true});
    Name q = calculus_fresh(c, 3), r = calculus_name(c, NAME_DIM, 0, 0, free);
    Value form = calc_add2(c, value_scale(rat_int(w), calc_idx(c, r, free)), value_num(rat_int(off)));
    Value here = calc_cmp(c, CMP_EQ, calc_idx(c, q, 3), form);
    Value v = calc_sum(c, &q, 1, calc_mul2(c, here, leaf(c, "x", &q, &(int64_t){3}, 1)));
    Evaluation *e = evaluate_new(c, some_number, NULL, 2000000);
    for (int64_t n = 0; n < free; n++) {
      int64_t at = w * n + off;
      double should = at < 0 || at > 2 ? 0 : some_number(NULL, sym("x"), &at, 1);
      double is = evaluate_value(e, v, &(NamedIndex){r, n}, 1);
      if (!(is - should < 1e-9 && should - is < 1e-9)) wrong("a sum at a place that may be outside");
    }
    evaluate_free(e);
    calculus_free(c);
  }
}

/* max_w x[sign w + j + off] where that is in from .. to, and else infinity that is not chosen: of all places. */
static void maxima_of_windows(void) {
  uint32_t moved = 0;
  for (int64_t k = 0; k < 2 * 2 * 4 * 7 * 9; k++) {
    int64_t sign = k % 2 ? 1 : -1, least = k / 2 % 2 ? 1 : -1, n = 2 + k / 4 % 4;
    int64_t off = k / 16 % 7 - 3 + (sign < 0 ? n : 0), from = k / 112 % 3 - 1, to = k / 336 + 3;
    Calculus *c = start(true);
    Name w = calculus_fresh(c, n), j = calculus_name(c, NAME_DIM, 0, 0, 3);
    Name at = calculus_form(c, (Form){off, 2, (FormTerm[]){{sign, w}, {1, j}}});
    Value x = leaf(c, "x", &at, &(int64_t){4}, 1);
    Value there = calc_add2(c, calc_add2(c, value_scale(rat_int(sign), calc_idx(c, w, n)), calc_idx(c, j, 3)),
                            value_num(rat_int(off)));
    Value some = calc_select(c, calc_inside(c, there, from, to), value_scale(rat_int(least), x), value_neginf(c));
    Value v = calc_max(c, &some, 1, &w, 1);
    Evaluation *e = evaluate_new(c, some_number, NULL, 2000000);
    for (int64_t m = 0; m < 3; m++) {
      double should = -INFINITY, is = evaluate_value(e, v, &(NamedIndex){j, m}, 1);
      for (int64_t i = 0; i < n; i++) {
        int64_t place = sign * i + m + off;
        if (place >= from && place < to) should = fmax(should, (double)least * some_number(NULL, sym("x"), &place, 1));
      }
      if (!(is == should || (is - should < 1e-9 && should - is < 1e-9))) wrong("the maximum of a window");
    }
    const Class *most = cls_of(c, v.ref);
    moved += most->kind == K_MAX && most->n_bound == 1 && most->sizes[most->n_slots] == 4 && n != 4;
    evaluate_free(e);
    calculus_free(c);
  }
  expect(moved > 100, "windows that leave the range are told by its places");
  for (int i = 0; i < 2; i++) {
    Calculus *c = start(true);
    Name w = calculus_fresh(c, 4);
    Value x = leaf(c, "x", &w, &(int64_t){4}, 1), first = calc_cmp(c, CMP_LT, calc_idx(c, w, 4), value_num(RAT_INT(2)));
    Value v = calc_select(c, i ? calc_not(c, first) : first, value_neg(value_neginf(c)), x);
    Evaluation *e = evaluate_new(c, some_number, NULL, 1000);
    expect(evaluate_value(e, calc_max(c, &v, 1, &w, 1), NULL, 0) == INFINITY, "infinity is the largest");
    evaluate_free(e);
    calculus_free(c);
  }
}

/* The first of the least or largest x[k] with k < limit, by two parts of three that are told by which is the best of all. */
static void first_of_what_is_left(void) {
  for (int64_t t = 0; t < 2 * 6 * 2; t++) {
    int64_t limit = 1 + t / 2 % 6, last = t / 12 ? 5 : INT64_MAX;
    bool least = t % 2;
    Calculus *c = start(true);
    Name p = calculus_fresh(c, 2), i = calculus_fresh(c, 3), k = calculus_fresh(c, limit);
    Value infinity = value_neg(value_neginf(c)), none = last == 5 ? value_num(RAT_INT(5)) : infinity;
    Value place = calc_add2(c, value_scale(RAT_INT(3), calc_idx(c, p, 2)), calc_idx(c, i, 3));
    Name at = calculus_form(c, (Form){0, 2, (FormTerm[]){{3, p}, {1, i}}}),
         only_at = calculus_form(c, (Form){0, 1, &(FormTerm){1, k}});
    Value x = leaf(c, "x", &at, &(int64_t){6}, 1), some = leaf(c, "x", &only_at, &(int64_t){6}, 1);
    if (least) x = value_neg(x), some = value_neg(some);
    Value key = calc_select(c, calc_cmp(c, CMP_LT, place, value_num(rat_int(limit))), x, value_neginf(c));
    Value best = calc_max(c, &key, 1, &i, 1), all = calc_max(c, &best, 1, &p, 1);
    Value here = value_neg(calc_select(c, calc_cmp(c, CMP_EQ, key, best), place, none));
    Value first = calc_max(c, &here, 1, &i, 1);
    Value part = value_neg(calc_select(c, calc_cmp(c, CMP_EQ, best, all), value_neg(first), infinity));
    Value v = calc_max(c, &part, 1, &p, 1);
    Value only = calc_cmp(c, CMP_EQ, some, calc_max(c, &some, 1, &k, 1)), w = calc_idx(c, k, limit);
    w = value_neg(calc_select(c, only, w, value_num(rat_int(limit - 1))));
    w = calc_max(c, &w, 1, &k, 1);
    if (limit == 4 || limit == 5) expect(value_same(v, w), "the first of the largest, whatever is masked");
    Evaluation *e = evaluate_new(c, some_number, NULL, 2000000);
    int64_t should = 0;
    for (int64_t n = 1; n < limit; n++) {
      double was = some_number(NULL, sym("x"), &should, 1), is = some_number(NULL, sym("x"), &n, 1);
      if (least ? is < was : is > was) should = n;
    }
    double is = evaluate_value(e, v, NULL, 0);
    if (!isnan(is) && is != -(double)should) wrong("the first of what is left");
    if (evaluate_value(e, w, NULL, 0) != -(double)should) wrong("the first of the largest");
    evaluate_free(e);
    calculus_free(c);
  }
}

/* What is minus infinity equals no number; where nothing is left, the largest is none. */
static void equal_to_what_is_left(void) {
  Calculus *c = start(true);
  Name i = calculus_fresh(c, 3), j = calculus_name(c, NAME_DIM, 0, 0, 3);
  Value x = leaf(c, "x", &i, &(int64_t){3}, 1), y = leaf(c, "y", NULL, NULL, 0), none = value_neginf(c);
  Value q = calc_cmp(c, CMP_LT, leaf(c, "d", NULL, NULL, 0), VALUE_ZERO), equal = calc_cmp(c, CMP_EQ, x, y);
  for (int minus = 0; minus < 2; minus++) {
    Value low = minus ? value_neg(none) : none;
    Value yes = calc_cmp(c, CMP_EQ, calc_select(c, q, x, low), y), no = calc_cmp(c, CMP_EQ, calc_select(c, q, low, x), y);
    expect(value_same(yes, calc_mul2(c, q, equal)), "x where it is left");
    expect(value_same(no, calc_mul2(c, calc_not(c, q), equal)), "x where it is not masked");
  }
  for (int more = 0; more < 2; more++) { /* i < j, or i <= j: something is left for every j */
    Value key = calc_select(c, calc_cmp(c, more ? CMP_LE : CMP_LT, calc_idx(c, i, 3), calc_idx(c, j, 3)), x, none);
    Value most = calc_max(c, &key, 1, &i, 1), below = calc_cmp(c, CMP_LT, key, most);
    expect(value_same(calc_cmp(c, CMP_EQ, none, most), VALUE_ZERO) == more, "the largest of some is a number");
    expect(value_same(below, calc_not(c, calc_cmp(c, CMP_EQ, key, most))) == more, "which one of them is");
  }
  calculus_free(c);
}

static void sums_at_one_place(void) {
  static const int64_t weights[][2] = {{2, 1}, {1, 3}, {2, -1}, {-2, -1}, {1, 1}, {4, 2}, {2, 2}, {0, 1}};
  for (size_t w = 0; w < sizeof weights / sizeof *weights; w++)
    for (int64_t k = 0; k < 9 * 7 * 7; k++) {
      FormTerm terms[2] = {{.coef = k / 7 % 7 - 3}, {.coef = k % 7 - 3}};
      place_of(weights[w], &(Form){k / 49 - 3, 2, terms}, k % 2);
    }
}

/* ---- tables ---- */

enum { DIMS = 4, ENTRIES = 400 };

typedef struct Filled {
  uint32_t n;
  int64_t size[DIMS], total;
  Name names[DIMS];
  Rat values[ENTRIES];
} Filled;

static uint64_t drawn(uint64_t *seed, uint64_t n) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (*seed >> 33) % n;
}

/* Two or three values by comparisons of affine forms, and now and then an entry that is another one. */
static void fill_table(Calculus *c, Filled *t, uint64_t *seed) {
  static const Rat some[] = {RAT_INT(0), RAT_INT(1), RAT_INT(-1), RAT_INT(3), RAT_NEG_INF};
  *t = (Filled){.n = 1 + (uint32_t)drawn(seed, DIMS), .total = 1};
  for (uint32_t i = 0; i < t->n; i++) {
    t->size[i] = 1 + (int64_t)drawn(seed, 4);
    t->total *= t->size[i];
    t->names[i] = calculus_name(c, NAME_DIM, i, 0, t->size[i]);
  }
  int64_t w[3][DIMS + 1], digits = 1;
  for (int k = 0; k < 3; k++, digits = 1)
    for (uint32_t i = t->n + 1; i-- > 0;) {
      w[k][i] = (int64_t)drawn(seed, 5) - 2;
      if (k == 0 && i && i < t->n && drawn(seed, 2)) w[k][i] = digits, digits *= t->size[i];
    }
  Rat v[3] = {some[drawn(seed, 5)], some[drawn(seed, 5)], some[drawn(seed, 5)]};
  bool equal = drawn(seed, 3) == 0, whole = drawn(seed, 4) == 0;
  for (int64_t at = 0; at < t->total; at++) {
    int64_t rest = at, f[3] = {w[0][t->n], w[1][t->n], w[2][t->n]};
    for (uint32_t i = t->n; i-- > 0; rest /= t->size[i])
      for (int k = 0; k < 3; k++) f[k] += w[k][i] * (rest % t->size[i]);
    bool inside = equal ? f[0] == 0 : f[0] >= 0 && (whole || f[1] < 0);
    t->values[at] = inside ? v[0] : f[2] == 1 ? v[1] : v[2];
  }
  if (drawn(seed, 8) == 0) t->values[drawn(seed, (uint64_t)t->total)] = RAT_INT(5);
}

/* What is made of a table is at every place what the table has there. */
static void tables_say_what_they_hold(void) {
  uint64_t seed = 1;
  for (int k = 0; k < 20000; k++) {
    Calculus *c = start(false);
    Filled t;
    fill_table(c, &t, &seed);
    Value v = calc_table(c, t.values, (uint64_t)t.total, t.names, t.size, t.n, false);
    Evaluation *e = evaluate_new(c, some_number, NULL, 2000000);
    for (int64_t at = 0; at < t.total; at++) {
      NamedIndex where[DIMS];
      int64_t rest = at;
      for (uint32_t i = t.n; i-- > 0; rest /= t.size[i]) where[i] = (NamedIndex){t.names[i], rest % t.size[i]};
      double want = t.values[at] == RAT_NEG_INF ? -INFINITY : rat_to_double(t.values[at]);
      if (evaluate_value(e, v, where, t.n) == want) continue;
      wrong("a table says something else than it holds");
      break;
    }
    evaluate_free(e);
    calculus_free(c);
  }
}

/* [i >= j] over the digits 3 i1 + i0 and 3 j1 + j0, a band, one of a permutation, a choice with infinity. */
static void tables_of_masks(void) {
  Calculus *c = start(false);
  int64_t sizes[4] = {2, 3, 2, 3};
  Name names[4];
  Value at[2], want[4];
  Rat values[4][36];
  for (uint32_t i = 0; i < 4; i++) names[i] = calculus_name(c, NAME_DIM, i, 0, sizes[i]);
  for (int i = 0; i < 2; i++)
    at[i] = calc_add2(c, value_scale(RAT_INT(3), calc_idx(c, names[2 * i], 2)), calc_idx(c, names[2 * i + 1], 3));
  for (int64_t k = 0; k < 36; k++) {
    int64_t i = k / 6, j = k % 6;
    values[0][k] = rat_int(i >= j);
    values[1][k] = rat_int(i >= j && i - j < 3);
    values[2][k] = rat_int(i == j + 3 ? -1 : j == i + 3);
    values[3][k] = i >= j ? RAT_0 : RAT_NEG_INF;
  }
  Value behind = calc_sub(c, at[0], at[1]), three = value_num(RAT_INT(3));
  want[0] = calc_cmp(c, CMP_GE, at[0], at[1]);
  want[1] = calc_mul2(c, want[0], calc_cmp(c, CMP_LT, behind, three));
  Value low = calc_cmp(c, CMP_EQ, calc_idx(c, names[1], 3), calc_idx(c, names[3], 3)), is[2][2];
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) is[i][k] = calc_cmp(c, CMP_EQ, calc_idx(c, names[2 * i], 2), value_num(rat_int(k)));
  Value lower[] = {low, is[0][0], is[1][1]}, upper[] = {low, is[0][1], is[1][0]};
  want[2] = calc_sub(c, calc_mul(c, lower, 3), calc_mul(c, upper, 3));
  want[3] = calc_select(c, want[0], VALUE_ZERO, value_neginf(c));
  for (int k = 0; k < 4; k++)
    expect(value_same(calc_table(c, values[k], 36, names, sizes, 4, false), want[k]), "a table of few values is a mask");
  calculus_free(c);
}

/* x[t], t being a number that is looked up: `place` at hand. */
static int64_t place;
static double number_at_place(void *context, Sym name, const int64_t *at, uint32_t n) {
  return name == sym("t") ? (double)place : some_number(context, name, at, n);
}

/* Functions, powers, comparisons and maxima of what is looked up, at every place: t is in a range of `most` numbers, which
 * may be more than there are places, and every `by`-th is one. */
static double function_of(int64_t what, double r) {
  switch (what) {
    case 0: return exp(r);
    case 1: return tanh(r + 3);
    case 2: return 1 / ((r + 3) * (r + 3));
    case 3: return r < 1;
    case 4: return r > 1 ? r : 1;
    default: return tanh(sqrt(r));
  }
}

static Value function_in(Calculus *c, int64_t what, Value read) {
  Value more = calc_add2(c, read, value_num(RAT_INT(3))), root;
  switch (what) {
    case 0: return calc_fn(c, c->fn.exp, &read, 1);
    case 1: return calc_fn(c, sym("tanh"), &more, 1);
    case 2: return calc_mul2(c, calc_pow(c, more, RAT_NEG1), calc_pow(c, more, RAT_NEG1));
    case 3: return calc_cmp(c, CMP_LT, read, VALUE_ONE);
    case 4: return calc_max(c, (Value[]){read, VALUE_ONE}, 2, NULL, 0);
    default: root = calc_pow(c, read, rat_frac(1, 2)); return calc_fn(c, sym("tanh"), &root, 1);
  }
}

/* [t < at] and [t > at] where t is a whole number between 2 and 5, or any number there: at the ends one number is left. */
static void ends_of_a_value(void) {
  for (int64_t k = 0; k < 2 * 8; k++) {
    int64_t at = k / 2;
    Calculus *c = start(false);
    LeafInfo info = {.integer = k % 2, .has_range = true, .lo = RAT_INT(2), .hi = RAT_INT(5)};
    Value t = calc_leaf(c, sym("t"), NULL, NULL, NULL, 0, info), is = calc_cmp(c, CMP_EQ, t, value_num(rat_int(at)));
    Value below = calc_cmp(c, CMP_LT, t, value_num(rat_int(at))), above = calc_cmp(c, CMP_GT, t, value_num(rat_int(at)));
    Evaluation *e = evaluate_new(c, number_at_place, NULL, 2000000);
    for (place = 2; place <= 5; place++) {
      evaluate_reset(e, 2000000);
      if (evaluate_value(e, below, NULL, 0) != (place < at) || evaluate_value(e, above, NULL, 0) != (place > at))
        wrong("a number at an end");
    }
    bool last = k % 2 && at == 5, first = k % 2 && at == 2;
    if (last) expect(value_same(below, calc_not(c, is)), "below the last is not the last");
    if (first) expect(value_same(above, calc_not(c, is)), "above the first is not the first");
    if (at > 2 && at < 5) expect(!value_same(below, calc_not(c, is)), "between the ends are others");
    evaluate_free(e);
    calculus_free(c);
  }
}

static void functions_of_rows(void) {
  for (int64_t k = 0; k < 2 * 2 * 6; k++) {
    int64_t most = 4 + k % 2 * 2, by = 1 + k / 2 % 2, what = k / 4;
    Calculus *c = calculus_new();
    calculus_set(c, &(CalculusOptions){.expand = 8, .rows = true});
    Name v = calculus_fresh(c, 4);
    LeafInfo whole = {.integer = true, .has_range = true, .lo = RAT_0, .hi = rat_int(most - 1)};
    Value t = calc_leaf(c, sym("t"), NULL, NULL, NULL, 0, whole), x = leaf(c, "x", &v, &(int64_t){4}, 1);
    Value here = calc_cmp(c, CMP_EQ, t, value_scale(rat_int(by), calc_idx(c, v, 4)));
    Value got = function_in(c, what, calc_sum(c, &v, 1, calc_mul2(c, here, x)));
    Evaluation *e = evaluate_new(c, number_at_place, NULL, 2000000);
    for (place = 0; place < most; place++) {
      int64_t at = place / by;
      evaluate_reset(e, 2000000);
      double r = place % by || at > 3 ? 0 : some_number(NULL, sym("x"), &at, 1);
      if (fabs(evaluate_value(e, got, NULL, 0) - function_of(what, r)) > 1e-9) wrong("a function of what is looked up");
    }
    if (most == 4 && by == 1) expect(cls_of(c, got.ref)->kind == K_RED, "it is looked up itself");
    evaluate_free(e);
    calculus_free(c);
  }
}

int main(void) {
  equations(false_equations, false);
  equations(true_equations, true);
  values_are_assumed();
  something_is_left();
  a_number_among_masked();
  some_of_a_maximum();
  one_form_of_windows();
  forms_are_told_apart();
  slices_of_tables();
  tables_say_what_they_hold();
  tables_of_masks();
  no_index_escapes();
  classes_are_told_apart();
  digits_join();
  chosen_by_a_symmetry();
  maxima_in_factors();
  powers_of_cases();
  cases_of_a_sum();
  denominators_of_nothing();
  guards_of_roots();
  guards_of_distances();
  squares_over_a_sum();
  position_before_a_range();
  guards_at_an_end();
  joined_terms_are_numbers();
  cancelled_terms_are_numbers();
  positions_of_maxima();
  other_positions_of_maxima();
  quotients_of_digits();
  naming_is_canonical();
  gaps_end_where_they_do();
  gaps_at_an_end();
  rings(false);
  rings(true);
  known_place_of_two_digits();
  places_of_a_row();
  places_that_are_counted();
  counts_of_places();
  values_by_rank();
  rows_of_functions();
  fractions();
  indices_told_by_others();
  equations_of_digits();
  maxima_of_windows();
  first_of_what_is_left();
  equal_to_what_is_left();
  sums_at_one_place();
  sums_at_places_outside();
  functions_of_rows();
  ends_of_a_value();
  printf("%d failures\n", failures);
  return failures > 0;
}
