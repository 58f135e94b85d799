import type { JsonObject } from '../../../../src/lib/json.ts';
import { objectOf, objectsOf, stringOf } from '../../../../src/wire/json-values.ts';
import { hasFieldsBeyond, isPaired, messagesOf, type Refusal, unpaired } from './refusal.ts';

/** Converse: API reference of the runtime, with its notes on makers; what its users report of ValidationException. */
export const converseRefusals: readonly Refusal[] = [
  { what: unpaired, refused: (_, asked) => !isPaired(asked) },
  { what: 'fields it does not know', refused: (body) => hasFieldsBeyond(body, known) },
  {
    what: 'no turn, or a first one of the assistant',
    refused: (body) => messagesOf(body)[0]?.role !== 'user',
  },
  {
    what: 'one side twice in a row',
    refused: (body) => messagesOf(body).some(({ role }, at, all) => all[at - 1]?.role === role),
  },
  {
    what: 'blank text, or nothing',
    refused: (body) =>
      messagesOf(body).some(({ content }) => objectsOf(content).length === 0) ||
      [...partsOf(body), ...objectsOf(body.system)].some(({ text }) => stringOf(text)?.trim() === ''),
  },
  {
    what: 'ids and names of calls in other letters',
    refused: (body) =>
      partsIn(body, 'toolUse').some(({ toolUseId, name }) => !isWord(toolUseId) || !isWord(name)),
  },
  {
    what: 'calls without any tools',
    refused: (body) =>
      body.toolConfig === undefined &&
      partsOf(body).some((part) => 'toolUse' in part || 'toolResult' in part),
  },
  {
    what: 'inputs that are no objects',
    refused: (body) => partsIn(body, 'toolUse').some(({ input }) => objectOf(input) === undefined),
  },
  {
    what: 'schemas of anything but objects',
    refused: (body) => schemasIn(body).some(({ type }) => type !== 'object'),
  },
  {
    what: 'more in a schema than three fields',
    models: /amazon\.nova/,
    refused: (body) => schemasIn(body).some((schema) => hasFieldsBeyond(schema, novas)),
  },
  {
    what: 'to be told which tool to call',
    models: /llama/,
    refused: (body) => objectOf(body.toolConfig)?.toolChoice !== undefined,
  },
  {
    what: 'anything beside results',
    models: /llama|mistral/,
    refused: (body) =>
      messagesOf(body).some(({ content }) => {
        const results = objectsOf(content).filter((part) => 'toolResult' in part);
        return results.length > 0 && results.length < objectsOf(content).length;
      }),
  },
  {
    what: 'marks for a cache',
    models: /^(?!.*(claude|nova|^arn))/,
    refused: (body) => JSON.stringify(body).includes('"cachePoint"'),
  },
  {
    what: 'thoughts that it did not sign',
    refused: (body) =>
      partsIn(body, 'reasoningContent').some(
        ({ reasoningText, redactedContent }) =>
          redactedContent === undefined && !stringOf(objectOf(reasoningText)?.signature),
      ),
  },
  {
    what: 'names of documents that are taken, or in other letters',
    refused: (body) => {
      const names = partsIn(body, 'document').map(({ name }) => String(name));
      return (
        new Set(names).size < names.length ||
        !names.every((name) => /^[A-Za-z0-9()[\]-]+( [A-Za-z0-9()[\]-]+)*$/.test(name))
      );
    },
  },
  {
    what: 'documents without words',
    refused: (body) =>
      messagesOf(body).some(({ content }) => {
        const parts = objectsOf(content);
        return parts.some((part) => 'document' in part) && !parts.some((part) => 'text' in part);
      }),
  },
];

const known: ReadonlySet<string> = new Set([
  ...['system', 'messages', 'inferenceConfig', 'toolConfig', 'additionalModelRequestFields'],
]);
const novas: ReadonlySet<string> = new Set(['type', 'properties', 'required']);

function partsOf(body: JsonObject): readonly JsonObject[] {
  return messagesOf(body).flatMap(({ content }) => objectsOf(content));
}

function partsIn(body: JsonObject, kind: string): readonly JsonObject[] {
  return objectsOf(partsOf(body).map((part) => part[kind]));
}

function schemasIn(body: JsonObject): readonly JsonObject[] {
  const tools = objectsOf(objectOf(body.toolConfig)?.tools);
  return objectsOf(tools.map(({ toolSpec }) => objectOf(objectOf(toolSpec)?.inputSchema)?.json));
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(value);
}
