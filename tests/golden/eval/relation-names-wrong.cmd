eval ../../../examples/lm-step-dp2-tp3/seq.hlo ../../../examples/lm-step-dp2-tp3/dist.hlo --relation=../../../examples/lm-step-dp2-tp3/relation.json ids dist.idz
