/* Grammar of .tvr.  Every action builds one node of the tree (lang/ast.h); nothing is looked up, nothing is computed.
 * After an error the parser continues at the next item, so one run shows several.  The stack grows on the heap up to
 * YYMAXDEPTH: deeper nesting is a diagnostic. */
%require "3.8"
%define api.pure full
%define api.prefix {lang_yy}
%define api.token.prefix {TOK_}
%define api.location.type {Span}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%parse-param {Syntax *s} {void *scanner}
%lex-param {void *scanner}


%code requires {
#include "lang/syntax.h"
}

%code {
#include "lang/syntax_error.h"

#define A (&s->ast)
#define YYMAXDEPTH 20000
#define YYLLOC_DEFAULT(all, rhs, n)                                                    \
  do {                                                                                 \
    (all).source = YYRHSLOC(rhs, (n) ? 1 : 0).source;                                  \
    (all).lo = (n) ? YYRHSLOC(rhs, 1).lo : YYRHSLOC(rhs, 0).hi;                        \
    (all).hi = YYRHSLOC(rhs, n).hi;                                                    \
  } while (0)

int lang_yylex(LANG_YYSTYPE *value, Span *at, void *scanner);
static void lang_yyerror(const Span *at, Syntax *s, void *scanner, const char *text);
}

%union {
  Sym sym;
  Rat rat;
  AstKind kind;
  AstExpr *expr;
  AstList *list;
  AstIndex *index;
  AstPattern *pattern;
  AstParam *param;
  AstAttr *attr;
  AstResult *result;
  AstAxis *axis;
  AstSignature signature;
  AstItem *item;
  AstHeading heading;
}

%token <sym> WORD "a name" PATH "a name of a module" STRING "a string"
%token <rat> NUMBER "a number"
%token OP "op" FN "fn" LEMMA "lemma" MESH "mesh" GRAPH "graph" GIVEN "given" EXPECT "expect" RELATION "relation"
%token ASSUME "assume" CHECK "check" SIZE "size"
%token SORT "sort" DATATYPE "datatype" CONSTRUCTOR "constructor" FUNCTION "function" RULESET "ruleset" RULE "rule"
%token REWRITE "rewrite" DO "do" RUN "run" FAIL "fail" EXTRACT "extract" PRINT "print"
%token INPUT "input" OUTPUT "output" INCLUDE "include" PUSH "push" TEMPLATE "template" MERGE "merge" PROVE "prove"
%token PRIVATE "private" COSTS "costs"
%token OVER "over" WHEN "when" IF "if" THEN "then" ELSE "else" LET "let" IN "in" IS "is" AND "and" OR "or" NOT "not"
%token SUM "sum" MAX "max" MIN "min" ALL "all" INF "inf" OPAQUE "opaque" BATCH "batch" DEVICES "devices"
%token ARROW "->" ELLIPSIS "..." DOTS ".." EQ "==" IMPLIES "=>" BOTH "<=>" NE "!=" LE "<=" GE ">="
%token END 0 "the end of the file"

%precedence THEN_ELSE
%left OR
%left AND
%precedence NOT ALL
%nonassoc EQ NE LE GE '<' '>' IS
%left '+' '-'
%precedence SUM
%left '*' '/' '%'
%precedence NEGATE
%right '^'

%type <sym> word ref
%type <kind> reduction
%type <expr> op_name name path tensor callee over when expr size reader logic
%type <list> items params param_list attrs attr_list bracket patterns digits digit_list results result_list indices
%type <list> args arg_list binders axes devices paths graph_axes graph_names layout batch
%type <index> digit group index binder
%type <pattern> pattern place
%type <param> param
%type <attr> attr
%type <result> result
%type <axis> axis
%type <signature> signature lemma_signature
%type <item> item op single several clause member variant rewriting
%type <expr> argument column fact action schedule until_fact node label operator
%type <list> nodes node_list labels
%type <list> call_args argument_list columns column_list sorts variants members options option_list models facts fact_list
%type <list> conditions actions action_list schedules schedule_list until terms parameters
%type <heading> heading titled
%%

file: items { s->file = ast_file(A, s->source, $items); };

items:
  %empty { $$ = NULL; }
| items begin item { $$ = ast_append(A, $1, $3); }
| items error { $$ = $1; };

begin: %empty { yyerrok; };

item:
  op
| clause
| FN op_name '(' params ')' '=' expr { $$ = ast_fn(A, @$, $2, $4, $7); }
| LEMMA op_name lemma_signature when ':' expr { $$ = ast_lemma(A, @$, $2, $3, $4, $6); }
| MESH '{' axes '}' devices { $$ = ast_mesh(A, @$, $3, $5); }
| GRAPH name '=' reader '(' paths ')' graph_axes { $$ = ast_graph(A, @$, $2, $4, $6, $8); }
| GRAPH name graph_axes '{' nodes '}' { $$ = ast_written(A, @$, $2, $3, $5); }
| GIVEN expr { $$ = ast_given(A, @$, ITEM_GIVEN, $2); }
| EXPECT expr { $$ = ast_given(A, @$, ITEM_EXPECT, $2); }
| GIVEN tensor '~' tensor layout { $$ = ast_layout(A, @$, ITEM_GIVEN, $2, $4, $5); }
| EXPECT tensor '~' tensor layout { $$ = ast_layout(A, @$, ITEM_EXPECT, $2, $4, $5); }
| RELATION STRING { $$ = ast_relation(A, @$, ast_string(A, @2, $2)); }
| ASSUME tensor IN expr DOTS expr { $$ = ast_assume(A, @$, $2, $4, $6); }
| ASSUME arg_list { $$ = ast_conditions(A, @$, $2); }
| SIZE parameters { $$ = ast_sizes(A, @$, $2); }
| CHECK name name name { $$ = ast_check(A, @$, $2, $3, $4); };

/* ---- Operators ---- */

op:
  single '=' expr { $$ = ast_body(A, @$, $1, $3); }
| single OPAQUE batch { $$ = ast_opaque(A, @$, $1, $3); }
| several
| several OPAQUE batch { $$ = ast_opaque(A, @$, $1, $3); };

single:
  OP operator signature over ARROW bracket when {
    $$ = ast_op(A, @$, $2, $3, $4, ast_append(A, NULL, ast_result(A, @6, 0, $6, NULL)), $7); };

several: OP operator signature over ARROW results when { $$ = ast_op(A, @$, $2, $3, $4, $6, $7); };

op_name:
  name
| AND { $$ = ast_name(A, @$, 0, syntax_sym(s, @$)); }
| OR  { $$ = ast_name(A, @$, 0, syntax_sym(s, @$)); }
| NOT { $$ = ast_name(A, @$, 0, syntax_sym(s, @$)); };

signature:
  '(' params ')' { $$ = (AstSignature){$2, NULL}; }
| '(' params ';' attrs ')' { $$ = (AstSignature){$2, $4}; };

lemma_signature:
  %empty { $$ = (AstSignature){NULL, NULL}; }
| signature;

params: %empty { $$ = NULL; } | param_list;
param_list:
  param { $$ = ast_append(A, NULL, $1); }
| param_list ',' param { $$ = ast_append(A, $1, $3); };

param:
  name { $$ = ast_param(A, @$, $1, FORM_INDEX, true, NULL); }
| name bracket { $$ = ast_param(A, @$, $1, FORM_INDEX, false, $2); }
| name ELLIPSIS bracket { $$ = ast_param(A, @$, $1, FORM_OPERANDS, false, $3); };

attrs: %empty { $$ = NULL; } | attr_list;
attr_list:
  attr { $$ = ast_append(A, NULL, $1); }
| attr_list ',' attr { $$ = ast_append(A, $1, $3); };

attr:
  word ':' name { $$ = ast_attr(A, @$, $1, $3, NULL); }
| word ':' name '=' expr { $$ = ast_attr(A, @$, $1, $3, $5); };

over: %empty { $$ = NULL; } | OVER name { $$ = $2; };
when: %empty { $$ = NULL; } | WHEN expr { $$ = $2; };

bracket: '[' patterns ']' { $$ = $2; } | '[' ']' { $$ = NULL; };
patterns:
  place { $$ = ast_append(A, NULL, $1); }
| patterns ',' place { $$ = ast_append(A, $1, $3); };

place: pattern | pattern '@' name { $$ = ast_placed(A, @$, $1, $3); };

pattern:
  digit { $$ = ast_pattern(A, @$, ast_append(A, NULL, $1)); }
| group { $$ = ast_pattern(A, @$, ast_append(A, NULL, $1)); }
| NUMBER { $$ = ast_unit(A, @$, $1); }
| '(' digits ')' { $$ = ast_pattern(A, @$, $2); };

digits: digit_list ',' digit { $$ = ast_append(A, $1, $3); };
digit_list:
  digit { $$ = ast_append(A, NULL, $1); }
| digit_list ',' digit { $$ = ast_append(A, $1, $3); };

digit:
  word { $$ = ast_index(A, @$, FORM_INDEX, $1, NULL); }
| word ':' size { $$ = ast_index(A, @$, FORM_INDEX, $1, $3); };

group:
  '*' word { $$ = ast_index(A, @$, FORM_GROUP, $2, NULL); }
| '*' word ':' size { $$ = ast_index(A, @$, FORM_GROUP, $2, $4); };

size:
  name
| NUMBER { $$ = ast_number(A, @$, $1); }
| '(' expr ')' { $$ = $2; };

results: '{' result_list '}' { $$ = $2; } | '{' result_list ';' '}' { $$ = $2; };
result_list:
  result { $$ = ast_append(A, NULL, $1); }
| result_list ';' result { $$ = ast_append(A, $1, $3); };

result:
  word bracket { $$ = ast_result(A, @$, $1, $2, NULL); }
| word bracket '=' expr { $$ = ast_result(A, @$, $1, $2, $4); };

batch: %empty { $$ = NULL; } | BATCH indices { $$ = $2; };
indices:
  index { $$ = ast_append(A, NULL, $1); }
| indices ',' index { $$ = ast_append(A, $1, $3); };

index:
  word { $$ = ast_index(A, @$, FORM_INDEX, $1, NULL); }
| '*' word { $$ = ast_index(A, @$, FORM_GROUP, $2, NULL); };

/* ---- Models ---- */

axes:
  axis { $$ = ast_append(A, NULL, $1); }
| axes ',' axis { $$ = ast_append(A, $1, $3); };
axis: word '=' expr { $$ = ast_axis(A, @$, $1, $3); };

devices: %empty { $$ = NULL; } | DEVICES '[' arg_list ']' { $$ = $3; };

reader: name;
paths:
  STRING { $$ = ast_append(A, NULL, ast_string(A, @1, $1)); }
| paths ',' STRING { $$ = ast_append(A, $1, ast_string(A, @3, $3)); };

graph_axes: %empty { $$ = NULL; } | OVER '(' graph_names ')' { $$ = $3; };
graph_names:
  name { $$ = ast_append(A, NULL, $1); }
| graph_names ',' name { $$ = ast_append(A, $1, $3); };

nodes: node_list | node_list ';';
node_list:
  node { $$ = ast_append(A, NULL, $1); }
| node_list ';' node { $$ = ast_append(A, $1, $3); };

node:
  label ':' name '[' args ']' '=' operator '(' call_args ')' { $$ = ast_node(A, @$, $1, $3, $5, $8, $10); }
| WORD labels { $$ = ast_do(A, @$, @1, $1, ast_list(A, @2, $2)); };

label: name | STRING { $$ = ast_string(A, @$, $1); };
labels:
  label { $$ = ast_append(A, NULL, $1); }
| labels ',' label { $$ = ast_append(A, $1, $3); };
operator: op_name | STRING { $$ = ast_string(A, @$, $1); };

layout:
  %empty { $$ = NULL; }
| layout name '(' args ')' { $$ = ast_append(A, $1, ast_call(A, (Span){@2.source, @2.lo, @5.hi}, $2, $4)); };

/* ---- The Datalog layer ---- */

clause:
  SORT name { $$ = ast_clause(A, @$, ITEM_SORT, $2, NULL, NULL); }
| SORT name '=' callee '(' sorts ')' {
    AstExpr *of = ast_call(A, (Span){@4.source, @4.lo, @7.hi}, $4, $6);
    $$ = ast_clause(A, @$, ITEM_SORT, $2, ast_append(A, NULL, of), NULL); }
| SORT name '=' '(' sorts ')' ARROW path { $$ = ast_clause(A, @$, ITEM_SORT, $2, $5, ast_append(A, NULL, $8)); }
| SORT name '=' '(' ')' ARROW path { $$ = ast_clause(A, @$, ITEM_SORT, $2, NULL, ast_append(A, NULL, $7)); }
| DATATYPE members { $$ = ast_group_of(A, @$, $2); }
| CONSTRUCTOR name '(' columns ')' ARROW path options {
    $$ = ast_optioned(A, ast_clause(A, @$, ITEM_CONSTRUCTOR, $2, $4, ast_append(A, NULL, $7)), $8); }
| FUNCTION name '(' columns ')' ARROW path options {
    $$ = ast_optioned(A, ast_clause(A, @$, ITEM_FUNCTION, $2, $4, ast_append(A, NULL, $7)), $8); }
| FUNCTION name '(' columns ')' ARROW path MERGE expr {
    $$ = ast_clause(A, @$, ITEM_FUNCTION, $2, $4, ast_append(A, ast_append(A, NULL, $7), $9)); }
| RELATION name '(' columns ')' { $$ = ast_clause(A, @$, ITEM_TABLE, $2, $4, NULL); }
| COSTS name options { $$ = ast_optioned(A, ast_clause(A, @$, ITEM_COSTS, $2, NULL, NULL), $3); }
| RULESET name { $$ = ast_clause(A, @$, ITEM_RULESET, $2, NULL, NULL); }
| RULESET name '=' sorts { $$ = ast_clause(A, @$, ITEM_RULESET, $2, $4, NULL); }
| RULE heading '{' facts IMPLIES actions '}' {
    $$ = ast_headed(A, ast_clause(A, @$, ITEM_RULE, NULL, $4, $6), $2, false); }
| REWRITE rewriting { $$ = ast_headed(A, $2, (AstHeading){NULL, NULL, NULL}, $2->clause.both); $$->span = @$; }
| REWRITE titled rewriting { $$ = ast_headed(A, $3, $2, $3->clause.both); $$->span = @$; }
| DO '{' actions '}' { $$ = ast_clause(A, @$, ITEM_DO, NULL, NULL, $3); }
| DO action { $$ = ast_clause(A, @$, ITEM_DO, NULL, NULL, ast_append(A, NULL, $2)); }
| LET name '=' expr { $$ = ast_clause(A, @$, ITEM_LET, $2, NULL, ast_append(A, NULL, $4)); }
| RUN schedule { $$ = ast_clause(A, @$, ITEM_RUN, NULL, NULL, ast_append(A, NULL, $2)); }
| CHECK fact { $$ = ast_clause(A, @$, ITEM_HOLDS, NULL, ast_append(A, NULL, $2), NULL); }
| CHECK '{' facts '}' { $$ = ast_clause(A, @$, ITEM_HOLDS, NULL, $3, NULL); }
| PROVE fact { $$ = ast_clause(A, @$, ITEM_PROVE, NULL, ast_append(A, NULL, $2), NULL); }
| PROVE '{' facts '}' { $$ = ast_clause(A, @$, ITEM_PROVE, NULL, $3, NULL); }
| FAIL item { $$ = ast_block(A, @$, ITEM_FAIL, NULL, ast_append(A, NULL, $2)); }
| EXTRACT terms WORD models {
    AstList *by = ast_append(A, NULL, ast_name(A, @3, 0, $3));
    $$ = ast_optioned(A, ast_clause(A, @$, ITEM_EXTRACT, NULL, $4, $2), by); }
| EXTRACT terms { $$ = ast_clause(A, @$, ITEM_EXTRACT, NULL, NULL, $2); }
| PRINT terms { $$ = ast_clause(A, @$, ITEM_PRINT, NULL, NULL, $2); }
| INPUT path STRING {
    $$ = ast_clause(A, @$, ITEM_INPUT, NULL, ast_append(A, ast_append(A, NULL, $2), ast_string(A, @3, $3)), NULL); }
| OUTPUT STRING terms { $$ = ast_clause(A, @$, ITEM_OUTPUT, NULL, ast_append(A, NULL, ast_string(A, @2, $2)), $3); }
| INCLUDE STRING { $$ = ast_clause(A, @$, ITEM_INCLUDE, NULL, ast_append(A, NULL, ast_string(A, @2, $2)), NULL); }
| INCLUDE STRING WORD name {
    AstExpr *as = ast_do(A, @4, @3, $3, $4);
    $$ = ast_clause(A, @$, ITEM_INCLUDE, NULL, ast_append(A, NULL, ast_string(A, @2, $2)), ast_append(A, NULL, as)); }
| PRIVATE clause { $$ = $2; $$->clause.only_here = true; $$->span = @$; }
| PUSH '{' items '}' { $$ = ast_block(A, @$, ITEM_PUSH, NULL, $3); }
| TEMPLATE name '(' parameters ')' OVER '{' arg_list '}' '{' items '}' { $$ = ast_template(A, @$, $2, $4, $8, $11); };

models:
  path { $$ = ast_append(A, NULL, $1); }
| models path { $$ = ast_append(A, $1, $2); };

columns: %empty { $$ = NULL; } | column_list;
column_list:
  column { $$ = ast_append(A, NULL, $1); }
| column_list ',' column { $$ = ast_append(A, $1, $3); };
column: path | word ':' path { $$ = ast_named(A, @$, @1, $1, $3); };

sorts:
  path { $$ = ast_append(A, NULL, $1); }
| sorts ',' path { $$ = ast_append(A, $1, $3); };
parameters:
  name { $$ = ast_append(A, NULL, $1); }
| parameters ',' name { $$ = ast_append(A, $1, $3); };

members:
  member { $$ = ast_append(A, NULL, $1); }
| members AND member { $$ = ast_append(A, $1, $3); };
member:
  name '=' variants { $$ = ast_block(A, @$, ITEM_DATATYPE, $1, $3); }
| SORT name '=' callee '(' sorts ')' {
    AstExpr *of = ast_call(A, (Span){@4.source, @4.lo, @7.hi}, $4, $6);
    $$ = ast_clause(A, @$, ITEM_SORT, $2, ast_append(A, NULL, of), NULL); }
| SORT name '=' '(' sorts ')' ARROW path { $$ = ast_clause(A, @$, ITEM_SORT, $2, $5, ast_append(A, NULL, $8)); };

variants:
  variant { $$ = ast_append(A, NULL, $1); }
| variants '|' variant { $$ = ast_append(A, $1, $3); };
variant:
  name options { $$ = ast_optioned(A, ast_clause(A, @$, ITEM_CONSTRUCTOR, $1, NULL, NULL), $2); }
| name '(' columns ')' options { $$ = ast_optioned(A, ast_clause(A, @$, ITEM_CONSTRUCTOR, $1, $3, NULL), $5); };

options: %empty { $$ = NULL; } | option_list;
option_list:
  WORD { $$ = ast_append(A, NULL, ast_name(A, @$, 0, $1)); }
| WORD NUMBER { $$ = ast_append(A, NULL, ast_named(A, @$, @1, $1, ast_number(A, @2, $2))); }
| option_list WORD { $$ = ast_append(A, $1, ast_name(A, @2, 0, $2)); }
| option_list WORD NUMBER {
    $$ = ast_append(A, $1, ast_named(A, (Span){@2.source, @2.lo, @3.hi}, @2, $2, ast_number(A, @3, $3))); };

heading:
  %empty { $$ = (AstHeading){NULL, NULL, NULL}; }
| WORD options { $$ = (AstHeading){ast_name(A, @1, 0, $1), NULL, $2}; }
| STRING options { $$ = (AstHeading){ast_string(A, @1, $1), NULL, $2}; }
| IN path options { $$ = (AstHeading){NULL, $2, $3}; }
| WORD IN path options { $$ = (AstHeading){ast_name(A, @1, 0, $1), $3, $4}; }
| STRING IN path options { $$ = (AstHeading){ast_string(A, @1, $1), $3, $4}; };

rewriting:
  expr IMPLIES expr conditions options { $$ = ast_rewrite(A, @$, $1, $3, $4, $5, false); }
| expr BOTH expr conditions options { $$ = ast_rewrite(A, @$, $1, $3, $4, $5, true); };

titled:
  IN path ':' { $$ = (AstHeading){NULL, $2, NULL}; }
| WORD ':' { $$ = (AstHeading){ast_name(A, @1, 0, $1), NULL, NULL}; }
| STRING ':' { $$ = (AstHeading){ast_string(A, @1, $1), NULL, NULL}; }
| WORD IN path ':' { $$ = (AstHeading){ast_name(A, @1, 0, $1), $3, NULL}; }
| STRING IN path ':' { $$ = (AstHeading){ast_string(A, @1, $1), $3, NULL}; };

facts: %empty { $$ = NULL; } | fact_list | fact_list ';';
fact_list:
  fact { $$ = ast_append(A, NULL, $1); }
| fact_list ';' fact { $$ = ast_append(A, $1, $3); };
fact: expr | expr '=' expr { $$ = ast_binary(A, @$, EX_SAME, $1, $3); };

conditions:
  %empty { $$ = NULL; }
| IF fact { $$ = ast_append(A, NULL, $2); }
| IF '{' facts '}' { $$ = $3; };

actions: %empty { $$ = NULL; } | action_list | action_list ';';
action_list:
  action { $$ = ast_append(A, NULL, $1); }
| action_list ';' action { $$ = ast_append(A, $1, $3); };
action:
  fact
| LET name '=' expr { $$ = ast_bind(A, @$, $2, $4); }
| WORD callee '(' call_args ')' { $$ = ast_do(A, @$, @1, $1, ast_call(A, (Span){@2.source, @2.lo, @5.hi}, $2, $4)); }
| WORD callee '(' call_args ')' '=' expr {
    AstExpr *row = ast_call(A, (Span){@2.source, @2.lo, @5.hi}, $2, $4);
    $$ = ast_do(A, @$, @1, $1, ast_binary(A, (Span){@2.source, @2.lo, @7.hi}, EX_SAME, row, $7)); }
| WORD callee '(' call_args ')' '=' expr IN path {
    AstExpr *row = ast_call(A, (Span){@2.source, @2.lo, @5.hi}, $2, $4);
    AstExpr *same = ast_binary(A, (Span){@2.source, @2.lo, @7.hi}, EX_SAME, row, $7);
    $$ = ast_do(A, @$, @1, $1, ast_named(A, @$, @9, $9->name, same)); }
| WORD STRING { $$ = ast_do(A, @$, @1, $1, ast_string(A, @2, $2)); };

schedule:
  NUMBER { $$ = ast_run(A, @$, 0, $1, NULL); }
| NUMBER until { $$ = ast_run(A, @$, 0, $1, $2); }
| ref { $$ = ast_run(A, @$, $1, RAT_1, NULL); }
| ref until { $$ = ast_run(A, @$, $1, RAT_1, $2); }
| ref NUMBER { $$ = ast_run(A, @$, $1, $2, NULL); }
| ref NUMBER until { $$ = ast_run(A, @$, $1, $2, $3); }
| '{' schedules '}' { $$ = ast_schedule(A, @$, @$, sym("seq"), RAT_1, $2); }
| ref '{' schedules '}' { $$ = ast_schedule(A, @$, @1, $1, RAT_1, $3); }
| ref NUMBER '{' schedules '}' { $$ = ast_schedule(A, @$, @1, $1, $2, $4); };

schedules: schedule_list | schedule_list ';';
schedule_list:
  schedule { $$ = ast_append(A, NULL, $1); }
| schedule_list ';' schedule { $$ = ast_append(A, $1, $3); };

until:
  WORD until_fact { $$ = ast_append(A, NULL, $2); }
| WORD '{' facts '}' { $$ = $3; };
until_fact: fact;

terms:
  expr { $$ = ast_append(A, NULL, $1); }
| terms ',' expr { $$ = ast_append(A, $1, $3); };

/* ---- Expressions ---- */

word:
  WORD
| OPAQUE  { $$ = syntax_sym(s, @$); }
| BATCH   { $$ = syntax_sym(s, @$); }
| DEVICES { $$ = syntax_sym(s, @$); };

name: word { $$ = ast_name(A, @$, 0, $1); };

/* A name, maybe one that a module declares. */
ref: word | PATH;
path: ref { $$ = ast_name(A, @$, 0, $1); };

tensor:
  path
| word '.' word { $$ = ast_name(A, @$, $1, $3); }
| word '.' STRING { $$ = ast_name(A, @$, $1, $3); }
| word '.' NUMBER { $$ = ast_name(A, @$, $1, syntax_sym(s, @3)); };

callee: path;

/* Arguments of a call; those by name are for the Datalog layer. */
call_args: %empty { $$ = NULL; } | argument_list;
argument_list:
  argument { $$ = ast_append(A, NULL, $1); }
| argument_list ',' argument { $$ = ast_append(A, $1, $3); };
argument: expr | word ':' expr { $$ = ast_named(A, @$, @1, $1, $3); };

args: %empty { $$ = NULL; } | arg_list;
arg_list:
  expr { $$ = ast_append(A, NULL, $1); }
| arg_list ',' expr { $$ = ast_append(A, $1, $3); };

binders:
  binder { $$ = ast_append(A, NULL, $1); }
| binders ',' binder { $$ = ast_append(A, $1, $3); };

binder:
  word { $$ = ast_index(A, @$, FORM_INDEX, $1, NULL); }
| word ':' expr { $$ = ast_index(A, @$, FORM_INDEX, $1, $3); }
| '*' word { $$ = ast_index(A, @$, FORM_GROUP, $2, NULL); }
| '*' word ':' expr { $$ = ast_index(A, @$, FORM_GROUP, $2, $4); }
| word ELLIPSIS { $$ = ast_index(A, @$, FORM_OPERANDS, $1, NULL); };

reduction: SUM { $$ = EX_SUM; } | MAX { $$ = EX_MAX; } | MIN { $$ = EX_MIN; };

expr:
  NUMBER { $$ = ast_number(A, @$, $1); }
| STRING { $$ = ast_string(A, @$, $1); }
| INF { $$ = ast_inf(A, @$); }
| tensor
| '*' word { $$ = ast_group(A, @$, $2, 0); }
| '*' word '@' word { $$ = ast_group(A, @$, $2, $4); }
| tensor '[' args ']' { $$ = ast_read(A, @$, $1, NULL, $3); }
| tensor '[' arg_list ';' args ']' { $$ = ast_read(A, @$, $1, $3, $5); }
| callee '(' call_args ')' { $$ = ast_call(A, @$, $1, $3); }
| '(' expr ')' { $$ = $2; }
| '(' expr ',' arg_list ')' { $$ = ast_tuple(A, @$, $2, $4); }
| '[' args ']' { $$ = ast_list(A, @$, $2); }
| reduction '(' binders ')' expr %prec SUM { $$ = ast_reduce(A, @$, $1, $3, $5); }
| ALL '(' binders ')' expr %prec ALL { $$ = ast_reduce(A, @$, EX_ALL, $3, $5); }
| '-' expr %prec NEGATE { $$ = ast_unary(A, @$, EX_NEG, $2); }
| NOT expr { $$ = ast_unary(A, @$, EX_NOT, $2); }
| expr '+' expr { $$ = ast_binary(A, @$, EX_ADD, $1, $3); }
| expr '-' expr { $$ = ast_binary(A, @$, EX_SUB, $1, $3); }
| expr '*' expr { $$ = ast_binary(A, @$, EX_MUL, $1, $3); }
| expr '/' expr { $$ = ast_binary(A, @$, EX_DIV, $1, $3); }
| expr '%' expr { $$ = ast_remainder(A, @$, @2, $1, $3); }
| expr '^' expr { $$ = ast_binary(A, @$, EX_POW, $1, $3); }
| expr EQ expr { $$ = ast_binary(A, @$, EX_EQ, $1, $3); }
| expr NE expr { $$ = ast_binary(A, @$, EX_NE, $1, $3); }
| expr '<' expr { $$ = ast_binary(A, @$, EX_LT, $1, $3); }
| expr LE expr { $$ = ast_binary(A, @$, EX_LE, $1, $3); }
| expr '>' expr { $$ = ast_binary(A, @$, EX_GT, $1, $3); }
| expr GE expr { $$ = ast_binary(A, @$, EX_GE, $1, $3); }
| expr EQ logic { $$ = ast_binary(A, @$, EX_EQ, $1, $3); }
| expr NE logic { $$ = ast_binary(A, @$, EX_NE, $1, $3); }
| expr IS name { $$ = ast_binary(A, @$, EX_IS, $1, $3); }
| expr AND expr { $$ = ast_binary(A, @$, EX_AND, $1, $3); }
| expr OR expr { $$ = ast_binary(A, @$, EX_OR, $1, $3); }
| IF expr THEN expr ELSE expr %prec THEN_ELSE { $$ = ast_if(A, @$, $2, $4, $6); }
| LET name '=' expr IN expr %prec THEN_ELSE { $$ = ast_let(A, @$, $2, $4, $6); };

/* `reducer == and`: the names of two operators are also reserved words. */
logic:
  AND { $$ = ast_name(A, @$, 0, syntax_sym(s, @$)); }
| OR  { $$ = ast_name(A, @$, 0, syntax_sym(s, @$)); };
%%

/* Called for nothing but a stack that is full. */
static void lang_yyerror(const Span *at, Syntax *s, void *scanner, const char *text) {
  (void)scanner, (void)text;
  diag_error(s->ast.diags, *at, E_NESTING, "the text is nested too deeply");
}

static int yyreport_syntax_error(const yypcontext_t *context, Syntax *s, void *scanner) {
  (void)scanner;
  yysymbol_kind_t kinds[YYNTOKENS];
  const char *expected[YYNTOKENS];
  int n = yypcontext_expected_tokens(context, kinds, YYNTOKENS);
  for (int i = 0; i < n; i++) expected[i] = yysymbol_name(kinds[i]);
  syntax_error_report(s, *yypcontext_location(context), yysymbol_name(yypcontext_token(context)), expected,
                      n < 0 ? 0 : (uint32_t)n);
  return 0;
}
