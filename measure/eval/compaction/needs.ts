import type { Block, Message } from '../../../src/kernel/message.ts';
import { blocksOf, resultText } from '../../../src/kernel/message-blocks.ts';
import { contentWords } from '../../../src/lib/content-words.ts';

/** What turns after a cut use of the conversation before it. */
export interface Needs {
  /** Those that the user, an answer or a tool call had used before. */
  readonly identifiers: readonly string[];
  /** Those that were only in results of tools. */
  readonly shown: readonly string[];
  readonly constraints: readonly string[];
}

/** Paths, file names, colours, and words with an inner capital or an underscore: found otherwise than the module does. */
const identifier =
  /#[0-9a-f]{6}\b|[\w.~-]*\/[\w./-]*\w|\b[\w-]+\.(?:ts|js|json|md|tsx|css|html|py|sh)\b|\b[a-z]+[A-Z]\w+|\b[A-Za-z]+_\w+/g;

/** Words of constraints. */
const constraint =
  /\b(?:never|always|must|mustn't|don't|dont|do not|not|no|only|instead|should|shouldn't|make sure|without|keep|needs? to|same as)\b/i;

/** Of the identifiers that a tool call uses, only those count that the conversation has not shown since the cut. */
export function needsOf(before: readonly Message[], after: readonly Message[]): Needs {
  const known = before.map(textOf).join('\n');
  const used = new Set<string>();
  let seen = '';
  for (const message of after) {
    for (const block of blocksOf(message)) {
      if (block.type === 'tool_use')
        for (const name of identifiersIn(argumentsOf(block))) if (!seen.includes(name)) used.add(name);
      // Longer texts are pasted.
      if (block.type === 'text' && message.role === 'user' && block.text.length <= 400)
        for (const name of identifiersIn(block.text)) used.add(name);
    }
    seen += textOf(message);
  }
  const later = new Set(contentWords(after.map(spokenIn).join('\n').slice(0, 20_000)));
  const laterNames = identifiersIn(after.map(textOf).join('\n'));
  const said = before.flatMap((message) => (message.role === 'user' ? textsIn(message) : []));
  const constraints = said.filter((text) => {
    if (text.length > 400 || !constraint.test(text)) return false;
    const words = contentWords(text);
    const shared = words.filter((word) => later.has(word)).length;
    return shared >= Math.max(2, words.length / 3) || laterNames.some((name) => text.includes(name));
  });
  const wasUsed = before.map(usedIn).join('\n');
  const all = [...used].filter((name) => known.includes(name));
  return {
    identifiers: all.filter((name) => wasUsed.includes(name)),
    shown: all.filter((name) => !wasUsed.includes(name)),
    constraints,
  };
}

/** Whether a constraint is in a text: word for word, or with most of its words in one line. */
export function isPresent(text: string, constraintText: string): boolean {
  if (text.includes(constraintText)) return true;
  const words = contentWords(constraintText);
  return text.split('\n').some((line) => {
    const own = new Set(contentWords(line));
    return words.filter((word) => own.has(word)).length >= words.length * 0.8;
  });
}

function identifiersIn(text: string): readonly string[] {
  return [...new Set(text.match(identifier) ?? [])].filter(({ length }) => length >= 5 && length <= 160);
}

/** The content of a file, old or new, is read again before it is edited. */
function argumentsOf({ input }: Extract<Block, { type: 'tool_use' }>): string {
  const { path, command } = Object(input);
  return [path, command].filter((one) => typeof one === 'string').join('\n');
}

function textsIn(message: Message): readonly string[] {
  return blocksOf(message).flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

function usedIn(message: Message): string {
  return blocksOf(message)
    .map((block) =>
      block.type === 'text' ? block.text : block.type === 'tool_use' ? argumentsOf(block) : '',
    )
    .join('\n');
}

function spokenIn(message: Message): string {
  return textsIn(message).join('\n');
}

function textOf(message: Message): string {
  return blocksOf(message)
    .map((block) => {
      if (block.type === 'text') return block.text;
      if (block.type === 'tool_result') return resultText(block.content);
      return block.type === 'tool_use' ? JSON.stringify(block.input) : '';
    })
    .join('\n');
}
