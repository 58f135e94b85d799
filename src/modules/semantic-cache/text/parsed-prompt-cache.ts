import { Lru } from '../../../module-api.ts';
import { type ParsedPrompt, parsePrompt } from './reading/prompt.ts';

/** Some twenty kilobytes each. */
const promptsMax = 200;

/** Reads prompts, and remembers those that were read of late: what is asked is a candidate for what is asked next. */
export class ParsedPromptCache {
  readonly #parsed = new Lru<ParsedPrompt>(promptsMax);

  parse(text: string): ParsedPrompt {
    const before = this.#parsed.get(text);
    if (before !== undefined) return before;
    const parsedPrompt = parsePrompt(text);
    this.#parsed.set(text, parsedPrompt);
    return parsedPrompt;
  }
}
