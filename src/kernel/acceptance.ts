/**
 * What a model accepts of the requests that the gateway encodes for it. The format may allow more: fields that the
 * model rejects are dropped and listed.
 */
export interface Acceptance {
  /** Where it accepts its thinking of earlier turns back. */
  readonly thinkingField: 'reasoning_content' | 'reasoning' | 'parts' | 'nowhere';
  /** The effort levels that it accepts; none if it doesn't reason, or if that is unknown. */
  readonly efforts: readonly string[];
  /** The effort levels and kinds of thinking that it rejects. Encoded requests avoid them, a client's own bytes may not. */
  readonly rejectedEfforts: readonly string[];
  readonly rejectedThinking: readonly string[];
  /** The response formats that it supports. */
  readonly formats: readonly AnswerFormat[];
  /** The service tiers that it accepts, in OpenAI's words. */
  readonly serviceTiers: readonly string[];
  readonly rejects: readonly RejectableField[];
  /** Fields that it rejects while thinking is enabled. */
  readonly rejectsWithThinking: readonly RejectableField[];
  /** Whether it accepts `temperature` and `top_p` in one request. */
  readonly samplers: 'both' | 'one';
  /** The required form of tool call ids, if not all are accepted. */
  readonly callIds?: CallIdShape;
  /** The field for its output limit, if the model's name doesn't imply it. */
  readonly outputLimitField?: 'max_completion_tokens';
  /** Whether it continues its own last message as it is, or only one marked as a prefix. */
  readonly prefill: 'plain' | 'prefix';
}

type AnswerFormat = 'json_schema' | 'json_object';

/** Canonical field names. */
export type RejectableField = 'temperature' | 'top_p' | 'top_k' | 'stop_sequences' | 'metadata';

export interface CallIdShape {
  readonly pattern: RegExp;
  /** Length of replacement ids, in letters and digits. */
  readonly chars: number;
}

/** A rule for models with matching names; other models are treated as unknown. */
export interface AcceptanceRule extends Partial<Acceptance> {
  readonly models: RegExp;
}

/** Everything that a format can express. */
export const fullAcceptance: Acceptance = {
  thinkingField: 'reasoning_content',
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  rejectedEfforts: [],
  rejectedThinking: [],
  formats: ['json_schema', 'json_object'],
  serviceTiers: [],
  rejects: [],
  rejectsWithThinking: [],
  samplers: 'both',
  prefill: 'plain',
};

/** All levels that an API of ours has. */
export const effortLevels: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Acceptance of these levels, and of no others. */
export function onlyEfforts(...efforts: readonly string[]): Pick<Acceptance, 'efforts' | 'rejectedEfforts'> {
  return { efforts, rejectedEfforts: effortLevels.filter((level) => !efforts.includes(level)) };
}

/** The first matching rule of a provider applies. */
export function acceptanceFor(model: string, rules: readonly AcceptanceRule[] = []): Acceptance {
  return { ...unknownModelAcceptance, ...rules.find(({ models }) => models.test(model)) };
}

const unknownModelAcceptance: Acceptance = { ...fullAcceptance, efforts: [] };
