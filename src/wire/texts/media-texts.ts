import { mediaFromUrl, urlFromMedia } from '../openai/media.ts';
import type { UnscannedPart } from './text-place.ts';

/** Whether a file of this media type is text. */
export function isTextType(type: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|x-yaml|toml|javascript|sql|csv|x-ndjson)$|\+(json|xml)$/.test(
    type,
  );
}

export function unscannedKindOf(mediaType: string): UnscannedPart['kind'] {
  const [kind] = mediaType.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

/** Maps a text that is encoded as Base64; the same string if it does not change. */
export function mapBase64Text(data: string, map: (text: string) => string): string {
  const text = Buffer.from(data, 'base64').toString('utf8');
  const mapped = map(text);
  return mapped === text ? data : Buffer.from(mapped).toString('base64');
}

/** Maps the text of a `data:` URL, or the address itself; undefined for media that is not text. */
export function mapUrl(url: string, map: (text: string) => string): string | undefined {
  const source = mediaFromUrl(url);
  switch (source.type) {
    case 'base64': {
      if (!isTextType(source.media_type)) return undefined;
      const data = mapBase64Text(source.data, map);
      return data === source.data ? url : urlFromMedia({ ...source, data });
    }
    case 'text': {
      const data = map(source.data);
      return data === source.data ? url : urlFromMedia({ ...source, data });
    }
    default:
      return map(url);
  }
}
