import type { paths } from '../../api/schema.ts';
import { count, short, usd } from '../../parts/format.ts';

type LogPage = paths['/v1/requests']['get']['responses'][200]['content']['application/json'];
type LoggedStep = LogPage['requests'][number]['modules'][number];
type Fact = LoggedStep['facts'][string];

/** What one module did, or several that changed nothing, as a sentence. */
interface ShownStep {
  readonly names: readonly string[];
  readonly sentence: string;
  readonly ms: number;
  readonly savedUsd: string;
  /** Facts that the sentence doesn't tell. */
  readonly facts: readonly (readonly [string, Fact])[];
}

/** In the order of the pipeline; modules that changed nothing and have nothing to tell come last, as one. */
export function shownSteps(steps: readonly LoggedStep[]): readonly ShownStep[] {
  const isQuiet = ({ effect, facts, saved_usd: saved }: LoggedStep) =>
    effect === 'passed' && Object.keys(facts).length === 0 && Number(saved) === 0;
  const quiet = steps.filter(isQuiet);
  const shown = steps.filter((step) => !isQuiet(step)).map(toShown);
  if (quiet.length === 0) return shown;
  const names = quiet.map(({ name }) => name);
  const listed = new Intl.ListFormat('en', { type: 'conjunction' }).format(names);
  const ms = quiet.reduce((sum, step) => sum + step.ms, 0);
  return [...shown, { names, sentence: `${listed} changed nothing.`, ms, savedUsd: '0', facts: [] }];
}

function toShown(step: LoggedStep): ShownStep {
  const { name, facts, ms, saved_usd: savedUsd } = step;
  const found = sentencesOfFacts.find((one) => one.effects.includes(step.effect) && one.fact in facts);
  const told = found?.tell(String(facts[found.fact]), facts);
  return {
    names: [name],
    sentence: told === undefined ? sentenceOfEffect(step) : `${name} ${told}.`,
    ms,
    savedUsd,
    facts: Object.entries(facts).filter(
      ([fact]) => told === undefined || (fact !== found?.fact && !found?.also?.includes(fact)),
    ),
  };
}

interface FactSentence {
  readonly effects: readonly string[];
  readonly fact: string;
  /** Further facts that the sentence tells. */
  readonly also?: readonly string[];
  /** The sentence after the name of the module; undefined if the fact is not as expected. */
  tell(value: string, facts: LoggedStep['facts']): string | undefined;
}

const changing = ['changed-request', 'changed-reply', 'changed-both'];

/** Facts that make a sentence of their own. The first that a step has counts. */
const sentencesOfFacts: readonly FactSentence[] = [
  { effects: changing, fact: 'kept', tell: (value) => ofAll(value, 'kept', 'tools') },
  { effects: changing, fact: 'restored', also: ['tokens'], tell: restoredText },
  { effects: changing, fact: 'tokens', tell: (value) => ofAll(value, 'sent', 'tokens') },
  { effects: changing, fact: 'injected', tell: (value) => counted(value, 'added', 'pattern', 'patterns') },
  {
    effects: changing,
    fact: 'referred',
    tell: (value) => counted(value, 'referred to', 'earlier result', 'earlier results'),
  },
  {
    effects: changing,
    fact: 'markers',
    tell: (value) => counted(value, 'set', 'cache marker', 'cache markers'),
  },
  { effects: ['passed'], fact: 'aside', tell: (value) => `stepped aside (${value.replaceAll('-', ' ')})` },
  { effects: ['passed'], fact: 'miss', tell: () => 'had no answer' },
  { effects: ['passed'], fact: 'bypass', tell: () => 'was not asked' },
  {
    effects: ['passed'],
    fact: 'usd',
    also: ['held'],
    tell: (value) => `found the call within its limits: ${usd(value)}`,
  },
  {
    effects: ['passed'],
    fact: 'held',
    tell: (value) => `found the call within its limits, and held ${usd(value)} for it`,
  },
];

/** Of `22/60`. */
function ofAll(value: string, verb: string, things: string): string | undefined {
  const [part, all] = /^(\d+)\/(\d+)$/.exec(value)?.slice(1).map(Number) ?? [];
  return part === undefined || all === undefined
    ? undefined
    : `${verb} ${short(part)} of ${short(all)} ${things}`;
}

function restoredText(value: string, { tokens }: LoggedStep['facts']): string | undefined {
  const text = counted(value, 'brought back', 'passage', 'passages');
  return text === undefined || typeof tokens !== 'number' ? text : `${text} of ${short(tokens)} tokens`;
}

function counted(value: string, verb: string, one: string, many: string): string | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number > 0
    ? `${verb} ${count(number)} ${number === 1 ? one : many}`
    : undefined;
}

function sentenceOfEffect({ name, effect }: LoggedStep): string {
  switch (effect) {
    case 'passed':
      return `${name} changed nothing.`;
    case 'changed-request':
      return `${name} changed the request.`;
    case 'changed-reply':
      return `${name} changed the answer.`;
    case 'changed-both':
      return `${name} changed the request and the answer.`;
    case 'answered':
      return `${name} answered from its cache; no provider was called.`;
    case 'rejected':
      return `${name} rejected the call.`;
    case 'broken':
      return `${name} failed.`;
    default:
      return `${name}: ${effect}.`;
  }
}
