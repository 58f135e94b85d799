import type { WireFormat } from '../../kernel/wire-format.ts';

/** The model, and what is wanted of it, stand in the path: `/v1beta/models/gemini-2.5-flash:generateContent`. */
export const modelInPath: Pick<WireFormat, 'asked' | 'naming' | 'address'> = {
  asked(_fields, path) {
    const { model, verb } = pathParts(path);
    return { model, stream: verb === streaming };
  },
  naming: () => ({}),
  address: (model, streamed, query) =>
    `/v1beta/models/${written(model)}:${streamed ? streaming : 'generateContent'}${streamed ? withEvents(query) : withoutLayout(query)}`,
};

export function countAddress(model: string, query: string): string {
  return `/v1beta/models/${written(model)}:countTokens${query}`;
}

/** Whether a stream is wanted as a list, which is what one gets without asking for events. */
export function asksList(path: string, query: string): boolean {
  return pathParts(path).verb === streaming && !asksEvents(query);
}

const streaming = 'streamGenerateContent';

interface PathParts {
  readonly model: string | undefined;
  readonly verb: string | undefined;
}

/** Names of models may have slashes and colons in them. */
function pathParts(path: string): PathParts {
  const [, model, verb] = /\/models\/(.+):(\w+)\/?$/.exec(path) ?? [];
  return { model: model === undefined ? undefined : unescaped(model), verb };
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function written(model: string): string {
  return model.split('/').map(encodeURIComponent).join('/');
}

function asksEvents(query: string): boolean {
  const asked = new URLSearchParams(query);
  return asked.get('alt') === 'sse' || asked.get('$alt') === 'sse';
}

function withEvents(query: string): string {
  const rest = withoutLayout(query);
  return rest === '' ? '?alt=sse' : `${rest}&alt=sse`;
}

/** `$alt` is its other name: https://cloud.google.com/apis/docs/system-parameters. */
function withoutLayout(query: string): string {
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !/^(\$|%24)?alt=/i.test(pair));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}
