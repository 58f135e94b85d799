import type { JsonObject } from '../../../../src/lib/json.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../../../../src/wire/json-values.ts';
import { type RequestOutline, resultOf, type Turn, Turns, unread } from './asked.ts';

/** Converse, by the plainest code there is. */
export function askedInConverse(body: JsonObject): RequestOutline {
  const others: string[] = [...unread(body, readFields)];
  const turns = new Turns();
  for (const { role, content } of objectsOf(body.messages)) {
    const turn = turns.of(role === 'assistant' ? 'assistant' : 'user');
    const parts = objectsOf(content);
    const names = parts.flatMap(({ document }) => stringOf(objectOf(document)?.name) ?? []);
    // A document may not stand alone: its name is said beside it.
    for (const part of parts) if (!names.includes(String(part.text))) readPart(part, turn, others);
  }
  const { tools, toolChoice } = objectOf(body.toolConfig) ?? {};
  const config = objectOf(body.inferenceConfig) ?? {};
  const more = objectOf(body.additionalModelRequestFields);
  return {
    system: objectsOf(body.system).flatMap(({ text }) => stringOf(text) ?? []),
    turns: turns.said(),
    tools: objectsOf(tools).flatMap(({ toolSpec }) => objectsOf([toolSpec]).map(declared)),
    settings: {
      limit: numberOf(config.maxTokens),
      stop: Array.isArray(config.stopSequences) ? config.stopSequences.map(String) : [],
      temperature: numberOf(config.temperature),
      top_p: numberOf(config.topP),
      top_k: undefined,
      choice: choiceOf(objectOf(toolChoice)),
      oneCallAtMost: false,
      thinking: thinkingOf(more),
      format: undefined,
      user: undefined,
    },
    others,
    userFirst: 'always',
    cached: /"cachePoint":\{/.test(JSON.stringify(body)),
  };
}

/** A document may not stand alone: its name is said beside it. */
function withoutNames(content: unknown): readonly JsonObject[] {
  const parts = objectsOf(content);
  const names = parts.flatMap(({ document }) => stringOf(objectOf(document)?.name) ?? []);
  return parts.filter(({ text }) => !names.includes(String(text)));
}

const readFields: ReadonlySet<string> = new Set([
  ...['system', 'messages', 'inferenceConfig', 'toolConfig', 'additionalModelRequestFields'],
]);

function readPart(part: JsonObject, turn: Turn, others: string[]): void {
  const call = objectOf(part.toolUse);
  const result = objectOf(part.toolResult);
  const thought = objectOf(part.reasoningContent);
  if (typeof part.text === 'string') turn.texts.push(part.text);
  else if (call !== undefined)
    turn.calls.push({ id: String(call.toolUseId), name: String(call.name), input: call.input });
  else if (result !== undefined) readResult(result, turn);
  else if (part.image !== undefined || part.document !== undefined) readMedia(part, turn);
  else if (typeof thought?.redactedContent === 'string') turn.secrets.push(thought.redactedContent);
  else if (thought !== undefined) turn.thoughts.push(String(objectOf(thought.reasoningText)?.text));
  else if (part.cachePoint === undefined) others.push(...Object.keys(part));
}

function readResult(result: JsonObject, turn: Turn): void {
  const texts: string[] = [];
  for (const part of withoutNames(result.content))
    if (typeof part.text === 'string') texts.push(said(part.text));
    else readMedia(part, { ...turn, texts });
  const read = resultOf(result.toolUseId, texts);
  turn.results.push({ ...read, failed: read.failed || result.status === 'error' });
}

/** What stands for nothing, and for a picture that stands beside it. */
function said(text: string): string {
  return text === '(empty)' || text === '(image)' ? '' : text;
}

function readMedia(part: JsonObject, turn: Pick<Turn, 'texts' | 'media'>): void {
  const kind = part.image === undefined ? 'document' : 'image';
  const media = objectOf(part[kind]) ?? {};
  const data = String(objectOf(media.source)?.bytes);
  if (['txt', 'md', 'csv', 'html'].includes(String(media.format)))
    turn.texts.push(titleOf(media), Buffer.from(data, 'base64').toString('utf8'));
  else turn.media.push({ kind, type: String(media.format), data });
}

/** One that has no other is called a document. */
function titleOf({ name }: JsonObject): string {
  return String(name).replace(/^document( \d+)?$/, '');
}

function declared({ name, description, inputSchema }: JsonObject) {
  return {
    name: String(name),
    description: stringOf(description) ?? '',
    schema: objectOf(inputSchema)?.json,
    strict: false,
    isRewritten: true,
  };
}

function choiceOf(choice: JsonObject | undefined): string | undefined {
  if (choice === undefined) return undefined;
  const tool = objectOf(choice.tool);
  return tool === undefined ? 'required' : `tool:${tool.name}`;
}

function thinkingOf(more: JsonObject | undefined): 'on' | 'off' | undefined {
  if (more === undefined) return undefined;
  return more.reasoning_effort === 'none' || objectOf(more.reasoningConfig)?.type === 'disabled'
    ? 'off'
    : 'on';
}
