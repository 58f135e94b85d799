/** Paths that clients of cloud providers or with a wrong base URL request, and what to send instead. */
const pathHints: readonly (readonly [path: { test(path: string): boolean }, hint: string])[] = [
  [
    /^\/openai\/(?:deployments|responses|v1)(?:\/|$)/,
    'send POST /v1/chat/completions or /v1/responses with the model azure/<deployment>',
  ],
  [
    /^\/model\/.+\/(?:converse|converse-stream|invoke|invoke-with-response-stream)$/,
    'send POST /v1/messages with the model bedrock/<model id>',
  ],
  [{ test: isVertexPrediction }, 'send POST /v1/messages with the model vertex/<model>'],
  [
    /\/(?:messages|messages\/count_tokens|chat\/completions|responses)\/*$/,
    "check your client's base URL: the routes are POST /v1/messages, /v1/chat/completions and /v1/responses, so it has an extra path segment or lacks /v1",
  ],
];

export function hintForPath(path: string): string | undefined {
  return pathHints.find(([pattern]) => pattern.test(path))?.[1];
}

function isVertexPrediction(path: string): boolean {
  const publishers = path.indexOf('/publishers/');
  const isPrediction = path.endsWith(':rawPredict') || path.endsWith(':streamRawPredict');
  return isPrediction && publishers >= 0 && path.lastIndexOf(':') > publishers + '/publishers/'.length;
}
