import { hash } from 'node:crypto';
import { type Exchange, type Kit, personOf } from '../../module-api.ts';
import { type Readable, readable } from './decision.ts';
import type { Options } from './options.ts';
import type { ReadPrompts } from './text/read-prompts.ts';

/** What a call asks, as it is looked up. */
export interface Asked {
  /** Of this question for this person: where its answer is kept. */
  readonly key: string;
  /** The newest words, where they can be looked up by their meaning. */
  readonly words: Words | undefined;
  /** Why they can't be. */
  readonly bypass: string | undefined;
}

interface Words {
  readonly text: string;
  readonly prompt: NonNullable<Readable['prompt']>;
  /** Where everything but the newest words is the same, and the person. */
  readonly part: string;
}

export async function askedIn(exchange: Exchange, kit: Kit<Options>, prompts: ReadPrompts): Promise<Asked> {
  const person = kit.options.scope === 'account' ? '' : personOf(exchange.received);
  const setting = await kit.setting(exchange);
  if (setting === undefined)
    return { key: named('call', person, await kit.meaning(exchange)), words: undefined, bypass: 'turn' };
  const { text } = setting;
  const part = named('part', person, setting.name);
  const { prompt, bypass } = readable(text, kit.options, prompts);
  return {
    key: named('text', part, text),
    words: prompt === undefined ? undefined : { text, prompt, part },
    bypass,
  };
}

function named(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
