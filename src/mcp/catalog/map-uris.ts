import { isJsonObject, type JsonObject } from '../../lib/json.ts';

/** Maps the addresses of resources in a result: links, embedded resources and contents. */
export function mapUris(result: JsonObject, map: (uri: string) => string): JsonObject {
  const { content, contents, messages } = result;
  if (content === undefined && contents === undefined && messages === undefined) return result;
  return {
    ...result,
    ...(Array.isArray(content) && { content: content.map((block) => mapBlock(block, map)) }),
    ...(Array.isArray(contents) && { contents: contents.map((entry) => mapUri(entry, map)) }),
    ...(Array.isArray(messages) && {
      messages: messages.map((message) =>
        isJsonObject(message) ? { ...message, content: mapBlock(message.content, map) } : message,
      ),
    }),
  };
}

function mapBlock(block: unknown, map: (uri: string) => string): unknown {
  if (!isJsonObject(block)) return block;
  if (block.type === 'resource_link') return mapUri(block, map);
  return block.type === 'resource' ? { ...block, resource: mapUri(block.resource, map) } : block;
}

function mapUri(value: unknown, map: (uri: string) => string): unknown {
  return isJsonObject(value) && typeof value.uri === 'string' ? { ...value, uri: map(value.uri) } : value;
}
