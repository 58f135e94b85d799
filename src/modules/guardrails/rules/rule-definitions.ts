import { type JsonObject, Lru, type ModuleDefinitions } from '../../../module-api.ts';
import { compileRule, ruleSchema } from './compile-rule.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { limits } from './limits.ts';

/** Options that list rules. */
interface RuleOptions {
  readonly rules?: readonly string[] | undefined;
  /** The rules of the list, compiled. */
  readonly compiledRules?: readonly CompiledRule[];
}

/** The rules of accounts and of the operator. They are compiled into the options of pipelines. */
export function createRuleDefinitions<Options extends RuleOptions>(): ModuleDefinitions<Options> {
  const compiled = new Lru<CompiledRule>(limits.compiledRulesMax);
  const costs = new WeakMap<CompiledRule, number>();
  const compile = (name: string, content: JsonObject): CompiledRule => {
    const key = JSON.stringify([name, content]);
    const rule = compiled.get(key) ?? compileRule(name, content);
    compiled.set(key, rule);
    return rule;
  };
  return {
    option: 'rules',
    schema: ruleSchema,
    describe(name, content) {
      const rule = compile(name, content);
      const microseconds = costs.get(rule) ?? measureCost(rule);
      costs.set(rule, microseconds);
      return {
        size: rule.size,
        charactersMax: rule.charactersMax ?? null,
        microsecondsPer10Kb: microseconds,
      };
    },
    resolve: (options, find) =>
      options.rules === undefined
        ? options
        : { ...options, compiledRules: options.rules.map((name) => compile(name, find(name))) },
  };
}

/** Microseconds for 10 KB of prose, the fastest of several runs. */
function measureCost(rule: CompiledRule): number {
  const runs = Array.from({ length: limits.measuredRuns }, () => {
    const startedAt = performance.now();
    for (const _ of rule.find(sample));
    return performance.now() - startedAt;
  });
  return Math.round(Math.min(...runs) * 1000);
}

const sentence =
  'The delivery of 24 parts (order AB-1093, reference x_17) left our warehouse at 10:45 on Tuesday; please write to the team if anything is missing. ';
const sample = sentence
  .repeat(Math.ceil(limits.measuredCharacters / sentence.length))
  .slice(0, limits.measuredCharacters);
