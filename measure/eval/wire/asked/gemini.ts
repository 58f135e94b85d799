import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../../../../src/wire/json-values.ts';
import {
  type Media,
  type RequestOutline,
  type Settings,
  type ToolDeclaration,
  type Turn,
  Turns,
  textInside,
} from './asked.ts';

/** Gemini, by the plainest code there is. */
export function askedInGemini(given: JsonObject): RequestOutline {
  const body = objectOf(camel(given)) ?? {};
  const config = objectOf(body.generationConfig) ?? {};
  const others = [
    ...beyond(body, readFields),
    ...beyond(config, readConfig).map((name) => `generationConfig.${name}`),
    ...beyond(objectOf(body.toolConfig) ?? {}, new Set(['functionCallingConfig'])).map(
      (name) => `toolConfig.${name}`,
    ),
  ];
  const system = objectsOf(objectOf(body.systemInstruction)?.parts).flatMap(
    ({ text }) => stringOf(text) ?? [],
  );
  const turns = new Turns();
  const open: { id: string; name: string }[] = [];
  let made = 0;
  for (const content of objectsOf(body.contents)) {
    const turn = turns.of(content.role === 'model' ? 'assistant' : 'user');
    for (const part of objectsOf(content.parts)) {
      const call = objectOf(part.functionCall);
      const response = objectOf(part.functionResponse);
      if (stringOf(part.thoughtSignature)) turn.secrets.push(String(part.thoughtSignature));
      if (call !== undefined) {
        const id = stringOf(call.id) ?? `#${made}`;
        made++;
        open.push({ id, name: String(call.name) });
        turn.calls.push({ id, name: String(call.name), input: call.args ?? {} });
      } else if (response !== undefined) {
        const at = open.findIndex(({ id, name }) => id === response.id || name === response.name);
        const [answered] = at < 0 ? [] : open.splice(at, 1);
        turn.results.push(resultIn(response, stringOf(response.id) ?? answered?.id ?? '#', turn));
      } else if (typeof part.text === 'string')
        (part.thought === true ? turn.thoughts : turn.texts).push(part.text);
      else readMedia(part, turn, others);
    }
  }
  const tools = manyIn(body.tools);
  for (const tool of tools)
    others.push(...Object.keys(tool).filter((name) => tool[name] != null && name !== 'functionDeclarations'));
  return {
    system,
    turns: turns.said(),
    tools: tools.flatMap(({ functionDeclarations }) => manyIn(functionDeclarations)).map(declared),
    settings: settingsOf(body, config),
    others,
    cached: false,
    userFirst: 'before calls',
  };
}

const readFields: ReadonlySet<string> = new Set([
  ...['model', 'stream', 'contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig'],
]);

const readConfig: ReadonlySet<string> = new Set([
  ...['maxOutputTokens', 'temperature', 'topP', 'topK', 'stopSequences', 'thinkingConfig'],
  ...['responseMimeType', 'responseSchema', 'responseJsonSchema', 'responseModalities', 'candidateCount'],
]);

/** One may stand for a list of one. */
function manyIn(value: unknown): readonly JsonObject[] {
  return objectsOf(Array.isArray(value) ? value : [value]);
}

function beyond(object: JsonObject, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(object).filter(
    (name) => object[name] != null && object[name] !== false && !known.has(name),
  );
}

/** Names with underscores are the same names; what stands in arguments, results and schemas is no name of Google's. */
function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const known = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [known, opaque.has(known) ? inner : camel(inner)];
    }),
  );
}

const opaque: ReadonlySet<string> = new Set([
  ...['args', 'response', 'parametersJsonSchema', 'responseJsonSchema', 'parameters', 'responseSchema'],
]);

function resultIn(response: JsonObject, id: string, turn: Turn) {
  const told = objectOf(response.response) ?? {};
  const [name = '', another] = Object.keys(told);
  const isOne = another === undefined && (name === 'output' || name === 'error');
  const said = isOne ? told[name] : told;
  const texts = [typeof said === 'string' ? said : JSON.stringify(said)];
  for (const part of objectsOf(response.parts)) readMedia(part, turn, []);
  return { id, texts, failed: isOne && name === 'error' };
}

function readMedia(part: JsonObject, turn: Turn, others: string[]): void {
  const inline = objectOf(part.inlineData);
  const file = objectOf(part.fileData);
  const type = stringOf((inline ?? file)?.mimeType) ?? '';
  if (inline === undefined && file === undefined) {
    const kind = Object.keys(part).find((name) => !['thought', 'thoughtSignature'].includes(name));
    if (kind !== undefined) others.push(kind);
    return;
  }
  const data = stringOf(inline?.data) ?? stringOf(file?.fileUri) ?? '';
  const media: Media = { kind: type.startsWith('image/') ? 'image' : 'document', type, data };
  const text = inline === undefined ? undefined : textInside(media);
  if (text === undefined) turn.media.push(media);
  else turn.texts.push(text);
}

function declared(tool: JsonObject): ToolDeclaration {
  return {
    name: String(tool.name),
    description: stringOf(tool.description) ?? '',
    schema: tool.parametersJsonSchema ?? schemaOf(tool.parameters) ?? { type: 'object', properties: {} },
    strict: false,
  };
}

/** Google's form of a schema as JSON schema: types in small letters, and `null` among them. */
function schemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(schemaOf);
  if (!isJsonObject(schema)) return schema;
  const { nullable, propertyOrdering: _, property_ordering: __, type, properties, ...rest } = schema;
  const kept = Object.entries(rest).filter(([, value]) => value != null);
  const small = typeof type === 'string' ? type.toLowerCase() : type;
  return {
    ...Object.fromEntries(
      kept.map(([name, value]) => [
        name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        nested.has(name) ? schemaOf(value) : value,
      ]),
    ),
    ...(small != null && { type: nullable === true ? [small, 'null'] : small }),
    ...(isJsonObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, schemaOf(each)]),
      ),
    }),
  };
}

const nested: ReadonlySet<string> = new Set(['items', 'anyOf', 'any_of', 'additionalProperties']);

function settingsOf({ toolConfig }: JsonObject, config: JsonObject): Settings {
  return {
    limit: numberOf(config.maxOutputTokens),
    stop: Array.isArray(config.stopSequences) ? config.stopSequences.map(String) : [],
    temperature: numberOf(config.temperature),
    top_p: numberOf(config.topP),
    top_k: numberOf(config.topK),
    choice: choiceOf(objectOf(objectOf(toolConfig)?.functionCallingConfig)),
    oneCallAtMost: false,
    thinking: thinkingOf(objectOf(config.thinkingConfig)),
    format: formatOf(config),
    user: undefined,
  };
}

function choiceOf(config: JsonObject | undefined): string | undefined {
  const names = Array.isArray(config?.allowedFunctionNames) ? config.allowedFunctionNames : [];
  switch (config?.mode) {
    case 'ANY':
      return names.length === 1 ? `tool:${names[0]}` : 'required';
    case 'NONE':
      return 'none';
    default:
      return config?.mode === undefined ? undefined : 'auto';
  }
}

function thinkingOf(thinking: JsonObject | undefined): Settings['thinking'] {
  const budget = numberOf(thinking?.thinkingBudget);
  if (budget === 0) return 'off';
  return (budget !== undefined && budget > 0) || thinking?.thinkingLevel !== undefined ? 'on' : undefined;
}

function formatOf(config: JsonObject): unknown {
  const schema = config.responseJsonSchema ?? schemaOf(config.responseSchema);
  if (schema != null) return schema;
  return config.responseMimeType === 'application/json' ? 'json_object' : undefined;
}
