import { findEncoded } from './find-encoded.ts';
import { type Finding, personalKinds, secretKinds } from './finding.ts';
import { limits } from './limits.ts';
import { mergeFindings } from './merge-findings.ts';
import { type Action, defaultKinds, type GuardrailsOptions, stricter } from './options.ts';
import { findPatterns } from './recognizers/find-patterns.ts';
import { partialPatternAt } from './recognizers/partial-patterns.ts';
import type { CompiledRule } from './rules/compiled-rule.ts';
import { findProfanity, profanityCharactersMax, type Severity } from './words/find-profanity.ts';

export type Direction = 'input' | 'output';

/** What is looked for in the texts of one direction, and what happens with it. */
export class Policy {
  /** The same for policies that find the same. */
  readonly id: string;
  /** Kinds that patterns find. */
  readonly kinds: ReadonlySet<string>;
  readonly rules: readonly CompiledRule[];
  readonly #actions: ReadonlyMap<string, Action>;
  readonly #seeksProfanity: boolean;
  readonly #severity: Severity;
  /** The longest match of words and rules, as far as streams wait for it. */
  readonly #longestRule: number;

  constructor(options: GuardrailsOptions, direction: Direction) {
    const { compiledRules = [], types = defaultKinds } = options;
    this.rules = compiledRules.filter(({ appliesTo }) => appliesTo === direction || appliesTo === 'both');
    const actionFor = (action: Action): Action =>
      direction === 'input' || action === 'off' ? action : options.output;
    const actions = new Map<string, Action>([['PROFANITY', actionFor(options.profanity)]]);
    for (const kind of personalKinds) actions.set(kind, actionFor(options.pii));
    for (const kind of secretKinds) actions.set(kind, actionFor(options.secrets));
    if (direction === 'input') actions.set('INJECTION', options.injection);
    for (const { name, action } of this.rules)
      actions.set(name, stricter(actions.get(name) ?? 'off', action));
    this.#actions = actions;
    this.id = [options.severity, ...actions.values(), ...types, ...this.rules.map(numberOf)].join(' ');
    this.kinds = new Set([...types, ...secretKinds].filter((kind) => this.actionFor(kind) !== 'off'));
    this.#severity = options.severity;
    this.#seeksProfanity = this.actionFor('PROFANITY') !== 'off';
    this.#longestRule = Math.max(
      profanityCharactersMax,
      ...this.rules.map(({ charactersMax }) => Math.min(charactersMax ?? Infinity, limits.heldCharactersMax)),
    );
  }

  /** Whether there is nothing to look for with patterns, words and rules. */
  get isIdle(): boolean {
    return this.kinds.size === 0 && this.rules.length === 0 && !this.#seeksProfanity;
  }

  /** Whether a finding can stop a call. */
  get mayBlock(): boolean {
    return [...this.#actions.values()].includes('block');
  }

  /** Whether a finding can be replaced. */
  get mayRedact(): boolean {
    return [...this.#actions.values()].includes('redact');
  }

  actionFor(kind: string): Action {
    return this.#actions.get(kind) ?? 'off';
  }

  /** The text that a rule puts in place of its findings; undefined for a placeholder. */
  replacementFor(kind: string): string | undefined {
    return this.rules.find(({ name }) => name === kind)?.replacement;
  }

  /** What patterns, words and rules find in a text, in order and without overlaps. */
  find(text: string): readonly Finding[] {
    return this.findBeside(text, none);
  }

  /** The same with what the models have found. */
  findBeside(text: string, byModels: readonly Finding[]): readonly Finding[] {
    return mergeFindings(
      this.#findPlain(text),
      byModels,
      findEncoded(text, (decoded) => this.#findPlain(decoded)),
    );
  }

  #findPlain(text: string): readonly Finding[] {
    return mergeFindings(
      ...this.rules.map((rule) => [...rule.find(text)]),
      this.kinds.size === 0 ? none : findPatterns(text, this.kinds),
      this.#seeksProfanity ? findProfanity(text, this.#severity) : none,
    );
  }

  /** The offset at which a text that goes on may end with the beginning of a finding. */
  partialMatchAt(text: string): number {
    const words = this.#seeksProfanity || this.rules.length > 0 ? this.#longestRule : 0;
    return Math.min(
      text.length - words,
      this.kinds.size === 0 ? text.length : partialPatternAt(text, this.kinds),
    );
  }

  /** The strictest of the findings, if it blocks. */
  blocking(findings: readonly Finding[]): Finding | undefined {
    return findings.find(({ kind }) => this.actionFor(kind) === 'block');
  }
}

/** Rules are compiled once, so that each has one number. */
function numberOf(rule: CompiledRule): number {
  const number = ruleNumbers.get(rule) ?? nextRuleNumber++;
  ruleNumbers.set(rule, number);
  return number;
}

const ruleNumbers = new WeakMap<CompiledRule, number>();
let nextRuleNumber = 1;

const none: readonly Finding[] = [];
