import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';
import { objectsOf } from '../../src/wire/json-values.ts';
import { asksStream, dialectAt } from '../support/provider-dialects.ts';

const searching = { type: 'search', query: 'rivers' };

/** What the scripted model says in one turn. */
export type ScriptedTurn = { readonly text: string } | ScriptedCall;

interface ScriptedCall {
  readonly tool: string;
  /** What Codex groups the tools of a server by. */
  readonly namespace?: string | undefined;
  readonly input: object;
  /** How many times in the same answer; once by default. */
  readonly times?: number;
}

/** An answer in the format in which it was asked for. */
export function answering(request: SeenRequest, said: ScriptedTurn): Script {
  const streamed = asksStream(request);
  if (request.url.startsWith('/v1/responses')) return responsesAnswer(request, said);
  const { opening, text, call, closing, whole } = dialectAt(request.url);
  if ('text' in said)
    return streamed ? { chunks: [opening, text(said.text), closing('said')] } : { body: whole(said.text) };
  const json = inputOf(said);
  const uses = callIds(said).map((id, nth) => ({ id, name: said.tool, nth }));
  return streamed
    ? { chunks: [opening, ...uses.map((use) => call(use, json)), closing('called')] }
    : { body: whole('', ...uses.map((use) => ({ ...use, json }))) };
}

function callIds({ times = 1 }: ScriptedCall): readonly string[] {
  return Array.from({ length: times }, () => `call_${Math.random().toString(36).slice(2)}`);
}

/** A stream that breaks off in the middle of a sentence. */
export function brokenOff(request: SeenRequest): Script {
  const { chunks = [], ...script } = answering(request, { text: 'The word in the file is' });
  const begun = chunks.slice(0, request.url.startsWith('/v1/responses') ? 4 : 2);
  // The sentence is not over either.
  const open = begun.map((chunk) =>
    typeof chunk === 'string' ? chunk.replace(/event: content_block_stop.*$/s, '') : chunk,
  );
  return { ...script, chunks: open, ending: 'cut' };
}

/** The same answer of a model that thinks first; Gemini signs its calls. */
export function thinkingFirst({ url }: SeenRequest, { chunks = [], ...script }: Script): Script {
  const { opening } = dialectAt(url);
  const isGemini = url.startsWith('/v1beta/');
  const thought = isGemini
    ? opening.replace('"parts":[]', '"parts":[{"text":"A file.","thought":true}]')
    : opening.replace('"content":""', '"reasoning_content":"A file."');
  const signed = chunks.map((chunk) =>
    typeof chunk === 'string'
      ? chunk.replace('{"functionCall"', '{"thoughtSignature":"c2lnbmVk","functionCall"')
      : chunk,
  );
  return { ...script, chunks: [thought, ...signed] };
}

function inputOf({ input }: { readonly input: object }): string {
  return JSON.stringify(input);
}

/** Whether the provider is to search the web for the model, which it then does before each call. */
export function searchesWeb({ tools }: SeenRequest['json']): boolean {
  return objectsOf(tools).some(({ type }) => type === 'web_search');
}

function responsesAnswer(request: SeenRequest, said: ScriptedTurn): Script {
  const id = Math.random().toString(36).slice(2);
  const search = { type: 'web_search_call', id: `ws_${id}`, status: 'completed', action: searching };
  const before = 'tool' in said && searchesWeb(request.json) ? [search] : [];
  const items =
    'text' in said
      ? [
          {
            type: 'message',
            id: `msg_${id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: said.text, annotations: [] }],
          },
        ]
      : callIds(said).map((call_id) => ({
          type: 'function_call',
          id: `fc_${call_id}`,
          call_id,
          name: said.tool,
          ...(said.namespace !== undefined && { namespace: said.namespace }),
          arguments: inputOf(said),
          status: 'completed',
        }));
  const usage = {
    ...{ input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  };
  const shell = { id: `resp_${id}`, object: 'response', created_at: 1, model: 'gpt-5-codex', output: [] };
  const response = { ...shell, status: 'completed', output: [...before, ...items], usage };
  if (!asksStream(request)) return { body: response };
  const events = [
    { type: 'response.created', response: { ...shell, status: 'in_progress' } },
    ...before.flatMap((one, at) => [
      { type: 'response.output_item.added', output_index: at, item: { ...one, status: 'in_progress' } },
      { type: 'response.web_search_call.searching', output_index: at, item_id: one.id },
      { type: 'response.output_item.done', output_index: at, item: one },
    ]),
    ...items.flatMap((item, at) => itemEvents(said, item, before.length + at)),
    { type: 'response.completed', response },
  ];
  return {
    chunks: events.map(
      (event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`,
    ),
  };
}

/** The events of a message or a call. */
function itemEvents(
  said: ScriptedTurn,
  item: { readonly id: string },
  output_index: number,
): readonly ({ readonly type: string } & Readonly<Record<string, unknown>>)[] {
  const place = { item_id: item.id, output_index };
  const added = (empty: object) => ({
    type: 'response.output_item.added',
    output_index,
    item: { ...item, ...empty, status: 'in_progress' },
  });
  const done = { type: 'response.output_item.done', output_index, item };
  if (!('text' in said)) {
    const type = 'response.function_call_arguments.delta';
    return [added({ arguments: '' }), { type, ...place, delta: inputOf(said) }, done];
  }
  const part = { type: 'output_text', text: '', annotations: [] };
  return [
    added({ content: [] }),
    { type: 'response.content_part.added', ...place, content_index: 0, part },
    { type: 'response.output_text.delta', ...place, content_index: 0, delta: said.text },
    done,
  ];
}
