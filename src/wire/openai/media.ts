import type { MediaSource } from '../../kernel/message.ts';

/** The content of a `data:` URL, or the URL itself. */
export function mediaFromUrl(url: string): MediaSource {
  const match = /^data:([^;,]*)((?:;[^;,]*)*),/.exec(url.slice(0, 500));
  if (match === null) return bareMedia(url) ?? { type: 'url', url };
  const [head, mediaType = '', parameters = ''] = match;
  const data = url.slice(head.length);
  if (parameters.endsWith(';base64')) return { type: 'base64', media_type: mediaType, data };
  const text = tryDecodePercent(data);
  return text === undefined
    ? { type: 'url', url }
    : { type: 'text', media_type: mediaType || 'text/plain', data: text };
}

/** Base64 that some clients send without the head of a `data:` URL. */
function bareMedia(data: string): MediaSource | undefined {
  const [, media_type] = typesByStart.find(([start]) => data.startsWith(start)) ?? [];
  return media_type === undefined ? undefined : { type: 'base64', media_type, data };
}

const typesByStart: readonly (readonly [start: string, mediaType: string])[] = [
  ['JVBERi0', 'application/pdf'],
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

function tryDecodePercent(data: string): string | undefined {
  try {
    return decodeURIComponent(data);
  } catch {
    return undefined;
  }
}

/** The URL of a source, unless it is a file at a provider. */
export function urlFromMedia(source: MediaSource): string | undefined {
  switch (source.type) {
    case 'base64':
      return `data:${source.media_type};base64,${source.data}`;
    case 'url':
      return source.url;
    case 'text':
      return `data:${source.media_type};base64,${Buffer.from(source.data).toString('base64')}`;
    default:
      return undefined;
  }
}
