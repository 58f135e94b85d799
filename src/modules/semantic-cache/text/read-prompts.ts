import { Lru } from '../../../module-api.ts';
import { type Prompt, readPrompt } from './reading/prompt.ts';

/** Some twenty kilobytes each. */
const promptsMax = 200;

/** Reads prompts, and remembers those that were read of late: what is asked is a candidate for what is asked next. */
export class ReadPrompts {
  readonly #read = new Lru<Prompt>(promptsMax);

  read(text: string): Prompt {
    const before = this.#read.get(text);
    if (before !== undefined) return before;
    const prompt = readPrompt(text);
    this.#read.set(text, prompt);
    return prompt;
  }
}
