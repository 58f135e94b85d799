import { readAuthParams } from '../../payments/auth-params.ts';

/** What a server asks for with `www-authenticate`. */
export interface BearerChallenge {
  readonly resourceMetadata: string | undefined;
  readonly scope: string | undefined;
  readonly error: string | undefined;
}

/** The first challenge of the scheme `Bearer`; undefined if there is none. */
export function readBearerChallenge(header: string | null | undefined): BearerChallenge | undefined {
  const begin = header?.slice(0, 8000).match(/(?:^|,)\s{0,10}bearer(?:\s|$)/i);
  if (header == null || begin?.index === undefined) return undefined;
  const params = readAuthParams(withoutNextScheme(header.slice(begin.index + begin[0].length)));
  return {
    resourceMetadata: params?.get('resource_metadata'),
    scope: params?.get('scope'),
    error: params?.get('error'),
  };
}

/** Another scheme begins where a name is followed by a blank and no equals sign. */
function withoutNextScheme(text: string): string {
  const next = text.slice(0, 8000).search(/,\s{0,10}[\w-]{1,50}\s{1,10}[\w-]{1,50}\s{0,10}=/);
  return next < 0 ? text : text.slice(0, next);
}
