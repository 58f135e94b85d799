import type { LoggedCall } from '../../api/queries.ts';
import { bodyOf, curl, isFormat, pathOf } from '../../parts/formats.ts';

/** The same call with words of one's own, since the log has none; undefined for what is no conversation. */
export function curlFor(
  { wire_format: format, model, streamed, pipeline, account_id: account }: LoggedCall,
  asksToken: boolean,
): string | undefined {
  if (!isFormat(format)) return undefined;
  const ask = { format, model, streamed, system: '', prompt: '…', maxTokens: 1024 };
  return curl({
    path: pathOf(ask),
    body: bodyOf(ask),
    pipeline: pipeline === '' ? undefined : pipeline,
    secret: account !== 'local' ? 'WEIR_KEY' : asksToken ? 'WEIR_LOCAL_TOKEN' : undefined,
  });
}
