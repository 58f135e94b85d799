import fc from 'fast-check';
import type {
  Block,
  ChatRequest,
  Message,
  ThinkingBlock,
  ToolUseBlock,
} from '../../../src/kernel/message.ts';

const word = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.trim() !== '');
const text = word.map((value): Block => ({ type: 'text', text: value }));
const base64 = fc.base64String({ minLength: 4 });
/** fc.webUrl() lists all of Unicode first, which takes a second and 90 MB. */
const pictureUrl = word.map((name) => `https://pictures.example.com/${encodeURIComponent(name)}`);

const media: fc.Arbitrary<Block> = fc.oneof(
  base64.map((data): Block => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })),
  pictureUrl.map((url): Block => ({ type: 'image', source: { type: 'url', url } })),
  base64.map(
    (data): Block => ({
      type: 'document',
      title: 'a.pdf',
      source: { type: 'base64', media_type: 'application/pdf', data },
    }),
  ),
);

/** A user turn: text, or text with pictures. A single text is a string. */
const userTurn: fc.Arbitrary<Message['content']> = fc.oneof(
  word,
  fc.tuple(text, fc.array(media, { minLength: 1, maxLength: 3 })).map(([first, rest]) => [first, ...rest]),
);

/** As parsed from JSON: without negative zero, and with ordinary prototypes. */
export const toolInput = fc
  .dictionary(
    fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
    fc.jsonValue({ maxDepth: 2 }),
    { noNullPrototype: true },
  )
  .map((input): Record<string, unknown> => JSON.parse(JSON.stringify(input)));
const toolUses = fc.array(fc.tuple(fc.constantFrom('weather', 'now', 'search'), toolInput), {
  minLength: 1,
  maxLength: 3,
});

interface AssistantTurn {
  readonly thinking: ThinkingBlock | undefined;
  readonly text: string | undefined;
  readonly uses: readonly (readonly [string, Record<string, unknown>])[];
  readonly results: readonly (readonly [string, boolean])[];
  readonly next: Message['content'];
}

function assistantTurn(thinking: fc.Arbitrary<ThinkingBlock>): fc.Arbitrary<AssistantTurn> {
  const results = fc.array(fc.tuple(word, fc.boolean()), { minLength: 3, maxLength: 3 });
  return fc.oneof(
    fc.record({
      thinking: fc.option(thinking, { nil: undefined }),
      text: fc.option(word, { nil: undefined }),
      uses: toolUses,
      results,
      next: userTurn,
    }),
    fc.record({
      thinking: fc.option(thinking, { nil: undefined }),
      text: word,
      uses: fc.constant([]),
      results,
      next: userTurn,
    }),
  );
}

function* messagesOf(first: Message['content'], turns: readonly AssistantTurn[]): Generator<Message> {
  yield { role: 'user', content: first };
  for (const [turn, { thinking, text, uses, results, next }] of turns.entries()) {
    const calls = uses.map(
      ([name, input], at): ToolUseBlock => ({ type: 'tool_use', id: `call_${turn}_${at}`, name, input }),
    );
    const content: Block[] = [
      ...(thinking === undefined ? [] : [thinking]),
      ...(text === undefined ? [] : [{ type: 'text', text } as const]),
      ...calls,
    ];
    const alone = content.length === 1 && text !== undefined;
    yield { role: 'assistant', content: alone ? text : content };
    if (calls.length === 0) {
      yield { role: 'user', content: next };
      continue;
    }
    const answers = calls.map(({ id }, at): Block => {
      const [result = '', failed = false] = results[at] ?? [];
      return { type: 'tool_result', tool_use_id: id, content: result, ...(failed && { is_error: true }) };
    });
    yield {
      role: 'user',
      content: [...answers, ...(typeof next === 'string' ? [{ type: 'text', text: next } as const] : next)],
    };
  }
}

const fields = fc.record(
  {
    system: word,
    max_tokens: fc.integer({ min: 1, max: 100_000 }),
    temperature: fc.constantFrom(0, 0.5, 1),
    top_p: fc.constantFrom(0.1, 0.9),
    stop_sequences: fc.array(word, { minLength: 1, maxLength: 3 }),
    metadata: fc.string({ minLength: 1, maxLength: 60 }).map((user_id) => ({ user_id })),
    tools: fc.constant([
      { name: 'weather', description: 'd', input_schema: { type: 'object', properties: {} } },
    ]),
  },
  { requiredKeys: [], noNullPrototype: true },
);

export interface ConversationOptions {
  readonly model: string;
  readonly thinking: fc.Arbitrary<ThinkingBlock>;
  readonly turnsMax: number;
}

/** Conversations with tools, pictures and thinking. */
export function conversations({ model, thinking, turnsMax }: ConversationOptions): fc.Arbitrary<ChatRequest> {
  const messages = fc
    .tuple(userTurn, fc.array(assistantTurn(thinking), { maxLength: turnsMax }))
    .map(([first, turns]) => [...messagesOf(first, turns)]);
  return fc.tuple(fields, messages).map(([rest, list]) => ({ model, messages: list, ...rest }));
}

export const signedThinking = fc
  .tuple(fc.string(), base64)
  .map(([thinking, signature]): ThinkingBlock => ({ type: 'thinking', thinking, signature }));
export const plainThinking = word.map((thinking): ThinkingBlock => ({ type: 'thinking', thinking }));
