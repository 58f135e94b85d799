import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';
import { objectsOf } from '../../src/wire/json-values.ts';
import { asksStream, dialectAt } from '../support/provider-dialects.ts';

const searching = { type: 'search', query: 'rivers' };

/** What the scripted model says in one turn. */
export type ScriptedTurn = { readonly text: string } | { readonly tool: string; readonly input: object };

/** An answer in the format in which it was asked for. */
export function answering(request: SeenRequest, said: ScriptedTurn): Script {
  const streamed = asksStream(request);
  if (request.url.startsWith('/v1/responses')) return responsesAnswer(request, said);
  const { opening, text, call, closing, whole } = dialectAt(request.url);
  const id = `call_${Math.random().toString(36).slice(2)}`;
  if (!streamed)
    return {
      body: 'text' in said ? whole(said.text) : whole('', { id, name: said.tool, json: inputOf(said) }),
    };
  const content = 'text' in said ? text(said.text) : call({ id, name: said.tool }, inputOf(said));
  return { chunks: [opening, content, closing('text' in said ? 'said' : 'called')] };
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
  const item =
    'text' in said
      ? {
          type: 'message',
          id: `msg_${id}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: said.text, annotations: [] }],
        }
      : {
          type: 'function_call',
          id: `fc_${id}`,
          call_id: `call_${id}`,
          name: said.tool,
          arguments: inputOf(said),
          status: 'completed',
        };
  const usage = {
    ...{ input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  };
  const shell = { id: `resp_${id}`, object: 'response', created_at: 1, model: 'gpt-5-codex', output: [] };
  const response = { ...shell, status: 'completed', output: [...before, item], usage };
  if (!asksStream(request)) return { body: response };
  const output_index = before.length;
  const place = { item_id: item.id, output_index };
  const delta =
    'text' in said
      ? { type: 'response.output_text.delta', ...place, content_index: 0, delta: said.text }
      : { type: 'response.function_call_arguments.delta', ...place, delta: inputOf(said) };
  const empty = 'text' in said ? { ...item, content: [] } : { ...item, arguments: '' };
  const events = [
    { type: 'response.created', response: { ...shell, status: 'in_progress' } },
    ...before.flatMap((one, at) => [
      { type: 'response.output_item.added', output_index: at, item: { ...one, status: 'in_progress' } },
      { type: 'response.web_search_call.searching', output_index: at, item_id: one.id },
      { type: 'response.output_item.done', output_index: at, item: one },
    ]),
    { type: 'response.output_item.added', output_index, item: { ...empty, status: 'in_progress' } },
    ...('text' in said
      ? [
          {
            type: 'response.content_part.added',
            ...place,
            content_index: 0,
            part: { type: 'output_text', text: '', annotations: [] },
          },
        ]
      : []),
    delta,
    { type: 'response.output_item.done', output_index, item },
    { type: 'response.completed', response },
  ];
  return {
    chunks: events.map(
      (event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`,
    ),
  };
}
