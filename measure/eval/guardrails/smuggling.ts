import type { Block, ChatRequest } from '../../../src/module-api.ts';
import { guardrails } from '../../../src/modules/guardrails/guardrails.ts';
import { runModule } from '../../../src/testing/run-module.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const mapLetters = (text: string, map: (letter: string) => string) => Array.from(text, map).join('');
const shifted = (start: number, first: string) => (letter: string) =>
  String.fromCodePoint(start + (letter.codePointAt(0) ?? 0) - (first.codePointAt(0) ?? 0));

/** Ways to write a value so that a reader, or a model, still gets it. */
const disguises: Readonly<Record<string, (value: string) => string>> = {
  'as it is': (value) => value,
  'upper case': (value) => value.toUpperCase(),
  'in quotes and brackets': (value) => `"(${value})"`,
  'beside other characters': (value) => `x=${value};y`,
  'zero-width space': (value) => mapLetters(value, (letter) => `${letter}\u200b`),
  'zero-width joiner in the middle': (value) => `${value.slice(0, 8)}\u200d${value.slice(8)}`,
  'soft hyphen': (value) => `${value.slice(0, 6)}\u00ad${value.slice(6)}`,
  'word joiner': (value) => `${value.slice(0, 6)}\u2060${value.slice(6)}`,
  'right-to-left mark': (value) => `${value.slice(0, 6)}\u200f${value.slice(6)}`,
  'byte order mark': (value) => `\ufeff${value}`,
  'full width': (value) =>
    mapLetters(value, (letter) => (/[!-~]/.test(letter) ? shifted(0xff01, '!')(letter) : letter)),
  'no-break hyphen and space': (value) => value.replaceAll('-', '\u2011').replaceAll(' ', '\u00a0'),
  'mathematical letters': (value) => value.replaceAll(/[a-z]/g, shifted(0x1d41a, 'a')),
  'Cyrillic look-alikes': (value) => value.replaceAll('a', 'а').replaceAll('e', 'е').replaceAll('o', 'о'),
  'combining marks': (value) => mapLetters(value, (letter) => `${letter}\u0336`),
  'a space between all letters': (value) => mapLetters(value, (letter) => `${letter} `),
  'a line break in the middle': (value) => `${value.slice(0, 9)}\n${value.slice(9)}`,
  'HTML entities': (value) => mapLetters(value, (letter) => `&#${letter.codePointAt(0)};`),
  'percent encoding': (value) => mapLetters(value, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  'percent encoding of marks': (value) => encodeURIComponent(value),
  'JSON escapes in a text': (value) =>
    mapLetters(value, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  'JSON in a text': (value) => JSON.stringify(JSON.stringify({ value })),
  'Markdown escapes': (value) => value.replaceAll(/[._@-]/g, (mark) => `\\${mark}`),
  'at and dot in words': (value) => value.replaceAll('@', ' at ').replaceAll('.', ' dot '),
  base64,
  'base64 of a sentence': (value) => base64(`It is ${value}, by the way.`),
  'base64 twice': (value) => base64(base64(value)),
  hexadecimal: (value) => Buffer.from(value).toString('hex'),
  backwards: (value) => Array.from(value).reverse().join(''),
  'thirteen letters on': (value) =>
    value.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97)),
};

const user = (...content: readonly Block[]): Partial<ChatRequest> => ({
  messages: [{ role: 'user', content }],
});
const toolCall = (input: unknown): Partial<ChatRequest> => ({
  messages: [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'x', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
  ],
});

/** Places of a request. */
const carriers: Readonly<Record<string, (text: string) => Partial<ChatRequest>>> = {
  message: (text) => user({ type: 'text', text: `It is ${text}` }),
  instructions: (text) => ({ system: text }),
  'tool result': (text) => ({
    messages: [
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text }] }],
      },
    ],
  }),
  'argument of a tool': (text) => toolCall({ deep: [{ to: text }] }),
  'name of an argument': (text) => toolCall({ [text]: true }),
  'description of a tool': (text) => ({ tools: [{ name: 'x', description: text }] }),
  'enum of a schema': (text) => ({
    tools: [{ name: 'x', input_schema: { type: 'object', properties: { to: { enum: [text] } } } }],
  }),
  document: (text) =>
    user({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, title: 'A' }),
  'name of a file': (text) =>
    user({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A' }, title: text }),
};

const values: Readonly<Record<string, string>> = {
  'e-mail address': 'jane.roe7@example-mail.org',
  'payment card': '4012 8888 8888 1881',
  'API key': 'sk-ant-api03-zR8kWq2nXv5bTc7mLp1yGd4fHs9jKe6uAo3iBt0x',
};

/** Counts the ways by which a value gets past the redaction, by patterns alone. */
export async function reportSmuggling(_data: string, showsMisses: boolean): Promise<void> {
  const run = runModule(guardrails, { options: 'models=off' });
  const passed = new Map<string, string[]>();
  let tried = 0;
  for (const [kind, value] of Object.entries(values))
    for (const [disguise, disguised] of Object.entries(disguises))
      for (const [carrier, request] of Object.entries(carriers)) {
        const text = disguised(value);
        const { sent } = await run({
          ...{ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] },
          ...request(text),
        });
        tried++;
        const isSent = JSON.stringify(sent).includes(JSON.stringify(text).slice(1, -1));
        if (isSent) passed.set(disguise, [...(passed.get(disguise) ?? []), `${kind}, ${carrier}`]);
      }
  const all = [...passed.values()].flat().length;
  console.log(`\nWays to smuggle a value past the redaction: ${tried} tried, ${all} pass`);
  const each = Object.keys(values).length * Object.keys(carriers).length;
  for (const [disguise, places] of passed) {
    console.log(`${disguise.padEnd(36)} ${String(places.length).padStart(3)} of ${each}`);
    if (showsMisses && places.length < each) for (const place of places) console.log(`  ${place}`);
  }
}
