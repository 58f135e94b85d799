/** The module whose configurations with `models` are aliases. */
export const aliasModule = 'router';
/** The module whose rules accounts and operators name. */
export const rulesModule = 'guardrails';
export const rulesKind = `${rulesModule}.rules`;
