/**
 * What a model takes of the requests that are written for it here. Its format could say more than that: what the model
 * refuses is left out and listed.
 */
export interface Acceptance {
  /** Where it takes back what it thought in earlier turns. */
  readonly thinkingField: 'reasoning_content' | 'reasoning' | 'parts' | 'nowhere';
  /** The levels of effort that it knows; none where it doesn't reason, or nobody knows. */
  readonly efforts: readonly string[];
  /** The formats of an answer that it can be held to. */
  readonly formats: readonly AnswerFormat[];
  readonly rejects: readonly RejectableField[];
  /** The same, but only where it is asked to think. */
  readonly rejectsWithThinking: readonly RejectableField[];
  /** Whether it takes `temperature` and `top_p` in one request. */
  readonly samplers: 'both' | 'one';
  /** How ids of calls have to be, where not all are taken. */
  readonly callIds?: CallIdShape;
  /** By which name it takes the limit of its answer, where its own name doesn't tell. */
  readonly outputLimitField?: 'max_completion_tokens';
  /** Whether it goes on from its own last words as they are, or from those that are marked as the beginning of its answer. */
  readonly prefill: 'plain' | 'prefix';
}

type AnswerFormat = 'json_schema' | 'json_object';

/** Fields by their canonical names. */
export type RejectableField = 'temperature' | 'top_p' | 'stop_sequences' | 'metadata';

export interface CallIdShape {
  readonly pattern: RegExp;
  /** How long the ids are that stand for others, in letters and digits. */
  readonly chars: number;
}

/** What is known about models of these names; the rest is as with models that nobody knows. */
export interface AcceptanceRule extends Partial<Acceptance> {
  readonly models: RegExp;
}

/** All that a format can say. */
export const fullAcceptance: Acceptance = {
  thinkingField: 'reasoning_content',
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  formats: ['json_schema', 'json_object'],
  rejects: [],
  rejectsWithThinking: [],
  samplers: 'both',
  prefill: 'plain',
};

/** Of the rules for a provider's models, the first one that fits counts. */
export function acceptanceFor(model: string, rules: readonly AcceptanceRule[] = []): Acceptance {
  return { ...unknownModelAcceptance, ...rules.find(({ models }) => models.test(model)) };
}

const unknownModelAcceptance: Acceptance = { ...fullAcceptance, efforts: [] };
