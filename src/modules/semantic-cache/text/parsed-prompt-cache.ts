import { Lru } from '../../../module-api.ts';
import { type ParsedPrompt, parsePrompt } from './reading/prompt.ts';

/** About twenty kilobytes each. */
const promptsMax = 200;

/** Parses prompts and caches recent ones, because each prompt is compared with later ones. */
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
