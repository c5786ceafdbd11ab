check ../../../examples/lm-step-dp2-tp3/seq.hlo ../../../examples/lm-step-dp2-tp3/broken/loss-local/dist.hlo --relation=../../../examples/lm-step-dp2-tp3/relation.json
