/** A block of a message in the shape of Anthropic Messages. Content is whatever a client sent, so nothing is taken for granted. */
export type Block = Readonly<Record<string, unknown>>;

export interface ShownMessage {
  readonly role: string;
  readonly blocks: readonly Block[];
}

export function isObject(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, undefined, 2);
}

/** Content is a text or a list of blocks. */
export function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

export function messagesOf(request: unknown): readonly ShownMessage[] {
  const messages = isObject(request) && Array.isArray(request.messages) ? request.messages : [];
  return messages
    .filter(isObject)
    .map(({ role, content }) => ({ role: textIn(role), blocks: blocksOf(content) }));
}

/** The results of tools by the id of their call, to be shown beside it. */
export function resultsIn(messages: readonly ShownMessage[]): ReadonlyMap<unknown, Block> {
  const results = messages.flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'tool_result'));
  return new Map(results.map((block) => [block.tool_use_id, block]));
}

/** The ids of the calls that a conversation has. */
export function callsIn(messages: readonly ShownMessage[]): ReadonlySet<unknown> {
  return new Set(
    messages.flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id)),
  );
}

const shownImages = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const imageCharactersMax = 8_000_000;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The address of an image whose data is in the conversation; undefined for one that a browser would have to fetch. */
export function imageAddress(source: unknown): string | undefined {
  if (!isObject(source) || source.type !== 'base64') return undefined;
  const { media_type: type, data } = source;
  if (typeof type !== 'string' || !shownImages.includes(type) || typeof data !== 'string') return undefined;
  return data.length <= imageCharactersMax && base64.test(data) ? `data:${type};base64,${data}` : undefined;
}
