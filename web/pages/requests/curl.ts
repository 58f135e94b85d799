import type { LoggedCall } from '../../api/queries.ts';

const paths: Readonly<Record<string, string>> = {
  'anthropic-messages': '/v1/messages',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
};

/** The same call with words of one's own, since the log has none. */
export function curlFor({
  wire_format: wire,
  model,
  streamed,
  pipeline,
  account_id: account,
}: LoggedCall): string {
  const body =
    wire === 'openai-responses'
      ? { model, input: '…', stream: streamed }
      : { model, max_tokens: 1024, messages: [{ role: 'user', content: '…' }], stream: streamed };
  return [
    `curl ${location.origin}${paths[wire] ?? '/v1/messages'} \\`,
    ...(account === 'local' ? [] : [`  -H "authorization: Bearer $WEIR_KEY" \\`]),
    `  -H 'content-type: application/json' \\`,
    ...(pipeline === '' ? [] : [`  -H 'x-weir-pipeline: ${pipeline}' \\`]),
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}
