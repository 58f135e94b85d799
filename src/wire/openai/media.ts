import type { MediaSource } from '../../kernel/message.ts';

/** The content of a `data:` URL, or the URL itself. */
export function mediaFromUrl(url: string): MediaSource {
  const match = /^data:([^;,]*)((?:;[^;,]*)*),/.exec(url.slice(0, 500));
  if (match === null) return { type: 'url', url };
  const [head, mediaType = '', parameters = ''] = match;
  const data = url.slice(head.length);
  if (parameters.endsWith(';base64')) return { type: 'base64', media_type: mediaType, data };
  const text = tryDecodePercent(data);
  return text === undefined
    ? { type: 'url', url }
    : { type: 'text', media_type: mediaType || 'text/plain', data: text };
}

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
