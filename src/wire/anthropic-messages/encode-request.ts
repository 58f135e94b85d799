import { type Acceptance, everything } from '../../kernel/acceptance.ts';
import type { ChatRequest, OutputConfig, Tool } from '../../kernel/message.ts';
import { patchJson } from '../../kernel/patch-json.ts';
import type { Received } from '../../kernel/received.ts';
import type { EncodedRequest } from '../../kernel/wire-format.ts';
import { acceptedChoice, withoutRefused } from '../accepted.ts';
import { withAcceptedFormat } from '../accepted-format.ts';
import { changedFields } from '../changed-fields.ts';
import { checkCrossing } from '../check-crossing.ts';
import { refuse } from '../check-messages.ts';
import { checkTranslatable } from '../check-translatable.ts';
import { listOf } from '../dropped.ts';
import { fieldsLeftBehind, foreignOf } from '../foreign.ts';
import { defined, objectOf, stringOf } from '../read.ts';
import { acceptedSchema } from './accepted-schema.ts';
import { encodeMessages, isBlank } from './encode-messages.ts';
import { type Generation, generationOf } from './generation.ts';
import { plainMessages } from './plain-blocks.ts';
import { thoughtOf } from './thinking.ts';

export function encodeRequest(
  request: ChatRequest,
  received?: Received,
  accepts: Acceptance = everything,
): EncodedRequest {
  return received === undefined
    ? translate(request, accepts)
    : { body: patch(request, received), dropped: [] };
}

function patch(request: ChatRequest, received: Received): Uint8Array {
  const now = new Map<string, unknown>(Object.entries(request));
  const changed = changedFields(request, received.request);
  if (changed.includes('messages')) now.set('messages', plainMessages(request.messages));
  return patchJson(received.fields, Object.fromEntries(changed.map((field) => [field, now.get(field)])));
}

/** A request that came in another format, or was made here. */
function translate(said: ChatRequest, accepts: Acceptance): EncodedRequest {
  checkTranslatable(said);
  checkCrossing(said, 'anthropic-messages');
  const dropped = new Set(fieldsLeftBehind(said, 'anthropic-messages'));
  const asked = withAcceptedFormat(said, accepts, dropped);
  const generation = generationOf(asked.model);
  const conversation = conversationOf(asked, generation, dropped);
  const { thinking, effort, max_tokens } = thoughtOf(
    { ...asked, messages: conversation.messages },
    generation,
    dropped,
  );
  const thinks = thinking != null && thinking.type !== 'disabled';
  const samples = generation.samples && !thinks;
  const request = samples ? withoutRefused(asked, accepts, { thinks, dropped }) : asked;
  const tools = toolsOf(request, dropped);
  const body = {
    ...request,
    ...conversation,
    ...samplingOf(request, samples, dropped),
    tools,
    tool_choice: acceptedChoice(
      request.tool_choice,
      (tools ?? []).map(({ name }) => name),
      dropped,
    ),
    thinking,
    output_config: outputConfigOf(request.output_config, effort, dropped),
    max_tokens,
    extensions: undefined,
  };
  return { body: Buffer.from(JSON.stringify(defined(body))), dropped: listOf(dropped) };
}

/** A conversation must have a first turn: instructions alone are it. */
function conversationOf(request: ChatRequest, generation: Generation, dropped: Set<string>) {
  const system = instructionsOf(request);
  const messages = encodeMessages(request.messages, generation, dropped);
  if (messages.length > 0) return { system, messages };
  if (system === undefined) throw refuse('messages', 'at least one message must have content');
  return { system: undefined, messages: [{ role: 'user', content: system } as const] };
}

/** None of them blank, which is refused; what isn't text is for the provider to judge. */
function instructionsOf({ system }: ChatRequest): ChatRequest['system'] {
  if (typeof system === 'string') return isBlank(system) ? undefined : system;
  const blocks = system?.filter(({ text }) => stringOf(text) === undefined || !isBlank(text));
  return blocks?.length === 0 ? undefined : blocks;
}

/** Names and strictness are not said here: every schema is held to. */
function outputConfigOf(config: OutputConfig | undefined, effort: string | undefined, dropped: Set<string>) {
  const { format, effort: _, ...rest } = config ?? {};
  if (format != null && format.type !== 'json_schema') dropped.add('output_config.format');
  const schema = format?.type === 'json_schema' ? acceptedSchema(format.schema ?? {}) : undefined;
  const kept = defined({
    ...rest,
    effort,
    format: schema === undefined ? undefined : { type: 'json_schema', schema },
  });
  return Object.keys(kept).length > 0 ? kept : undefined;
}

function toolsOf(request: ChatRequest, dropped: Set<string>): ChatRequest['tools'] {
  const tools = request.tools?.flatMap((tool): readonly Tool[] => {
    const foreign = foreignOf(tool);
    if (foreign !== undefined) dropped.add(`tools[].${foreign.kind}`);
    if (foreign !== undefined) return [];
    const input_schema = tool.strict === true ? objectOf(acceptedSchema(tool.input_schema)) : undefined;
    return [input_schema === undefined ? tool : { ...tool, input_schema }];
  });
  return tools?.length === 0 ? undefined : tools;
}

/** The scale ends at 1 here, where others go to 2; and some models don't let themselves be steered at all. */
function samplingOf(request: ChatRequest, allowed: boolean, dropped: Set<string>) {
  const { temperature, top_p, top_k } = request;
  if (allowed) {
    if (temperature !== undefined && temperature > 1) dropped.add('temperature');
    return { temperature: temperature == null ? undefined : Math.min(temperature, 1) };
  }
  for (const [field, value] of Object.entries({ temperature, top_p, top_k }))
    if (value !== undefined && !(field !== 'top_k' && value === 1)) dropped.add(field);
  return { temperature: undefined, top_p: undefined, top_k: undefined };
}
