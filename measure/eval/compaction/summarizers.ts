import type { Message } from '../../../src/kernel/message.ts';
import { blocksOf } from '../../../src/kernel/message-blocks.ts';
import { scoreSalience } from '../../../src/lib/passages/salience.ts';
import { splitIntoUnits } from '../../../src/lib/passages/units.ts';

/** A way to summarize a conversation without a model. */
export interface Summarizer {
  readonly name: string;
  summarize(messages: readonly Message[]): string;
}

const extractChars = 4000;

export const summarizers: readonly Summarizer[] = [
  {
    name: 'nothing',
    summarize: ({ length }) =>
      `The conversation of ${length} messages was too long and had to be left out here.`,
  },
  { name: 'last answer', summarize: (messages) => textsOf(messages, 'assistant').at(-1) ?? '' },
  {
    name: 'salient sentences',
    summarize(messages) {
      const units = textsOf(messages, 'assistant')
        .concat(textsOf(messages, 'user'))
        .flatMap((text) =>
          splitIntoUnits(text).map(({ start, end }) => text.slice(start, end).slice(0, 300)),
        );
      const scores = scoreSalience(units.map((text) => ({ text, followsQuestion: false })));
      const ranked = units
        .map((text, at) => ({ text, at, score: scores[at] ?? 0 }))
        .sort((one, other) => other.score - one.score);
      let chars = 0;
      const chosen = ranked.filter(({ text }) => {
        chars += text.length;
        return chars <= extractChars;
      });
      return chosen
        .sort((one, other) => one.at - other.at)
        .map(({ text }) => `- ${text.replaceAll('\n', ' ')}`)
        .join('\n');
    },
  },
  {
    name: 'headings',
    summarize(messages) {
      const [users, answers] = [textsOf(messages, 'user'), textsOf(messages, 'assistant')];
      const paths = [...new Set(messages.flatMap(pathsIn))].slice(-8);
      return [
        ...['## Goal', users.at(-1)?.slice(0, 300)],
        ...[
          '## Progress',
          ...answers.slice(-6).map((text) => `- ${(text.split('\n')[0] ?? '').slice(0, 200)}`),
        ],
        ...['## Relevant Files', ...paths.map((path) => `- ${path}`)],
      ].join('\n');
    },
  },
];

function textsOf(messages: readonly Message[], role: Message['role']): readonly string[] {
  return messages
    .filter((message) => message.role === role)
    .flatMap((message) => blocksOf(message).flatMap((block) => (block.type === 'text' ? [block.text] : [])))
    .filter((text) => text.trim() !== '');
}

function pathsIn(message: Message): readonly string[] {
  return blocksOf(message).flatMap((block) => {
    if (block.type !== 'tool_use') return [];
    const { path } = Object(block.input);
    return typeof path === 'string' ? [path] : [];
  });
}
