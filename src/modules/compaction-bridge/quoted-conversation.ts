import { quotedCharsMax } from './limits.ts';
import type { Utterance } from './utterances.ts';

type Speaker = Utterance['role'] | 'other';

/** The minimum number of utterances in a quoted conversation. */
const utterancesMin = 3;

/** A conversation that is quoted in one text; undefined if the text is no such quotation. */
export function parseQuotedConversation(text: string): readonly Utterance[] | undefined {
  const utterances: { role: Speaker; lines: string[] }[] = [];
  const found = { user: 0, assistant: 0, tool: 0, other: 0 };
  /** The tags around the conversation. */
  const enclosing = new Set<string>();
  for (const line of text.slice(-quotedCharsMax).split('\n')) {
    const tag = line.includes('<') ? tagOf(line) : undefined;
    if (tag !== undefined && !tag.startsWith('/') && utterances.length === 0) enclosing.add(tag);
    const isEnd = tag?.startsWith('/') === true && enclosing.has(tag.slice(1));
    const start = isEnd ? { role: 'other' as const, rest: '' } : speakerOf(line);
    if (start === undefined) utterances.at(-1)?.lines.push(line);
    else {
      utterances.push({ role: start.role, lines: [start.rest] });
      found[start.role]++;
    }
  }
  const { user, assistant, tool } = found;
  if (assistant === 0 || user + tool === 0 || user + assistant + tool < utterancesMin) return undefined;
  return utterances.flatMap(({ role, lines }, at): readonly Utterance[] => {
    // A tool's output may contain a line that looks like the user's.
    const isForged = role === 'user' && utterances[at - 1]?.role === 'tool';
    const said = lines.join('\n').trim();
    return said === '' || role === 'other' ? [] : [{ role: isForged ? 'tool' : role, text: said }];
  });
}

/** The name of a tag that stands alone in its line, with the slash of an end tag. */
function tagOf(line: string): string | undefined {
  if (line.length > 60) return undefined;
  const trimmed = line.trim();
  return trimmed.startsWith('<') && trimmed.endsWith('>') ? trimmed.slice(1, -1) : undefined;
}

/** What stands before and behind the name of a speaker: `[User]:`, `<user>`, `**User**:`, `### User`, `User:`, `"role": "user"`. */
const frames: readonly (readonly [string, string])[] = [
  ['[', ']'],
  ['<', '>'],
  ['**', '**'],
  ['#### ', ''],
  ['### ', ''],
  ['## ', ''],
  ['# ', ''],
  ['--- ', ' ---'],
  ['{"role":"', '"'],
  ['{"role": "', '"'],
  ['"role": "', '"'],
  ['', ':'],
];
const speakerCharsMax = 48;

/** Rules out most lines: a quoted conversation may have a hundred thousand. */
const mayNameSpeaker =
  /^\W{0,12}(?:role\W{1,4})?(?:user|human|assistant|model|ai|agent|tool|function|system|developer)/i;

/** The speaker that a line names, and the rest of the line. */
function speakerOf(line: string): { role: Speaker; rest: string } | undefined {
  if (!mayNameSpeaker.test(line.slice(0, speakerCharsMax))) return undefined;
  const start = line.trimStart();
  for (const [before, behind] of frames) {
    if (!start.startsWith(before)) continue;
    const isHeading = behind === '';
    const end = isHeading ? start.length : start.indexOf(behind, before.length);
    if (end < 0 || end - before.length > speakerCharsMax) continue;
    const role = roleOf(start.slice(before.length, end));
    if (role !== undefined)
      return { role, rest: start.slice(end + behind.length).replace(/^[\s:*]{1,4}/, '') };
  }
  return undefined;
}

const speakers: Readonly<Record<string, Speaker>> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  model: 'assistant',
  ai: 'assistant',
  agent: 'assistant',
  tool: 'tool',
  function: 'tool',
  system: 'other',
  developer: 'other',
};
const wordsMax = 3;

/** The role that words such as `Assistant tool calls` name; undefined for other words. */
function roleOf(label: string): Speaker | undefined {
  const [name = '', ...kinds] = label
    .toLowerCase()
    .replace(/[:()_-]/g, ' ')
    .split(' ')
    .filter((word) => word !== '');
  const role = Object.hasOwn(speakers, name) ? speakers[name] : undefined;
  if (role === undefined || kinds.length > wordsMax) return undefined;
  const is = (...words: readonly string[]) =>
    kinds.some((kind) => words.some((word) => kind.startsWith(word)));
  if (is('call', 'use') && !is('user')) return 'assistant';
  if (is('result', 'output', 'response')) return 'tool';
  return is('think', 'reason') ? 'other' : role;
}
