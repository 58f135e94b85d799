import type { LoggedCall } from '../../api/queries.ts';
import { question } from '../../parts/chat/chat.ts';
import { curl, formatNamed } from '../../parts/formats.ts';

/** The same call with words of one's own, since the log has none; undefined for what is no conversation. */
export function curlFor(
  { wire_format: format, model, streamed, pipeline, account_id: account }: LoggedCall,
  asksToken: boolean,
): string | undefined {
  const known = formatNamed(format);
  if (known === undefined) return undefined;
  const request = { ...question('…'), maxTokens: 1024, model, streamed };
  return curl({
    origin: location.origin,
    path: known.path(request),
    body: known.body(request),
    pipeline: pipeline === '' ? undefined : pipeline,
    secret: account !== 'local' ? 'WEIR_KEY' : asksToken ? 'WEIR_LOCAL_TOKEN' : undefined,
  });
}
